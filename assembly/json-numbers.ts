// Decides whether the text of a JSON number already is the text under which it is searched (called by
// json-walker.ts): 64-bit integers as written, all others the shortest decimal that reads back as the same
// double, with a point or an exponent. Only what the characters alone show is decided here; the host prints
// the rest (`number` of env.ts).

const MINUS: u32 = 0x2d;
const DOT: u32 = 0x2e;
const ZERO: u32 = 0x30;
/** Numbers of this many digits always fit into an i64. */
const INTEGER_DIGITS_SAFE: usize = 18;
/** This many significant digits survive decimal -> double -> shortest decimal. */
const FLOAT_DIGITS_SAFE: usize = 15;
/** With more zeros between the point and the first other digit, the printed form has an exponent. */
const LEADING_ZEROS_MAX: usize = 4;

/** True when the number is printed exactly as written; false when that takes a closer look. */
export function isPrinted(text: usize, length: i32): bool {
  const end = text + <usize>length;
  const digits = <u32>load<u8>(text) == MINUS ? text + 1 : text;
  const point = digitsEnd(digits, end);
  // Leading zeros are not JSON: so a first zero is the whole integer part.
  const zero = <u32>load<u8>(digits) == ZERO;
  if (point == end) return end - digits <= INTEGER_DIGITS_SAFE && !(zero && digits > text);
  if (<u32>load<u8>(point) != DOT || digitsEnd(point + 1, end) != end) return false;
  if (end - digits - 1 > FLOAT_DIGITS_SAFE) return false;
  if (end == point + 2) return true;
  if (<u32>load<u8>(end - 1) == ZERO) return false;
  return !zero || zerosEnd(point + 1, end) - point - 1 <= LEADING_ZEROS_MAX;
}

function digitsEnd(at: usize, end: usize): usize {
  while (at < end && <u32>load<u8>(at) - ZERO <= 9) at++;
  return at;
}

function zerosEnd(at: usize, end: usize): usize {
  while (at < end && <u32>load<u8>(at) == ZERO) at++;
  return at;
}
