// What the readers of the three formats share: they turn pieces of a body into lines of a payload, one JSON
// object each, and put them into a LineSink, which payload.ts empties into the file.
import { TarsierError } from "../errors.ts";

export type PayloadFormat = "json" | "ndjson" | "csv";

/**
 * Reads one body. Pieces are at most PIECE_BYTES_MAX long, start at a multiple of 4 in their buffer and hold
 * whole UTF-8 characters.
 */
export interface LineReader {
  /** Number of documents so far. */
  readonly documents: number;
  /** Bytes at the end of the piece just read that must come once more, before those that follow. */
  readonly held: number;
  /**
   * Takes bytes of a piece from `start` on and returns where it stopped: at the end of the piece, or earlier
   * when the sink must be emptied first. It may write to the piece.
   * @throws TarsierError malformed_payload
   */
  read(piece: Uint8Array, start: number): number;
  /** Ends the body. Throws when the body must not end here. */
  end(): void;
}

export const PIECE_BYTES_MAX = 64 * 1024;
/** A sink with this many bytes must be emptied. */
const SINK_BYTES = 256 * 1024;

/** Buffers start small: most bodies are small, and one buffer is allocated for each. */
export const FIRST_BYTES = 4096;
/** Up to this length a loop copies faster than the call that copies in bulk. */
const SHORT_BYTES = 32;

/** Bytes on their way to the payload file. */
export class LineSink {
  bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  length = 0;

  get isFull(): boolean {
    return this.length >= SINK_BYTES;
  }

  /** Makes room for this many bytes after `length`. */
  reserve(bytes: number): void {
    if (this.length + bytes > this.bytes.length) this.bytes = enlarge(this.bytes, this.length + bytes);
  }

  /** Takes the bytes of [start, end). */
  append(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.reserve(end - start);
    this.length = copyBytes(bytes, start, end, this.bytes, this.length);
  }

  /** Empties the sink; the view is valid until the next append. */
  take(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

/** A copy of the bytes with room for `least`: at least twice as long, so that growing stays cheap. */
export function enlarge(bytes: Uint8Array, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, bytes.length * 2));
  larger.set(bytes);
  return larger;
}

/** Copies the bytes of [start, end) and returns where they end in the target. */
export function copyBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  place: number,
): number {
  if (end - start > SHORT_BYTES) target.set(bytes.subarray(start, end), place);
  else for (let at = start; at < end; at++) target[place + at - start] = bytes[at];
  return place + end - start;
}

/** Refusal of a body: its format, the place in it, and what is wrong there. */
export function malformed(format: PayloadFormat, place: string, problem: string): TarsierError {
  return new TarsierError("malformed_payload", { format, place, problem });
}

/** How a message shows an unexpected byte. */
export function showByte(byte: number): string {
  if (byte >= 0x80) return "a character beyond ASCII";
  return (
    NAMED_BYTES[byte] ?? (byte < 0x20 || byte === 0x7f ? `byte ${byte}` : `\`${String.fromCharCode(byte)}\``)
  );
}

const NAMED_BYTES: Record<number, string> = {
  9: "a tab",
  10: "a line feed",
  13: "a carriage return",
  32: "a blank",
};
