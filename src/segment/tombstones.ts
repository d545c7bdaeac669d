// The documents of one segment that were deleted or replaced since it was written: a set of docids. Small
// sets are part of the manifest itself, larger ones are in a file that is written before the manifest names
// it and never changed.
//
//   0        4         5      6      10
//   [ CRC32C | version | form | count | body ... ]      little-endian; the CRC32C covers everything after it
//
//   form 0   body: `count` varints, each a docid less the one before it less 1 (the first: the docid itself)
//   form 1   body: u32 first byte | bytes of the bitmap from there on; bit d & 7 of byte d >> 3 is docid d
//
// The smaller form is written.
import { placeOf } from "../core/ascending.ts";
import { crc32c } from "../storage/crc32c.ts";
import { damagedFile, unknownFormat } from "../storage/failure.ts";
import { join, type Storage } from "../storage/storage.ts";
import { tombstonesName } from "./manifestfiles.ts";
import type { TombstonesEntry } from "./manifeststate.ts";

/** Sets that are larger get a file. */
const INLINE_BYTES_MAX = 4096;
const FORMAT_VERSION = 1;
const HEADER_BYTES = 10;
const FORM_DELTAS = 0;
const FORM_BITMAP = 1;

export class Tombstones {
  static readonly none = new Tombstones(new Uint32Array(0));

  /** Docids in any order; repeated ones count once. */
  static of(docids: Iterable<number>): Tombstones {
    const sorted = new Uint32Array(docids).sort();
    return new Tombstones(sorted.filter((docid, i) => i === 0 || docid !== sorted[i - 1]));
  }

  /** Ascending, each only once. */
  readonly docids: Uint32Array;

  private constructor(docids: Uint32Array) {
    this.docids = docids;
  }

  get count(): number {
    return this.docids.length;
  }

  has(docid: number): boolean {
    return placeOf(this.docids, docid) >= 0;
  }

  /** The union with more docids. */
  with(docids: Iterable<number>): Tombstones {
    const more = Tombstones.of(docids).docids;
    const union = new Uint32Array(this.count + more.length);
    let count = 0;
    for (let a = 0, b = 0; a < this.count || b < more.length; count++) {
      const left = a < this.count ? this.docids[a] : Infinity;
      const right = b < more.length ? more[b] : Infinity;
      union[count] = Math.min(left, right);
      if (left <= right) a++;
      if (right <= left) b++;
    }
    return new Tombstones(union.slice(0, count));
  }

  /**
   * Bit d & 7 of byte d >> 3 is set for each docid d. `words`: length in 64-bit words; docids beyond it are
   * left out.
   */
  toBitmap(words: number): Uint8Array {
    const bitmap = new Uint8Array(words * 8);
    // Writes beyond the end of a typed array have no effect.
    for (const docid of this.docids) bitmap[docid >>> 3] |= 1 << (docid & 7);
    return bitmap;
  }

  encode(): Uint8Array {
    const { docids } = this;
    const bitmapBytes = docids.length === 0 ? 0 : (docids[docids.length - 1] >>> 3) - (docids[0] >>> 3) + 1;
    const deltas = encodeDeltas(docids, bitmapBytes + 4);
    const form = deltas ? FORM_DELTAS : FORM_BITMAP;
    const body = deltas ?? encodeBitmap(docids, bitmapBytes);
    const bytes = new Uint8Array(HEADER_BYTES + body.length);
    const view = new DataView(bytes.buffer);
    bytes[4] = FORMAT_VERSION;
    bytes[5] = form;
    view.setUint32(6, docids.length, true);
    bytes.set(body, HEADER_BYTES);
    view.setUint32(0, crc32c(bytes, 4), true);
    return bytes;
  }

  /**
   * `file`: for messages.
   * @throws TarsierError `invalid_store_file`
   */
  static decode(bytes: Uint8Array, file: string): Tombstones {
    if (bytes.length < HEADER_BYTES) {
      const expected = `at least ${HEADER_BYTES} bytes`;
      throw damagedFile({ file, offset: 0, expected, found: `${bytes.length} bytes` });
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const stored = view.getUint32(0, true);
    const checksum = crc32c(bytes, 4);
    if (stored !== checksum) {
      const [expected, found] = [stored, checksum].map((value) => `checksum ${value.toString(16)}`);
      throw damagedFile({ file, offset: 0, expected, found });
    }
    if (bytes[4] !== FORMAT_VERSION) throw unknownFormat(file, bytes[4], FORMAT_VERSION, 4);
    const body = bytes.subarray(HEADER_BYTES);
    const count = view.getUint32(6, true);
    if (count > 8 * body.length) {
      const found = `${body.length} bytes`;
      throw damagedFile({ file, offset: 6, expected: `bytes for ${count} documents`, found });
    }
    const docids = new Uint32Array(count);
    if (bytes[5] === FORM_DELTAS) decodeDeltas(body, docids);
    else decodeBitmap(body, docids);
    return new Tombstones(docids);
  }
}

/**
 * The manifest's entry for the tombstones of a segment; if they are many, writes and syncs a file. `version`:
 * version of the manifest that will be the first to name them. Null for an empty set.
 */
export function writeTombstones(
  storage: Storage,
  folder: string,
  segment: string,
  version: number,
  tombstones: Tombstones,
): TombstonesEntry | null {
  const { count } = tombstones;
  if (count === 0) return null;
  const bytes = tombstones.encode();
  if (bytes.length <= INLINE_BYTES_MAX) return { count, file: null, inline: bytes };
  const name = tombstonesName(segment, version);
  const file = storage.create(join(folder, name));
  try {
    file.append(bytes);
    file.sync();
  } finally {
    file.close();
  }
  return { count, file: name, inline: null };
}

/**
 * The set that an entry of a manifest stands for.
 * @throws TarsierError `invalid_store_file`
 */
export function readTombstones(storage: Storage, folder: string, entry: TombstonesEntry | null): Tombstones {
  if (!entry) return Tombstones.none;
  const name = join(folder, entry.file ?? "(manifest)");
  const bytes = entry.inline ?? readWhole(storage, name);
  const tombstones = Tombstones.decode(bytes, name);
  if (tombstones.count !== entry.count) {
    const [expected, found] = [entry.count, tombstones.count].map((count) => `${count} documents`);
    throw damagedFile({ file: name, offset: 6, expected, found });
  }
  return tombstones;
}

function readWhole(storage: Storage, name: string): Uint8Array {
  const file = storage.open(name);
  try {
    const bytes = new Uint8Array(file.size);
    return bytes.subarray(0, file.readInto(bytes, 0));
  } finally {
    file.close();
  }
}

/** Null when the result would take more than `bytesMax`. */
function encodeDeltas(docids: Uint32Array, bytesMax: number): Uint8Array | null {
  const bytes = new Uint8Array(bytesMax + 5);
  let at = 0;
  let next = 0;
  for (const docid of docids) {
    let delta = docid - next;
    for (; delta >= 128; delta = Math.floor(delta / 128)) bytes[at++] = (delta & 127) | 128;
    bytes[at++] = delta;
    next = docid + 1;
    if (at > bytesMax) return null;
  }
  return bytes.subarray(0, at);
}

function decodeDeltas(body: Uint8Array, docids: Uint32Array): void {
  let at = 0;
  let next = 0;
  for (let i = 0; i < docids.length; i++) {
    let delta = 0;
    let unit = 1;
    for (; body[at] >= 128; unit *= 128) delta += (body[at++] & 127) * unit;
    delta += body[at++] * unit;
    docids[i] = next + delta;
    next = docids[i] + 1;
  }
}

function encodeBitmap(docids: Uint32Array, bitmapBytes: number): Uint8Array {
  const first = docids[0] >>> 3;
  const bytes = new Uint8Array(4 + bitmapBytes);
  new DataView(bytes.buffer).setUint32(0, first, true);
  for (const docid of docids) bytes[4 + (docid >>> 3) - first] |= 1 << (docid & 7);
  return bytes;
}

function decodeBitmap(body: Uint8Array, docids: Uint32Array): void {
  const first = new DataView(body.buffer, body.byteOffset, body.length).getUint32(0, true);
  let count = 0;
  for (let at = 4; at < body.length; at++) {
    for (let bits = body[at]; bits !== 0; bits &= bits - 1) {
      docids[count++] = (first + at - 4) * 8 + (31 - Math.clz32(bits & -bits));
    }
  }
}
