// The value of a JSON number as a double. Numbers of few digits are computed here, by one exact operation
// (Clinger, "How to Read Floating Point Numbers Accurately", 1990: both operands are exact doubles); the host
// reads the others. Called for numbers in columns (json-values.ts).
import { double } from "./env";

const MINUS: u32 = 0x2d;
const DOT: u32 = 0x2e;
const ZERO: u32 = 0x30;
/** Numbers of this many digits are always below 2^53. */
const DIGITS_SAFE: i32 = 15;
/** Powers of ten up to this one are exact doubles, and so are their table's entries. */
export const POWER_MAX: i32 = 22;
const POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19, 1e20, 1e21, 1e22,
]);

/** The number at `text`, which is valid JSON; infinite when it is out of range. */
export function jsonDouble(text: usize, length: i32): f64 {
  const end = text + <usize>length;
  const isNegative = <u32>load<u8>(text) == MINUS;
  let digits: u64 = 0;
  let count = 0;
  let decimals = 0;
  let isDecimal = false;
  for (let at = text + <usize>isNegative; at < end; at++) {
    const byte: u32 = load<u8>(at);
    const digit = byte - ZERO;
    if (digit > 9) {
      // A second dot would not be JSON; anything else is an exponent.
      if (byte != DOT) return double(text, length);
      isDecimal = true;
      continue;
    }
    digits = digits * 10 + digit;
    // Leading zeros do not count as digits.
    count += i32(digits != 0);
    decimals += i32(isDecimal);
    if (count > DIGITS_SAFE || decimals > POWER_MAX) return double(text, length);
  }
  const value = <f64>digits / powerOfTen(decimals);
  return isNegative ? -value : value;
}

/** 10 to the power, which is 0 to POWER_MAX. */
export function powerOfTen(power: i32): f64 {
  return load<f64>(POWERS + (<usize>power << 3));
}
