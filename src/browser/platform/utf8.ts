// Replaces src/core/utf8.ts in browsers. These refuse to decode and encode in memory that threads share, so
// such bytes are copied first.

export function decodeUtf8(bytes: Uint8Array): string {
  // Not `slice`: that of a Buffer copies nothing.
  return decoder.decode(isShared(bytes) ? new Uint8Array(bytes) : bytes);
}

export function encodeUtf8Into(text: string, target: Uint8Array): { read: number; written: number } {
  if (!isShared(target)) return encoder.encodeInto(text, target);
  const most = Math.min(target.length, text.length * UNIT_BYTES_MAX);
  if (copy.length < most) copy = new Uint8Array(most);
  const done = encoder.encodeInto(text, copy.subarray(0, most));
  target.set(copy.subarray(0, done.written));
  return done;
}

/** Most bytes of UTF-8 for one code unit of a string. */
const UNIT_BYTES_MAX = 3;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
let copy = new Uint8Array(4096);

/** Without isolation headers such memory does not exist, and neither does its class. */
const isShared = ({ buffer }: Uint8Array): boolean => !(buffer instanceof ArrayBuffer);
