// The ids section of a segment: id text -> ordinal and back, read-only, position independent. src/segment
// writes it with each segment; a look-up touches two cache lines when the id is unknown, about four when it
// exists. Ids that are ascending numbers take another form (identifier-numbers.ts).
//
//   0           4             8                12
//   | count u32 | buckets u32 | text bytes u32 | 0 u32 |
//   | start u32 x (buckets + 1)      |     first cell of each bucket, at last the count
//   | cell x count                   |     fingerprint u32, ordinal u32, ordered by bucket
//   | base u32 x ceil(count / 16)    |     where the ids of each block of 16 ordinals begin in the text
//   | after u16 x count, to 4 bytes  |     end of each id, counted from its block's base
//   | id bytes, in ordinal order     |
//
// The upper half of an id's textHash chooses its bucket, the lower half is its fingerprint. Buckets hold 4
// cells on average and exactly as many as they need, so an id takes 11.25 bytes in addition to its text,
// without empty cells. Every place that is read from the section is checked against its counts, so that
// damage leads to a wrong answer at worst; idSectionCheck compares the counts with the section's size.
import { hashBucket, textEquals, textHash } from "./hash";
import {
  isNumberSection,
  numberSectionBuild,
  numberSectionCheck,
  numberSectionFind,
  numberSectionText,
} from "./identifier-numbers";

const HEADER_BYTES: usize = 16;
const CELL_BYTES: usize = 8;
const BUCKET_CELLS: u32 = 4;
const BLOCK_SHIFT: u32 = 4;
const BLOCK_LEN: u32 = 1 << BLOCK_SHIFT;

const ID_NONE: i32 = -1;
/** Error: an id has more than ID_BYTES_MAX bytes. */
const ID_TOO_LONG: i32 = -2;
/** Bytes of the longest id; 16 of these end below 65536. */
const ID_BYTES_MAX: i32 = 511;

/** Most bytes that a section of `count` ids with `idBytes` bytes in total can take. */
export function idSectionBytes(count: i32, idBytes: i32): i32 {
  return <i32>(textOffset(<u32>count, bucketsFor(<u32>count)) + <usize>(<u32>idBytes));
}

/**
 * Writes the section of `count` ids; `ids` has the u32 address and u32 length of each, in ordinal order. They
 * must all differ. Returns the bytes written, or ID_TOO_LONG (-2).
 */
export function idSectionBuild(section: usize, ids: usize, count: i32): i32 {
  const size = <u32>count;
  const buckets = bucketsFor(size);
  // A few ids that are far apart would take more room as numbers.
  const numberBytes = numberSectionBuild(section, ids, size, textOffset(size, buckets));
  if (numberBytes) return numberBytes;
  store<u32>(section, size);
  store<u32>(section, buckets, 4);
  store<u32>(section, 0, 12);
  const textBytes = writeTexts(section, ids, size, buckets);
  if (textBytes < 0) return ID_TOO_LONG;
  store<i32>(section, textBytes, 8);
  writeCells(section, ids, size, buckets);
  return <i32>textOffset(size, buckets) + textBytes;
}

/**
 * True when `bytes` is the size that the section's header demands. Used by the check of segments; ordinary
 * readers trust the checksums of the file.
 */
export function idSectionCheck(section: usize, bytes: i32): bool {
  if (<u32>bytes < <u32>HEADER_BYTES) return false;
  if (isNumberSection(section)) return numberSectionCheck(section, <u32>bytes);
  const count = <u64>load<u32>(section);
  const buckets = <u64>load<u32>(section, 4);
  if (count * CELL_BYTES > <u64>(<u32>bytes) || buckets != <u64>bucketsFor(<u32>count)) return false;
  return <u64>textOffset(<u32>count, <u32>buckets) + <u64>load<u32>(section, 8) == <u64>(<u32>bytes);
}

/** Number of ids. */
export function idSectionCount(section: usize): i32 {
  return load<i32>(section);
}

/** Ordinal of an id, or ID_NONE (-1). */
export function idSectionFind(section: usize, id: usize, length: i32): i32 {
  if (isNumberSection(section)) return numberSectionFind(section, id, length);
  const hash = textHash(id, length);
  const count = load<u32>(section);
  const buckets = load<u32>(section, 4);
  if (!count) return ID_NONE;
  const start = section + HEADER_BYTES + ((<usize>hashBucket(hash, buckets)) << 2);
  const end = load<u32>(start, 4);
  if (end > count) return ID_NONE;
  const cells = section + cellsOffset(buckets);
  for (let at = load<u32>(start); at < end; at++) {
    const cell = cells + <usize>at * CELL_BYTES;
    if (load<u32>(cell) != <u32>hash) continue;
    const ordinal = load<i32>(cell, 4);
    if (idSectionTextLength(section, ordinal) != length) continue;
    if (textEquals(idSectionTextAddress(section, ordinal), id, length)) return ordinal;
  }
  return ID_NONE;
}

/**
 * Copies the id of an ordinal to `out`, at most 511 bytes; returns its length, or ID_NONE (-1) when there is
 * no such ordinal.
 */
export function idSectionText(section: usize, ordinal: i32, out: usize): i32 {
  if (isNumberSection(section)) return numberSectionText(section, <u32>ordinal, out);
  const length = idSectionTextLength(section, ordinal);
  if (length > 0) memory.copy(out, idSectionTextAddress(section, ordinal), <usize>length);
  return length;
}

/** Length of the id of an ordinal, or ID_NONE when there is none. */
function idSectionTextLength(section: usize, ordinal: i32): i32 {
  const count = load<u32>(section);
  if (<u32>ordinal >= count) return ID_NONE;
  const length = textAfter(section, <u32>ordinal) - textBefore(section, <u32>ordinal);
  const base = textBase(section, <u32>ordinal);
  const after = <u64>base + <u64>textAfter(section, <u32>ordinal);
  return length < 0 || length > ID_BYTES_MAX || after > <u64>load<u32>(section, 8) ? ID_NONE : length;
}

/** Address of the id of an ordinal whose length was asked for before. */
function idSectionTextAddress(section: usize, ordinal: i32): usize {
  const texts = section + textOffset(load<u32>(section), load<u32>(section, 4));
  return texts + <usize>textBase(section, <u32>ordinal) + <usize>textBefore(section, <u32>ordinal);
}

function textBase(section: usize, ordinal: u32): u32 {
  const bases = section + basesOffset(load<u32>(section), load<u32>(section, 4));
  return load<u32>(bases + <usize>((ordinal >> BLOCK_SHIFT) << 2));
}

function textAfter(section: usize, ordinal: u32): i32 {
  const afters = section + aftersOffset(load<u32>(section), load<u32>(section, 4));
  return load<u16>(afters + ((<usize>ordinal) << 1));
}

function textBefore(section: usize, ordinal: u32): i32 {
  return ordinal & (BLOCK_LEN - 1) ? textAfter(section, ordinal - 1) : 0;
}

function bucketsFor(count: u32): u32 {
  return count / BUCKET_CELLS + 1;
}

function cellsOffset(buckets: u32): usize {
  return HEADER_BYTES + ((<usize>buckets + 1) << 2);
}

function basesOffset(count: u32, buckets: u32): usize {
  return cellsOffset(buckets) + <usize>count * CELL_BYTES;
}

function aftersOffset(count: u32, buckets: u32): usize {
  return basesOffset(count, buckets) + (((<usize>count + BLOCK_LEN - 1) >> BLOCK_SHIFT) << 2);
}

function textOffset(count: u32, buckets: u32): usize {
  return aftersOffset(count, buckets) + ((((<usize>count) << 1) + 3) & ~3);
}

/** Writes bases, ends and bytes of the ids; returns the number of bytes, or -1 when one is too long. */
function writeTexts(section: usize, ids: usize, count: u32, buckets: u32): i32 {
  const bases = section + basesOffset(count, buckets);
  const afters = section + aftersOffset(count, buckets);
  const texts = section + textOffset(count, buckets);
  let base: u32 = 0;
  let after: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < count; ordinal++, ids += 8) {
    if (!(ordinal & (BLOCK_LEN - 1))) {
      base += after;
      after = 0;
      store<u32>(bases + <usize>((ordinal >> BLOCK_SHIFT) << 2), base);
    }
    const length = load<u32>(ids, 4);
    if (length > <u32>ID_BYTES_MAX) return -1;
    memory.copy(texts + <usize>(base + after), <usize>load<u32>(ids), <usize>length);
    after += length;
    store<u16>(afters + ((<usize>ordinal) << 1), after);
  }
  // Padding for an odd count.
  if (count & 1) store<u16>(afters + ((<usize>count) << 1), 0);
  return <i32>(base + after);
}

/** Sorts the cells into their buckets by counting; `start` of a bucket serves as its cursor meanwhile. */
function writeCells(section: usize, ids: usize, count: u32, buckets: u32): void {
  const starts = section + HEADER_BYTES;
  const cells = section + cellsOffset(buckets);
  const idsEnd = ids + <usize>count * 8;
  memory.fill(starts, 0, (<usize>buckets + 1) << 2);
  for (let id = ids; id < idsEnd; id += 8) {
    const hash = textHash(<usize>load<u32>(id), load<i32>(id, 4));
    const start = starts + ((<usize>hashBucket(hash, buckets)) << 2);
    store<u32>(start, load<u32>(start) + 1);
  }
  // First the ends of the buckets; filling from the last id down turns them into starts and keeps cells in
  // ordinal order.
  let sum: u32 = 0;
  for (let bucket: u32 = 0; bucket <= buckets; bucket++) {
    const start = starts + ((<usize>bucket) << 2);
    sum += load<u32>(start);
    store<u32>(start, sum);
  }
  for (let ordinal = count; ordinal > 0; ordinal--) {
    const id = ids + <usize>(ordinal - 1) * 8;
    const hash = textHash(<usize>load<u32>(id), load<i32>(id, 4));
    const start = starts + ((<usize>hashBucket(hash, buckets)) << 2);
    const place = load<u32>(start) - 1;
    store<u32>(start, place);
    const cell = cells + <usize>place * CELL_BYTES;
    store<u32>(cell, <u32>hash);
    store<u32>(cell, ordinal - 1, 4);
  }
}
