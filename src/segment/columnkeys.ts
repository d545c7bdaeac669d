// Keys of values as in the dictionaries of columns (drawn in assembly/values.ts, but without the column):
// made for look-ups, and read back. Used by column.ts and by filters.
import { KIND_NUMBER, KIND_TEXT } from "../core/columns.ts";

/**
 * Marks where a text too long for a key was cut; it is followed by what distinguishes the text from others
 * with the same beginning (engine/filter/facettext.ts). No byte of UTF-8 is as large: so such a key sorts
 * after the keys of all shorter texts with the same beginning.
 */
export const TEXT_CUT = 0xfe;
const KEY_BYTES = 9;

/** Key of a finite number. */
export function keyOfNumber(number: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  // Both zeros are the same value.
  new DataView(key.buffer).setFloat64(1, number === 0 ? 0 : number);
  flip(key);
  key[0] = KIND_NUMBER;
  let length = KEY_BYTES;
  while (key[length - 1] === 0 && length > 1) length--;
  return key.subarray(0, length);
}

export function numberOfKey(key: Uint8Array): number {
  const bytes = new Uint8Array(KEY_BYTES);
  bytes.set(key);
  unflip(bytes);
  return new DataView(bytes.buffer).getFloat64(1);
}

/** Key of a text in normal form, as UTF-8. */
export function keyOfText(text: Uint8Array): Uint8Array {
  const key = new Uint8Array(1 + text.length);
  key[0] = KIND_TEXT;
  key.set(text, 1);
  return key;
}

/** The text, as far as the key holds it. */
export function textOfKey(key: Uint8Array): string {
  const end = key.indexOf(TEXT_CUT, 1);
  return Buffer.from(key.subarray(1, end < 0 ? key.length : end)).toString();
}

/** Turns the bytes of a double into bytes that sort in its order. */
function flip(key: Uint8Array): void {
  if (key[1] & 128) for (let i = 1; i < KEY_BYTES; i++) key[i] ^= 255;
  else key[1] ^= 128;
}

function unflip(key: Uint8Array): void {
  if (key[1] & 128) key[1] ^= 128;
  else for (let i = 1; i < KEY_BYTES; i++) key[i] ^= 255;
}
