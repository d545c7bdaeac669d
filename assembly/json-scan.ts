// Steps over valid JSON text, shared by all kernels that look inside documents (json.ts, json-ids.ts,
// json-walker.ts). Each takes the place to start from and the end of the text, reads at most 64 bytes beyond
// that end, writes nothing, and returns a place; 0 when the text ends too early, so that damaged text never
// leads out of its region.

export const QUOTE: u32 = 0x22;
export const BACKSLASH: u32 = 0x5c;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OBJECT_OPEN: u32 = 0x7b;
export const OBJECT_CLOSE: u32 = 0x7d;
export const ARRAY_OPEN: u32 = 0x5b;
export const ARRAY_CLOSE: u32 = 0x5d;
/**
 * Turns both closing brackets into `}` and both opening ones into `{`, and no other character into either.
 */
export const BRACKET_FOLD: u32 = 0x20;

/** Error of all kernels here: the text is not what the reception let through. */
export const JSON_DAMAGED: i32 = -101;
/** Error of all kernels here: the output is full. */
export const JSON_FULL: i32 = -102;

const BLANK: u32 = 0x20;

/** The first byte that is not blank, or `end`. */
export function blanksEnd(at: usize, end: usize): usize {
  while (at < end && <u32>load<u8>(at) <= BLANK) at++;
  return at;
}

/**
 * End of a string whose first byte after the opening quote is at `at`: the address of the closing quote,
 * times 2, plus 1 when a backslash was found. 0 when there is no closing quote.
 */
export function stringEnd(at: usize, end: usize): u64 {
  const quotes = i8x16.splat(<i8>QUOTE);
  const backslashes = i8x16.splat(<i8>BACKSLASH);
  let escaped: u64 = 0;
  while (at < end) {
    const bytes = v128.load(at);
    const found = i8x16.bitmask(v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, backslashes)));
    if (!found) {
      at += 16;
      continue;
    }
    at += <usize>ctz(found);
    if (at >= end) return 0;
    if (<u32>load<u8>(at) == QUOTE) return ((<u64>at) << 1) | escaped;
    escaped = 1;
    at += 2;
  }
  return 0;
}

/** The value of a member whose name ends with the quote at `closing`. */
export function memberValue(closing: usize, end: usize): usize {
  // Nearly all text has no blank here.
  let at = closing + 1;
  if (<u32>load<u8>(at) != COLON) at = blanksEnd(at, end);
  if (at >= end || <u32>load<u8>(at) != COLON) return 0;
  at++;
  if (<u32>load<u8>(at) <= BLANK) at = blanksEnd(at, end);
  return at < end ? at : 0;
}

/** The byte after a value of any type that begins at `at`. */
export function valueEnd(at: usize, end: usize): usize {
  const first: u32 = load<u8>(at);
  if (first == QUOTE) {
    const closing = <usize>(stringEnd(at + 1, end) >> 1);
    return closing ? closing + 1 : 0;
  }
  return (first | BRACKET_FOLD) == OBJECT_OPEN ? containerEnd(at, end) : scalarEnd(at, end);
}

/** The byte after a number or a literal. */
export function scalarEnd(at: usize, end: usize): usize {
  const start = at;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte <= BLANK || byte == COMMA || (byte | BRACKET_FOLD) == OBJECT_CLOSE) break;
  }
  return at > start ? at : 0;
}

/**
 * The byte after the object or array that begins at `at`, at any depth: 64 bytes per step become bit masks of
 * quotes and brackets, as in Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (VLDB Journal 28,
 * 2019).
 */
export function containerEnd(at: usize, end: usize): usize {
  let depth = 0;
  // All ones while a string continues from the previous block; below, 1 while a backslash does.
  let inside: u64 = 0;
  let carry: u64 = 0;
  for (; at < end; at += 64) {
    const backslashes = byteMask(at, BACKSLASH);
    let quotes = byteMask(at, QUOTE);
    if (backslashes | carry) {
      const starts = backslashes & ~carry;
      quotes &= ~escapedMask(starts, carry);
      carry = endsEscaping(starts);
    }
    const strings = prefixXor(quotes) ^ inside;
    inside = <u64>((<i64>strings) >> 63);
    let kept = ~strings;
    if (end - at < 64) kept &= ((<u64>1) << (end - at)) - 1;
    const opened = bracketMask(at, OBJECT_OPEN) & kept;
    const closed = bracketMask(at, OBJECT_CLOSE) & kept;
    const closings = <i32>popcnt(closed);
    if (closings >= depth) {
      const last = lastClosing(opened, closed, depth);
      if (last >= 0) return at + <usize>last + 1;
    }
    depth += <i32>popcnt(opened) - closings;
  }
  return 0;
}

/**
 * Bit of the closing bracket that ends the outermost of `depth` containers, -1 when it is not among these
 * bits.
 */
function lastClosing(opened: u64, closed: u64, depth: i32): i32 {
  for (; closed; closed &= closed - 1) {
    const bit = ctz(closed);
    if (depth + <i32>popcnt(opened & (((<u64>1) << bit) - 1)) == 1) return <i32>bit;
    depth--;
  }
  return -1;
}

/** Bits of the 64 bytes at `at` that equal `byte`. */
function byteMask(at: usize, byte: u32): u64 {
  const wanted = i8x16.splat(<i8>byte);
  return join(
    i8x16.bitmask(i8x16.eq(v128.load(at), wanted)),
    i8x16.bitmask(i8x16.eq(v128.load(at, 16), wanted)),
    i8x16.bitmask(i8x16.eq(v128.load(at, 32), wanted)),
    i8x16.bitmask(i8x16.eq(v128.load(at, 48), wanted)),
  );
}

/** The same for both brackets that fold to `bracket`. */
function bracketMask(at: usize, bracket: u32): u64 {
  const fold = i8x16.splat(<i8>BRACKET_FOLD);
  const wanted = i8x16.splat(<i8>bracket);
  return join(
    i8x16.bitmask(i8x16.eq(v128.or(v128.load(at), fold), wanted)),
    i8x16.bitmask(i8x16.eq(v128.or(v128.load(at, 16), fold), wanted)),
    i8x16.bitmask(i8x16.eq(v128.or(v128.load(at, 32), fold), wanted)),
    i8x16.bitmask(i8x16.eq(v128.or(v128.load(at, 48), fold), wanted)),
  );
}

function join(a: i32, b: i32, c: i32, d: i32): u64 {
  return <u64>a | ((<u64>b) << 16) | ((<u64>c) << 32) | ((<u64>d) << 48);
}

/**
 * Characters that are escaped by a backslash before them. `starts` are the backslashes that are not
 * themselves escaped by the previous block, `carry` is 1 when the first character is. In each run of
 * backslashes every second one escapes: an addition carries from the start of a run to the character after
 * it, and the parity of both tells which.
 */
function escapedMask(starts: u64, carry: u64): u64 {
  const EVEN: u64 = 0x5555555555555555;
  const follows = (starts << 1) | carry;
  const oddStarts = starts & ~EVEN & ~follows;
  return (EVEN ^ ((oddStarts + starts) << 1)) & follows;
}

/** 1 when the first character of the next block is escaped: a run of odd length ends with this block. */
function endsEscaping(starts: u64): u64 {
  return clz(~starts) & 1;
}

/** Bit n of the result: parity of the bits 0 .. n. */
function prefixXor(bits: u64): u64 {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  return bits ^ (bits << 32);
}
