// Makes archives that look like dumps of older versions, and imports them: for olddumps.test.ts and
// oldhistory.test.ts.
import { join } from "node:path";
import { ArchiveWriter } from "../../src/storage/archivewriter.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { type CopyFixture, fill, openCopyFixture, type Place } from "./copyfixture.ts";

/** Imports the files as a dump, runs what waits, and hands over the fixture. */
export async function importArchive(
  place: Place,
  name: string,
  files: Record<string, unknown>,
): Promise<CopyFixture> {
  await writeArchive(place.path, `${name}.dump`, files);
  await fill(place, name, { importDump: join(place.path, `${name}.dump`) });
  const fixture = await openCopyFixture(place, name);
  await fixture.instance.idle();
  return fixture;
}

/** Texts are files as they are, arrays are lines of JSON, other values one JSON text. */
export async function writeArchive(
  folder: string,
  name: string,
  files: Record<string, unknown>,
): Promise<void> {
  const options = { name, temporaryName: `${name}.tmp`, level: 1, interrupt: () => {} };
  const writer = new ArchiveWriter(new FileStorage(folder, false), options);
  for (const [file, value] of Object.entries(files)) await writer.add(file, textOf(value));
  await writer.finish();
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.map((line) => `${JSON.stringify(line)}\n`).join("");
}
