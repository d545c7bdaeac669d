// Cuts a stream of bytes into pieces for a LineReader: at most PIECE_BYTES_MAX long, never inside a UTF-8
// character, checked to be UTF-8, and copied, because readers write to them. Used by payload.ts.
import { isUtf8 } from "node:buffer";
import type { TarsierError } from "../errors.ts";
import { FIRST_BYTES, malformed, type PayloadFormat, PIECE_BYTES_MAX } from "./lines.ts";

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** A UTF-8 character has at most one byte more than this. */
const UNFINISHED_BYTES_MAX = 3;
/** Most bytes that a reader holds back: the digits of an escape, and a second one but for its last two. */
const HELD_BYTES_MAX = 7;

export class PieceCutter {
  readonly #format: PayloadFormat;
  #piece = new Uint8Array(FIRST_BYTES);
  /** What the next piece begins with: bytes that were held back, and those of a character that goes on. */
  readonly #unfinished = new Uint8Array(HELD_BYTES_MAX + UNFINISHED_BYTES_MAX);
  #unfinishedLength = 0;
  /** Bytes in the pieces handed out so far. */
  #offset = 0;

  constructor(format: PayloadFormat) {
    this.#format = format;
  }

  /**
   * Takes bytes of the chunk from `start` on. Returns a view that is valid until the next call, its offset in
   * the body, and where the rest of the chunk starts.
   * @throws TarsierError malformed_payload for bytes that are not UTF-8
   */
  cut(chunk: Uint8Array, start: number): { piece: Uint8Array; offset: number; next: number } {
    const kept = this.#unfinishedLength;
    const next = Math.min(chunk.length, start + PIECE_BYTES_MAX - kept);
    if (kept + next - start > this.#piece.length) this.#piece = new Uint8Array(PIECE_BYTES_MAX);
    this.#piece.set(this.#unfinished.subarray(0, kept));
    this.#piece.set(chunk.subarray(start, next), kept);
    const filled = kept + next - start;
    const length = filled - unfinishedBytes(this.#piece, filled);
    this.#unfinished.set(this.#piece.subarray(length, filled));
    this.#unfinishedLength = filled - length;
    const piece = this.#piece.subarray(0, length);
    if (!isUtf8(piece)) throw this.#refuse(piece);
    const offset = this.#offset;
    this.#offset += length;
    return { piece, offset, next };
  }

  /** Lets the next piece begin with these last bytes of the latest one. */
  holdBack(bytes: Uint8Array): void {
    this.#unfinished.copyWithin(bytes.length, 0, this.#unfinishedLength);
    this.#unfinished.set(bytes);
    this.#unfinishedLength += bytes.length;
    this.#offset -= bytes.length;
  }

  /** Ends the body: throws if that is inside a character. */
  end(): void {
    const rest = this.#unfinished.subarray(0, this.#unfinishedLength);
    if (!isUtf8(rest)) throw this.#refuse(rest);
  }

  #refuse(piece: Uint8Array): TarsierError {
    const place = `byte offset ${this.#offset + validBytes(piece)}`;
    return malformed(this.#format, place, "found bytes that are not UTF-8");
  }
}

/**
 * Length of the byte order mark at the start of a body: some systems write one into each file; it carries no
 * meaning.
 */
export function markLength(piece: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, at) => piece[at] === byte) ? BYTE_ORDER_MARK.length : 0;
}

/** Number of bytes at the end that begin a character without completing it. */
function unfinishedBytes(bytes: Uint8Array, length: number): number {
  for (let back = 1; back <= Math.min(UNFINISHED_BYTES_MAX, length); back++) {
    const byte = bytes[length - back];
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/** Number of bytes before the first one that is not UTF-8; for messages. */
function validBytes(bytes: Uint8Array): number {
  let [valid, broken] = [0, bytes.length];
  while (broken - valid > 1) {
    const middle = (valid + broken) >> 1;
    if (isUtf8(bytes.subarray(0, middle - unfinishedBytes(bytes, middle)))) valid = middle;
    else broken = middle;
  }
  return valid - unfinishedBytes(bytes, valid);
}
