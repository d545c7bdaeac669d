// Sets of task numbers in the portable form of Roaring bitmaps, as dumps hold them: written for tasklines.ts,
// read for taskreading.ts. Little-endian; see https://github.com/RoaringBitmap/RoaringFormatSpec.
//
//   [ u32 12346 | u32 containers | u16 key, u16 count - 1 (each) | u32 offset (each) | containers ... ]
//   [ u16 12347, u16 containers - 1 | bits: is it runs? | keys and counts | offsets, from 4 on | ... ]
//
// A container holds the numbers that share their upper 16 bits, the key: as a sorted array of u16 (up to 4096
// of them), as 65,536 bits, or as runs: u16 count, then u16 start and u16 length - 1 of each.

const COOKIE = 12346;
const COOKIE_WITH_RUNS = 12347;
const ARRAY_COUNT_MAX = 4096;
const BITS_BYTES = 8192;
const OFFSETS_FROM_CONTAINERS = 4;
const NUMBERS_MAX = 2 ** 24;

/** Strictly ascending numbers below 2^32. */
export function encodeRoaring(uids: Iterable<number>): Uint8Array {
  const containers = new Map<number, number[]>();
  for (const uid of uids) {
    const key = Math.floor(uid / 65_536);
    const values = containers.get(key);
    if (values) values.push(uid % 65_536);
    else containers.set(key, [uid % 65_536]);
  }
  const headerBytes = 8 + 8 * containers.size;
  const size = [...containers.values()].reduce((sum, values) => sum + bytesOf(values), headerBytes);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, COOKIE, true);
  view.setUint32(4, containers.size, true);
  let place = 0;
  let offset = headerBytes;
  for (const [key, values] of containers) {
    view.setUint16(8 + 4 * place, key, true);
    view.setUint16(10 + 4 * place, values.length - 1, true);
    view.setUint32(8 + 4 * containers.size + 4 * place, offset, true);
    if (values.length > ARRAY_COUNT_MAX)
      for (const value of values) bytes[offset + (value >> 3)] |= 1 << (value & 7);
    else for (const [i, value] of values.entries()) view.setUint16(offset + 2 * i, value, true);
    offset += bytesOf(values);
    place++;
  }
  return bytes;
}

/**
 * Strictly ascending numbers. A few bytes can name four billion: more than any queue holds are refused.
 * @throws RangeError when the bytes are not such a set
 */
export function* decodeRoaring(bytes: Uint8Array): Generator<number> {
  let last = -1;
  let count = 0;
  for (const value of numbersIn(bytes)) {
    if (value <= last || ++count > NUMBERS_MAX) throw new RangeError("not a set of task numbers");
    last = value;
    yield value;
  }
}

function* numbersIn(bytes: Uint8Array): Generator<number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const hasRuns = view.getUint16(0, true) === COOKIE_WITH_RUNS;
  if (!hasRuns && view.getUint32(0, true) !== COOKIE) throw new RangeError("not a Roaring bitmap");
  const count = hasRuns ? view.getUint16(2, true) + 1 : view.getUint32(4, true);
  const keys = hasRuns ? 4 + Math.ceil(count / 8) : 8;
  const hasOffsets = !hasRuns || count >= OFFSETS_FROM_CONTAINERS;
  let offset = keys + 4 * count + (hasOffsets ? 4 * count : 0);
  for (let place = 0; place < count; place++) {
    const base = view.getUint16(keys + 4 * place, true) * 65_536;
    const values = view.getUint16(keys + 4 * place + 2, true) + 1;
    const isRuns = hasRuns && isBitSet(view, 4, place);
    const numbers = isRuns ? runsAt : values > ARRAY_COUNT_MAX ? bitsAt : arrayAt;
    offset = yield* numbers(view, offset, base, values);
  }
}

/** The numbers of one container; returns where the next one begins. */
type Container = Generator<number, number>;

function* runsAt(view: DataView, offset: number, base: number): Container {
  const runs = view.getUint16(offset, true);
  for (let run = 0; run < runs; run++) {
    const start = view.getUint16(offset + 2 + 4 * run, true);
    const length = view.getUint16(offset + 4 + 4 * run, true) + 1;
    for (let value = start; value < start + length; value++) yield base + value;
  }
  return offset + 2 + 4 * runs;
}

function* bitsAt(view: DataView, offset: number, base: number): Container {
  for (let value = 0; value < 65_536; value++) if (isBitSet(view, offset, value)) yield base + value;
  return offset + BITS_BYTES;
}

function* arrayAt(view: DataView, offset: number, base: number, count: number): Container {
  for (let i = 0; i < count; i++) yield base + view.getUint16(offset + 2 * i, true);
  return offset + 2 * count;
}

function isBitSet(view: DataView, offset: number, bit: number): boolean {
  return ((view.getUint8(offset + (bit >> 3)) >> (bit & 7)) & 1) === 1;
}

function bytesOf(values: number[]): number {
  return values.length > ARRAY_COUNT_MAX ? BITS_BYTES : 2 * values.length;
}
