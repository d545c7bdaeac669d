// Reads vectors in JSON, a list of numbers or a list of such lists, as f32 without making each a number of
// the host. Called by src/core/json.ts for `_vectors` of documents.
//
// A number is first computed as a double that may be off by some units in the last place (its first 19
// digits, at most two operations with exact powers of ten), and then rounded to f32. The result is the same
// as for the exact double, unless the double is within that error of the middle between two f32: then, and
// outside of the range of normal f32, the host reads the number. Eight digits are read at a time (W. Muła, D.
// Lemire, "Quickly parsing eight digits").
import { double } from "./env";
import { POWER_MAX, powerOfTen } from "./json-double";

const OPEN: u32 = 0x5b;
const CLOSE: u32 = 0x5d;
const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const PLUS: u32 = 0x2b;
const DOT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const LETTER_E: u32 = 0x65;
const LOWER_CASE: u32 = 0x20;

/** Not a list of numbers, or one that needs a closer look. */
const OTHER: i32 = -1;
/** Numbers of this many digits always fit into a u64. */
const DIGITS_MAX: i32 = 19;
/** Larger exponents are all treated alike. */
const EXPONENT_MAX: i32 = 9999;
/** Range of exponents, as in doubles: below it, an f32 has fewer digits; above it, rounding may overflow. */
const EXPONENT_FIRST: u32 = 1023 - 126;
const EXPONENT_LAST: u32 = 1023 + 126;
/**
 * Bits of a double that an f32 lacks; below, their value half-way between two f32, and the error of a double.
 */
const REST_BITS: u64 = 0x1fffffff;
const HALF_WAY: u64 = 0x10000000;
const DOUBT: u64 = 8;

/** Number of lists inside the outer one, after a call of jsonVectors; 0 when it contains numbers itself. */
let lists: i32 = 0;
/** Second result of readNumber: the address after the number. */
let numberEnd: usize = 0;

export function jsonVectorLists(): i32 {
  return lists;
}

/**
 * Writes the numbers of a JSON array as f32 to `out`, which has room for half as many as the text has bytes,
 * and one more; returns how many, or -1 when it contains anything but numbers or lists of equally many
 * numbers, or a number beyond f32.
 */
export function jsonVectors(text: usize, length: i32, out: usize): i32 {
  const end = text + <usize>length;
  const start = out;
  lists = 0;
  if (length == 0 || <u32>load<u8>(text) != OPEN) return OTHER;
  let at = behindSpace(text + 1, end);
  if (at >= end) return OTHER;
  if (<u32>load<u8>(at) == CLOSE) return 0;
  const isNested = <u32>load<u8>(at) == OPEN;
  let first: usize = 0;
  while (at < end) {
    const from = out;
    if (isNested) {
      if (<u32>load<u8>(at) != OPEN) return OTHER;
      at = behindSpace(at + 1, end);
    }
    while (at < end) {
      const value = readNumber(at, end);
      if (!isFinite<f32>(value)) return OTHER;
      store<f32>(out, value);
      out += 4;
      at = behindSpace(numberEnd, end);
      if (at >= end || <u32>load<u8>(at) != COMMA) break;
      at = behindSpace(at + 1, end);
    }
    if (at >= end || <u32>load<u8>(at) != CLOSE) return OTHER;
    if (!isNested) return <i32>((out - start) >> 2);
    if (lists++ == 0) first = out - from;
    else if (out - from != first) return OTHER;
    at = behindSpace(at + 1, end);
    if (at < end && <u32>load<u8>(at) == CLOSE) return <i32>((out - start) >> 2);
    if (at >= end || <u32>load<u8>(at) != COMMA) return OTHER;
    at = behindSpace(at + 1, end);
  }
  return OTHER;
}

function behindSpace(at: usize, end: usize): usize {
  while (at < end && <u32>load<u8>(at) <= 0x20) at++;
  return at;
}

/** The number at `text`; not finite when there is none, or it does not fit into an f32. */
function readNumber(text: usize, end: usize): f32 {
  let at = text + <usize>(<u32>load<u8>(text) == MINUS);
  let digits: u64 = 0;
  let count = 0;
  let power = 0;
  const integer = at;
  for (; at < end; at++) {
    const digit: u32 = <u32>load<u8>(at) - ZERO;
    if (digit > 9) break;
    if (count == DIGITS_MAX) power++;
    else {
      digits = digits * 10 + digit;
      count += i32(digits != 0);
    }
  }
  if (at == integer) return NaN;
  if (at < end && <u32>load<u8>(at) == DOT) {
    at++;
    // Leading zeros do not count as digits.
    for (; digits == 0 && at < end && <u32>load<u8>(at) == ZERO; at++) power--;
    for (; at + 8 <= end && count + 8 <= DIGITS_MAX; at += 8) {
      const eight = load<u64>(at);
      if (!areDigits(eight)) break;
      digits = digits * 100000000 + valueOfEight(eight);
      count += 8;
      power -= 8;
    }
    for (; at < end; at++) {
      const digit: u32 = <u32>load<u8>(at) - ZERO;
      if (digit > 9) break;
      if (count == DIGITS_MAX) continue;
      digits = digits * 10 + digit;
      count += i32(digits != 0);
      power--;
    }
  }
  let exponent = 0;
  if (at < end && (<u32>load<u8>(at) | LOWER_CASE) == LETTER_E) {
    at++;
    const sign: u32 = at < end ? load<u8>(at) : 0;
    if (sign == MINUS || sign == PLUS) at++;
    for (; at < end; at++) {
      const digit: u32 = <u32>load<u8>(at) - ZERO;
      if (digit > 9) break;
      exponent = min(exponent * 10 + <i32>digit, EXPONENT_MAX);
    }
    power += sign == MINUS ? -exponent : exponent;
  }
  numberEnd = at;
  const value = digits == 0 ? 0 : scaled(<f64>digits, power);
  const isSure = digits == 0 || (exponent < EXPONENT_MAX && isClear(value));
  if (!isSure) return <f32>double(text, <i32>(at - text));
  return <f32>(integer > text ? -value : value);
}

function areDigits(eight: u64): bool {
  const high: u64 = 0xf0f0f0f0f0f0f0f0;
  const zeros: u64 = 0x3030303030303030;
  return (eight & high) == zeros && ((eight + 0x0606060606060606) & high) == zeros;
}

/** Neighbours are combined: digits into pairs, pairs into fours, and those into eight. */
function valueOfEight(eight: u64): u64 {
  let pairs = eight - 0x3030303030303030;
  pairs = pairs * 10 + (pairs >> 8);
  const mask: u64 = 0x000000ff000000ff;
  return ((pairs & mask) * 0x000f424000000064 + ((pairs >> 16) & mask) * 0x0000271000000001) >> 32;
}

/** NaN when this would take more than two operations. */
function scaled(digits: f64, power: i32): f64 {
  if (power >= 0) return power > POWER_MAX ? NaN : digits * powerOfTen(power);
  if (power >= -POWER_MAX) return digits / powerOfTen(-power);
  return power < -2 * POWER_MAX ? NaN : digits / powerOfTen(POWER_MAX) / powerOfTen(-power - POWER_MAX);
}

/** Is it rounded to the same f32 as all doubles within the error? */
function isClear(value: f64): bool {
  const bits = reinterpret<u64>(value);
  const exponent = <u32>(bits >> 52);
  const rest = bits & REST_BITS;
  const isInRange = exponent >= EXPONENT_FIRST && exponent <= EXPONENT_LAST;
  return isInRange && (rest < HALF_WAY - DOUBT || rest > HALF_WAY + DOUBT);
}
