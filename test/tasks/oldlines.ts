// Makes archives that look like dumps of older versions, and imports them: for olddumps.test.ts and
// oldhistory.test.ts.

import { join } from "node:path";
import { ArchiveWriter } from "../../src/storage/archivewriter.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { type CopyHouse, fill, openCopyHouse, type Place } from "./copyhouse.ts";

/** Imports the files as a dump, runs what waits, and hands over the house. */
export async function importArchive(
  place: Place,
  name: string,
  files: Record<string, unknown>,
): Promise<CopyHouse> {
  await writeArchive(place.path, `${name}.dump`, files);
  await fill(place, name, { importDump: join(place.path, `${name}.dump`) });
  const house = await openCopyHouse(place, name);
  await house.instance.idle();
  return house;
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
