// Segment files with sections of the tests' own making, for the parts that read and write them.
import type { Core } from "../../src/core/core.ts";
import { SegmentFile } from "../../src/segment/file.ts";
import type { SegmentMeta } from "../../src/segment/format.ts";
import { reserveWriteBuffer, SegmentWriter } from "../../src/segment/writer.ts";
import type { Storage } from "../../src/storage/storage.ts";

const META: SegmentMeta = {
  documents: 1,
  firstDocid: 0,
  lastDocid: 0,
  rawDocumentBytes: 0,
  settingsHash: "",
  terms: 0,
  idKinds: 0,
  packsStarts: true,
  shapes: [],
  shapeBytes: 0,
  columns: [],
  points: 0,
  geometries: 0,
  vectors: [],
};

/** Writes a file whose sections `fill` makes, and opens it. */
export function segmentFile(
  core: Core,
  storage: Storage,
  path: string,
  fill: (writer: SegmentWriter) => void,
): SegmentFile {
  const writer = new SegmentWriter(storage, path, core, reserveWriteBuffer(core));
  fill(writer);
  writer.finish(META);
  return new SegmentFile(storage, path);
}

/** Bytes that differ from place to place. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed | 1;
  for (let i = 0; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state;
  }
  return bytes;
}
