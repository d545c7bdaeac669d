// Numbers of JSON documents as the host reads and prints them for the kernels that walk documents: core.ts
// hands them to the core, as its imports `double` and `number`.
import { DECIMAL } from "../decimals.ts";
import { decodeUtf8 } from "./utf8.ts";

export const PRINTED_BYTES_MAX = 32;

/** Longer integers exceed 64 bits. */
const INTEGER = /^-?\d{1,20}$/;

/**
 * The `double` import: a JSON number, or the content of a JSON string, as a double; infinite when out of
 * range, NaN when it is no number.
 */
export function readDouble(memory: Uint8Array, text: number, length: number): number {
  const raw = decodeUtf8(memory.subarray(text, text + length));
  const number = raw.includes("\\") ? unescaped(raw) : raw;
  return DECIMAL.test(number) ? Number(number) : Number.NaN;
}

/** Empty when the text is no JSON string. */
function unescaped(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return "";
  }
}

/**
 * The `number` import: prints the JSON number at `text` to `out`, at most PRINTED_BYTES_MAX bytes; 0 bytes
 * when it is not finite.
 */
export function printNumber(memory: Uint8Array, text: number, length: number, out: number): number {
  const printed = printedNumber(decodeUtf8(memory.subarray(text, text + length)));
  for (let i = 0; i < printed.length; i++) memory[out + i] = printed.charCodeAt(i);
  return printed.length;
}

/**
 * Integers of 64 bits unchanged; all others as the shortest decimal that reads back the same, see `layOut`.
 */
export function printedNumber(text: string): string {
  if (INTEGER.test(text) && text !== "-0") {
    const integer = BigInt(text);
    if (BigInt.asIntN(64, integer) === integer || BigInt.asUintN(64, integer) === integer) return text;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return "";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  // Without an argument this gives as many digits as are needed to read back the same number.
  const [digits, exponent] = Math.abs(value).toExponential().split("e");
  return (value < 0 ? "-" : "") + layOut(digits.replace(".", ""), Number(exponent) + 1);
}

/**
 * Digits with the point after the first `point` of them; with an exponent when `point` is above 16 or below
 * -4.
 */
function layOut(digits: string, point: number): string {
  if (point > 0 && point <= 16) {
    return `${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point) || "0"}`;
  }
  if (point > -5 && point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  const exponent = point > 0 ? `+${point - 1}` : point - 1;
  return `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${exponent}`;
}
