// The ids section of a segment whose ids are numbers that ascend with the ordinals, as from a counter.
// identifier-section.ts writes and reads this form for such ids; without gaps, an id needs a tenth of a byte.
//
//   0           4            8                12
//   | count u32 | blocks u32 | rest bytes u32 | 1 u32 |
//   | first u64 x blocks          |   the first id of each block of 128 ordinals
//   | start u32 x (blocks + 1)    |   where the rests of each block begin, counted from the first ones
//   | rests                       |   128 of the same width a block, each low bits first
//   | 0 u64                       |   a rest is read as eight bytes
//
// The rest of an id is its distance from the first one of its block, less its place there: 0 where there are
// no gaps. A block whose rests take 16 x w bytes has rests of w bits. All that is read from the section is
// checked against its counts, so that damage leads to a wrong answer at worst.
import { bitsReadLong } from "./column-bits";

const HEADER_BYTES: usize = 16;
const BLOCK_SHIFT: u32 = 7;
const BLOCK_LEN: u32 = 1 << BLOCK_SHIFT;
/** Bytes of a block apart from its rests: the first id and the start. */
const BLOCK_BYTES: u32 = 12;
/** Bytes of the rests of a block for each bit of their width. */
const WIDTH_BYTES: u32 = BLOCK_LEN >> 3;
/** Largest width that bitsReadLong can read. */
const WIDTH_MAX: u32 = 56;
const TAIL_BYTES: usize = 8;
/** Numbers of this many digits fit into 64 bits. */
const DIGITS_MAX: i32 = 19;
const FORM: u32 = 1;

const ID_NONE: i32 = -1;
const NO_NUMBER: u64 = u64.MAX_VALUE;

/** True for a section of this form. */
export function isNumberSection(section: usize): bool {
  return load<u32>(section, 12) == FORM;
}

/**
 * Writes the section of `count` ids, given as for idSectionBuild, into at most `capacity` bytes. Returns the
 * bytes written; 0 when the ids are not such numbers or do not fit.
 */
export function numberSectionBuild(section: usize, ids: usize, count: u32, capacity: usize): i32 {
  if (count == 0) return 0;
  const blocks = blocksFor(count);
  const rests = section + restsOffset(blocks);
  const fixed = restsOffset(blocks) + TAIL_BYTES;
  let restBytes: u32 = 0;
  let before: u64 = NO_NUMBER;
  for (let block: u32 = 0; block < blocks; block++) {
    const from = ids + (<usize>block << BLOCK_SHIFT) * 8;
    const size = min(BLOCK_LEN, count - (block << BLOCK_SHIFT));
    const first = numberAt(from);
    const last = numberAt(from + <usize>(size - 1) * 8);
    if (first == NO_NUMBER || last == NO_NUMBER || last - first < <u64>(size - 1)) return 0;
    if (before != NO_NUMBER && first <= before) return 0;
    const width: u32 = 64 - <u32>clz<u64>(last - first - <u64>(size - 1));
    if (width > WIDTH_MAX || fixed + <usize>(restBytes + width * WIDTH_BYTES) > capacity) return 0;
    if (!writeRests(rests + <usize>restBytes, from, size, width)) return 0;
    store<u64>(section + HEADER_BYTES + (<usize>block << 3), first);
    store<u32>(startAt(section, blocks, block), restBytes);
    restBytes += width * WIDTH_BYTES;
    before = last;
  }
  store<u32>(startAt(section, blocks, blocks), restBytes);
  store<u64>(rests + <usize>restBytes, 0);
  store<u32>(section, count);
  store<u32>(section, blocks, 4);
  store<u32>(section, restBytes, 8);
  store<u32>(section, FORM, 12);
  return <i32>(restsOffset(blocks) + <usize>restBytes + TAIL_BYTES);
}

/** True when `bytes`, which is at least the size of the header, is the size that the header demands. */
export function numberSectionCheck(section: usize, bytes: u32): bool {
  const count = load<u32>(section);
  const blocks = load<u32>(section, 4);
  // Checked before the sum, which very many blocks would make overflow.
  if (count == 0 || blocks != blocksFor(count) || blocks > bytes / BLOCK_BYTES) return false;
  return <u64>restsOffset(blocks) + <u64>load<u32>(section, 8) + <u64>TAIL_BYTES == <u64>bytes;
}

/** Ordinal of an id, or ID_NONE (-1). */
export function numberSectionFind(section: usize, id: usize, length: i32): i32 {
  const number = parseNumber(id, length);
  if (number == NO_NUMBER) return ID_NONE;
  const firsts = section + HEADER_BYTES;
  // The last block that does not begin after the number; the first one when all do.
  let low: u32 = 0;
  let high = load<u32>(section, 4);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (load<u64>(firsts + (<usize>middle << 3)) <= number) low = middle;
    else high = middle;
  }
  const start = low << BLOCK_SHIFT;
  high = min(start + BLOCK_LEN, load<u32>(section));
  for (low = start; low < high; ) {
    const middle = (low + high) >> 1;
    const found = numberOf(section, middle);
    if (found == number) return <i32>middle;
    if (found < number) low = middle + 1;
    else high = middle;
  }
  return ID_NONE;
}

/** Writes the digits of an ordinal's id to `out`, at most 20; returns how many, or ID_NONE (-1). */
export function numberSectionText(section: usize, ordinal: u32, out: usize): i32 {
  const number = ordinal < load<u32>(section) ? numberOf(section, ordinal) : NO_NUMBER;
  return number == NO_NUMBER ? ID_NONE : writeDigits(number, out);
}

/** The id of an ordinal below the count; NO_NUMBER when the section is damaged. */
function numberOf(section: usize, ordinal: u32): u64 {
  const blocks = load<u32>(section, 4);
  const block = ordinal >> BLOCK_SHIFT;
  const place = ordinal & (BLOCK_LEN - 1);
  const first = load<u64>(section + HEADER_BYTES + (<usize>block << 3)) + <u64>place;
  const start = load<u32>(startAt(section, blocks, block));
  const end = load<u32>(startAt(section, blocks, block + 1));
  if (end == start) return first;
  const width = (end - start) / WIDTH_BYTES;
  if (end < start || end > load<u32>(section, 8) || width > WIDTH_MAX) return NO_NUMBER;
  return first + bitsReadLong(section + restsOffset(blocks) + <usize>start, place, width);
}

/** False when the ids of the block are not ascending numbers. */
function writeRests(rests: usize, ids: usize, size: u32, width: u32): bool {
  memory.fill(rests, 0, <usize>(width * WIDTH_BYTES) + TAIL_BYTES);
  const first = numberAt(ids);
  let before = first;
  for (let place: u32 = 1; place < size; place++) {
    const number = numberAt(ids + <usize>place * 8);
    if (number == NO_NUMBER || number <= before) return false;
    before = number;
    const bit = place * width;
    const word = rests + <usize>(bit >> 3);
    // If all numbers ascend, no rest is wider than the last one; if not, all of this is discarded.
    store<u64>(word, load<u64>(word) | ((number - first - <u64>place) << <u64>(bit & 7)));
  }
  return true;
}

/** The number written at a pair of address and length. */
function numberAt(pair: usize): u64 {
  return parseNumber(<usize>load<u32>(pair), load<i32>(pair, 4));
}

/** NO_NUMBER for a text that is not the decimal form of a number of at most 19 digits. */
function parseNumber(text: usize, length: i32): u64 {
  if (length < 1 || length > DIGITS_MAX) return NO_NUMBER;
  if (load<u8>(text) == 0x30 && length > 1) return NO_NUMBER;
  let number: u64 = 0;
  for (const end = text + <usize>length; text < end; text++) {
    const digit: u32 = <u32>load<u8>(text) - 0x30;
    if (digit > 9) return NO_NUMBER;
    number = number * 10 + <u64>digit;
  }
  return number;
}

function writeDigits(number: u64, out: usize): i32 {
  let digits = 1;
  for (let rest = number; rest >= 10; rest /= 10) digits++;
  for (let at = out + <usize>digits; at > out; number /= 10) store<u8>(--at, 0x30 + <u8>(number % 10));
  return digits;
}

function blocksFor(count: u32): u32 {
  return ((count - 1) >> BLOCK_SHIFT) + 1;
}

function startAt(section: usize, blocks: u32, block: u32): usize {
  return section + HEADER_BYTES + (<usize>blocks << 3) + (<usize>block << 2);
}

function restsOffset(blocks: u32): usize {
  return HEADER_BYTES + (<usize>blocks << 3) + ((<usize>blocks + 1) << 2);
}
