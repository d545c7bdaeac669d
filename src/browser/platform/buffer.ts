// The class Buffer for browsers: tools/bundle.mjs gives it to every file that uses the global one. The
// package decodes UTF-8 byte by byte in JavaScript; longer texts are left to the browser.
import { Buffer } from "buffer/index.js";
import { decodeUtf8 } from "./utf8.ts";

/** Decoding shorter texts costs less than a call of the browser. */
const DECODED_BYTES_MIN = 24;

const { toString: toText } = Buffer.prototype;
Buffer.prototype.toString = function (this: Buffer, encoding?: BufferEncoding, start?: number, end?: number) {
  const isPlain = (encoding === undefined || encoding === "utf8") && start === undefined && end === undefined;
  if (isPlain && this.length >= DECODED_BYTES_MIN) return decodeUtf8(this);
  return toText.call(this, encoding, start, end);
};

export { Buffer };
