// A sound data folder with every kind of file and every section, and the damage that is done to it. Used by
// the tests of what is told of damage (test/segment/check.test.ts) and what is answered
// (test/engine/damage.test.ts).
import type { IndexHandle } from "../../src/engine/indexhandle.ts";
import { obsoleteFiles } from "../../src/segment/manifestfiles.ts";
import { readManifest } from "../../src/segment/manifestreader.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { closeFixture, type LocalFixture, openFixture, register } from "./localfixture.ts";
import type { Document, Write } from "./model.ts";

export const WORDS = ["almond", "birch", "cactus", "daisy"];

export interface SoundFolder {
  storage: MemoryStorage;
  /** By name of the index: `alpha`, whose files are damaged, and `beta`. */
  handles: Record<"alpha" | "beta", IndexHandle>;
}

/** `documents`: of the first segment of `alpha`. */
export async function makeFolder(documents: number): Promise<SoundFolder> {
  const storage = new MemoryStorage();
  const fixture = await openFixture(storage);
  const write = (...writes: Write[]) => work(fixture, writes);
  const all = Array.from({ length: documents }, (_, id) => documentOf(id));
  await write({
    kind: "settings",
    index: "alpha",
    patch: { filterableAttributes: ["extra", "_geo", "_geojson"] },
  });
  await write({ kind: "add", index: "alpha", method: "replace", documents: all });
  // Scattered, and with other fields: a segment with sections for numbers and shapes.
  const scattered = [6, 17, 91, 92, 151].map((id) => ({
    ...documentOf(id),
    body: "birch of old",
    extra: [id],
    _geo: { lat: id / 2, lng: id },
    _geojson: {
      type: "LineString",
      coordinates: [
        [id, 0],
        [0, id / 2],
      ],
    },
  }));
  await write({ kind: "add", index: "alpha", method: "replace", documents: [...scattered, { id: 17 }] });
  await write({ kind: "delete", index: "alpha", ids: all.map(({ id }) => id).filter((id) => id % 5 === 0) });
  await write({ kind: "add", index: "beta", method: "replace", documents: all.slice(0, 20) });
  const handles = { alpha: fixture.instance.handle("alpha"), beta: fixture.instance.handle("beta") };
  await closeFixture(fixture);
  return { storage, handles };
}

export async function work(fixture: LocalFixture, writes: Write[]): Promise<void> {
  for (const write of writes) await register(fixture, write);
  await fixture.instance.idle();
  await fixture.engine.settled();
}

function documentOf(id: number): Document {
  return { id, title: `${WORDS[id % 3]} ${id}`, body: `daisy and ${WORDS[(id + 1) % 4]}` };
}

/** Runs with one bit of a file flipped. */
export async function withFlip<Result>(
  storage: Storage,
  { name, offset }: { name: string; offset: number },
  run: () => Promise<Result>,
): Promise<Result> {
  const sound = bytesOf(storage, name);
  const flipped = sound.slice();
  flipped[offset] ^= 1 << (offset & 7);
  return withBytes(storage, name, flipped, run);
}

/** Runs with other bytes in a file. */
export async function withBytes<Result>(
  storage: Storage,
  name: string,
  bytes: Uint8Array,
  run: () => Promise<Result>,
): Promise<Result> {
  const sound = bytesOf(storage, name);
  put(storage, name, bytes);
  try {
    return await run();
  } finally {
    put(storage, name, sound);
  }
}

export function bytesOf(storage: Storage, name: string): Uint8Array {
  const file = storage.open(name);
  try {
    const bytes = new Uint8Array(file.size);
    file.readInto(bytes, 0);
    return bytes;
  } finally {
    file.close();
  }
}

/** Names of the files of an index that match and are in use. */
export function filesOf(storage: Storage, { folder }: IndexHandle, pattern: RegExp): string[] {
  const listing = storage.list(folder);
  const obsolete = obsoleteFiles(readManifest(storage, folder, 0), listing, new Set());
  return listing
    .filter((name) => pattern.test(name) && !obsolete.includes(name))
    .map((name) => `${folder}/${name}`);
}

function put(storage: Storage, name: string, bytes: Uint8Array): void {
  const file = storage.create(name);
  file.append(bytes);
  file.close();
}
