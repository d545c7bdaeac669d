// The block format of LZ4 (github.com/lz4/lz4, doc/lz4_Block_format.md) for the documents of a segment, in
// blocks of 8 to 16 KiB.
//
//   sequence  | token | literal length + | literals | offset u16 | match length + |
//   token     high 4 bits: literals; low 4 bits: match length minus 4
//   +         only if the 4 bits are 15: bytes of 255 and a last one below, to be added
//
// The last sequence ends with its literals. No match starts in the last 12 bytes or reaches into the last 5.
//
// Each hash of four bytes has a bucket with the two latest places of that hash, of which the longer match
// wins: the output is 5 % smaller than with one place. A match gives way to a longer one that begins one byte
// later: another 3 % smaller, at the same speed. Buckets of four places gain another 2 %, but cost 40 % of
// the speed.
//
//   table     | 4096 buckets: u16 latest place, u16 place before |   counted from the start, modulo 65536

const HASH_BITS: i32 = 12;
const TABLE_BYTES: usize = 16384;
const OFFSET_MAX: usize = 65535;
const MATCH_MIN: usize = 4;
/** A match may not start within these last bytes of the input... */
const MATCH_START_BYTES: usize = 12;
/** ...nor reach into these. */
const LITERALS_LAST_BYTES: usize = 5;
/** Text without repetitions is passed in steps that grow by one after this many bytes, as a power of two. */
const SKIP_SHIFT: usize = 6;
/** After a match of this length, no longer one is searched. */
const MATCH_LONG: usize = 24;

/** Second result of longestMatch besides the length: how far back the match is. */
let matchOffset: usize = 0;

/**
 * Compresses `length` bytes into at most `capacity` bytes at `out`; returns the bytes written, 0 when they do
 * not fit. `table` is a region of 16,384 bytes with any content.
 */
export function lz4Compress(source: usize, length: i32, out: usize, capacity: i32, table: usize): i32 {
  memory.fill(table, 0, TABLE_BYTES);
  const sourceEnd = source + <usize>length;
  const outEnd = out + <usize>capacity;
  const start = out;
  let literals = source;
  if (<usize>length > MATCH_START_BYTES) {
    const startEnd = sourceEnd - MATCH_START_BYTES;
    const matchEnd = sourceEnd - LITERALS_LAST_BYTES;
    let at = source;
    while (at <= startEnd) {
      let found = longestMatch(source, at, matchEnd, table);
      if (found < MATCH_MIN) {
        at += 1 + ((at - literals) >> SKIP_SHIFT);
        continue;
      }
      let remembered = at + 1;
      while (found < MATCH_LONG && at < startEnd) {
        const offset = matchOffset;
        const next = longestMatch(source, at + 1, matchEnd, table);
        remembered = at + 2;
        if (next <= found) {
          matchOffset = offset;
          break;
        }
        found = next;
        at++;
      }
      out = writeSequence(literals, at - literals, matchOffset, found, out, outEnd);
      if (!out) return 0;
      literals = at + found;
      const rememberEnd = min(literals, startEnd + 1);
      for (at = remembered; at < rememberEnd; at++) remember(source, at, table);
      at = literals;
    }
  }
  out = writeSequence(literals, sourceEnd - literals, 0, 0, out, outEnd);
  return out ? <i32>(out - start) : 0;
}

/**
 * Decompresses a block of `length` bytes into at most `capacity` bytes at `out`; returns the bytes written,
 * -1 when the block is damaged or does not fit. May write up to 16 bytes beyond `capacity` and read as many
 * beyond the block.
 */
export function lz4Decompress(source: usize, length: i32, out: usize, capacity: i32): i32 {
  return lz4Continue(source, length, 0, out, 0, capacity, capacity);
}

/** Number of bytes of the block that the last call has read. */
export function lz4Consumed(): i32 {
  return <i32>consumed;
}

let consumed: usize = 0;

/**
 * Like lz4Decompress, but continues after the first `from` bytes of the block, which gave the `written` bytes
 * at `out` (0 and 0, or lz4Consumed and the result of the previous call), and may stop once `enough` bytes in
 * total are written.
 */
export function lz4Continue(
  block: usize,
  length: i32,
  from: i32,
  start: usize,
  written: i32,
  capacity: i32,
  enough: i32,
): i32 {
  const end = block + <usize>length;
  const outEnd = start + <usize>capacity;
  const stop = start + <usize>enough;
  let source = block + <usize>from;
  let out = start + <usize>written;
  while (source < end) {
    if (out >= stop && out < outEnd) {
      consumed = source - block;
      return <i32>(out - start);
    }
    const token: u32 = load<u8>(source++);
    let count: usize = token >> 4;
    if (count == 15) {
      source = readLength(source, end, <usize>capacity);
      count += lengthRead;
    }
    if (source > end || count > end - source || count > outEnd - out) return -1;
    v128.store(out, v128.load(source));
    for (let done: usize = 16; done < count; done += 16) v128.store(out + done, v128.load(source + done));
    source += count;
    out += count;
    if (source == end) {
      consumed = <usize>length;
      return <i32>(out - start);
    }
    if (end - source < 2) return -1;
    const offset: usize = load<u16>(source);
    source += 2;
    count = <usize>(token & 15) + MATCH_MIN;
    if (count == 15 + MATCH_MIN) {
      source = readLength(source, end, <usize>capacity);
      count += lengthRead;
    }
    if (offset == 0 || offset > out - start || count > outEnd - out) return -1;
    copyMatch(out, offset, count);
    out += count;
  }
  return -1;
}

/** Second result of readLength: the sum of the bytes. */
let lengthRead: usize = 0;

/** Reads the bytes that extend a count, at most to `most` or the end; returns the place after them. */
function readLength(source: usize, end: usize, most: usize): usize {
  let sum: usize = 0;
  let byte: usize = 255;
  while (byte == 255 && source < end && sum <= most) {
    byte = load<u8>(source++);
    sum += byte;
  }
  lengthRead = sum;
  return source;
}

/**
 * Copies from `offset` bytes before `out`, repeating bytes that it has just written when the offset is
 * smaller than the count.
 */
function copyMatch(out: usize, offset: usize, count: usize): void {
  const end = out + count;
  if (offset >= 16) {
    v128.store(out, v128.load(out - offset));
    for (out += 16; out < end; out += 16) v128.store(out, v128.load(out - offset));
  } else if (offset >= 8) {
    for (; out < end; out += 8) store<u64>(out, load<u64>(out - offset));
  } else {
    for (; out < end; out++) store<u8>(out, load<u8>(out - offset));
  }
}

/**
 * Length of the longest match for the bytes at `at`, which are remembered; less than 4 when there is none.
 */
function longestMatch(source: usize, at: usize, matchEnd: usize, table: usize): usize {
  const places = remember(source, at, table);
  const here = at - source;
  let best: usize = MATCH_MIN - 1;
  for (let shift: u32 = 0; shift < 32; shift += 16) {
    const offset = (here - <usize>(places >> shift)) & OFFSET_MAX;
    // Empty places look like the start of the input; comparing the bytes settles it.
    if (offset == 0 || offset > here) continue;
    // A match longer than the best one must agree in the four bytes that end just after that one.
    if (load<u32>(at - offset + best - 3) != load<u32>(at + best - 3)) continue;
    const found = equalBytes(at - offset, at, matchEnd);
    if (found <= best) continue;
    best = found;
    matchOffset = offset;
  }
  return best;
}

/** Puts a place into the bucket of its four bytes; returns the two places that were there. */
function remember(source: usize, at: usize, table: usize): u32 {
  const bucket = table + (<usize>((load<u32>(at) * 2654435761) >> (32 - HASH_BITS)) << 2);
  const places = load<u32>(bucket);
  store<u32>(bucket, (places << 16) | <u32>((at - source) & OFFSET_MAX));
  return places;
}

/** Number of bytes in which `place` and `at` agree, up to `end`. */
function equalBytes(place: usize, at: usize, end: usize): usize {
  const start = at;
  for (; at + 8 <= end; at += 8, place += 8) {
    const difference = load<u64>(place) ^ load<u64>(at);
    if (difference) return at - start + (<usize>ctz<u64>(difference) >> 3);
  }
  while (at < end && load<u8>(place) == load<u8>(at)) {
    at++;
    place++;
  }
  return at - start;
}

/** Writes one sequence (the last one when `match` is 0); returns its end, 0 when it does not fit. */
function writeSequence(
  literals: usize,
  count: usize,
  offset: usize,
  match: usize,
  out: usize,
  outEnd: usize,
): usize {
  if (1 + count / 255 + 1 + count + (match ? 2 + match / 255 + 1 : 0) > outEnd - out) return 0;
  const low = match ? match - MATCH_MIN : 0;
  store<u8>(out++, (min<usize>(count, 15) << 4) | min<usize>(low, 15));
  if (count >= 15) out = writeLength(count - 15, out);
  if (count + 16 <= outEnd - out) {
    for (let done: usize = 0; done < count; done += 16) v128.store(out + done, v128.load(literals + done));
  } else memory.copy(out, literals, count);
  out += count;
  if (!match) return out;
  store<u16>(out, <u16>offset);
  out += 2;
  return low >= 15 ? writeLength(low - 15, out) : out;
}

function writeLength(rest: usize, out: usize): usize {
  for (; rest >= 255; rest -= 255) store<u8>(out++, 255);
  store<u8>(out, <u8>rest);
  return out + 1;
}
