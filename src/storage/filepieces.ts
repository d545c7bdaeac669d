// Reading a file from its beginning to its end, piece by piece. Called by all who copy, pack or send one.
import type { ReadableFile } from "./storage.ts";

/** Read at a time. */
export const PIECE_BYTES = 256 * 1024;

/**
 * The first bytes of a file. Whoever opened the file closes it. `buffer`: of PIECE_BYTES, where each piece is
 * good until the next one is read. Default: pieces have room of their own.
 */
export function* piecesOf(
  file: ReadableFile,
  size: number,
  from = 0,
  buffer?: Buffer,
): Generator<Uint8Array> {
  for (let offset = from; offset < size; ) {
    const length = Math.min(PIECE_BYTES, size - offset);
    // Not filled with zeros first: that takes longer than to read.
    const piece = buffer?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
    const read = file.readInto(piece, offset);
    if (read === 0) throw new Error(`a file ended at byte ${offset} of ${size}`);
    yield piece.subarray(0, read);
    offset += read;
  }
}
