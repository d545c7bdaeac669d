// Reads a file from beginning to end, piece by piece. Used by everything that copies, packs or sends one.
import type { ReadableFile } from "./storage.ts";

/** Bytes read at a time. */
export const PIECE_BYTES = 256 * 1024;

/**
 * The first bytes of a file. The caller closes the file. `buffer`: PIECE_BYTES in which each piece is valid
 * until the next one is read. Default: each piece gets memory of its own.
 */
export function* piecesOf(
  file: ReadableFile,
  size: number,
  from = 0,
  buffer?: Buffer,
): Generator<Uint8Array> {
  for (let offset = from; offset < size; ) {
    const length = Math.min(PIECE_BYTES, size - offset);
    // Not zeroed first: that takes longer than reading.
    const piece = buffer?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
    const read = file.readInto(piece, offset);
    if (read === 0) throw new Error(`a file ended at byte ${offset} of ${size}`);
    yield piece.subarray(0, read);
    offset += read;
  }
}
