// Texts in the memory of a core. Browsers refuse to decode and encode in memory that threads share: there,
// src/browser/platform/utf8.ts replaces this file.

/** Bytes as text; invalid ones become U+FFFD, and a byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Writes as many whole characters of a text as fit. */
export function encodeUtf8Into(text: string, target: Uint8Array): { read: number; written: number } {
  return encoder.encodeInto(text, target);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
