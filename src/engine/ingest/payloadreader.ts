// Reads a payload (NDJSON, one document a line) in pieces that fit into the core's memory: all of it once in
// order for the ids, then single documents by their place. Called by changes.ts, contents.ts and, for the
// first document, batchdocuments.ts.
import type { Core } from "../../core/core.ts";
import { Region } from "../../core/region.ts";
import { TarsierError } from "../../errors.ts";
import { DOCUMENT_BYTES_MAX } from "../../limits.ts";
import { formatSize } from "../../sizes.ts";
import type { ReadableFile } from "../../storage/storage.ts";
import { forDocument } from "./largedocument.ts";

/** Bytes read at a time; a longer document gets a longer piece. */
const PIECE_BYTES = 1024 * 1024;
/**
 * Bytes read for a document that does not follow the previous one; doubled each time while documents do
 * follow.
 */
const JUMP_BYTES = 16 * 1024;
const LINE_FEED = 10;

/** Whole lines of a payload in the core's memory. */
export interface Piece {
  pointer: number;
  length: number;
  /** Place of the first byte in the payload. */
  offset: number;
}

export class PayloadReader {
  readonly #core: Core;
  readonly #region: Region;
  readonly #file: ReadableFile;
  readonly #documentBytesMax: number;
  readonly size: number;
  #window: Piece = { pointer: 0, length: 0, offset: 0 };

  constructor(core: Core, file: ReadableFile, documentBytesMax = DOCUMENT_BYTES_MAX) {
    this.#core = core;
    this.#region = new Region(core);
    this.#file = file;
    this.#documentBytesMax = documentBytesMax;
    this.size = this.#file.size;
  }

  /**
   * The payload from first to last byte. Each piece is valid until the next one is asked for.
   * @throws TarsierError `document_too_large`
   */
  *pieces(): Generator<Piece> {
    for (let offset = 0; offset < this.size; ) {
      let bytes = PIECE_BYTES;
      let length = this.#lines(offset, bytes);
      while (length === 0) {
        if (bytes >= this.#documentBytesMax) throw this.#tooLarge(offset);
        bytes = Math.min(2 * bytes, this.#documentBytesMax);
        length = this.#lines(offset, bytes);
      }
      yield { pointer: this.#region.pointer, length, offset };
      offset += length;
    }
  }

  /** Address of the document at a place, valid until the next call. */
  locate(offset: number, length: number): number {
    const { offset: start, length: held } = this.#window;
    if (offset < start || offset + length > start + held) {
      const follows = offset >= start && offset <= start + held + JUMP_BYTES;
      const ahead = follows ? Math.min(PIECE_BYTES, 2 * held) : JUMP_BYTES;
      const bytes = Math.min(Math.max(ahead, JUMP_BYTES, length), this.size - offset);
      this.#window = { pointer: this.#read(offset, bytes), length: bytes, offset };
    }
    return this.#window.pointer + offset - this.#window.offset;
  }

  /** Gives back its memory; later calls read again. */
  release(): void {
    this.#region.free();
    this.#window = { pointer: 0, length: 0, offset: 0 };
  }

  close(): void {
    this.release();
    this.#file.close();
  }

  /** Reads a piece; returns its bytes up to the end of its last whole line, 0 when not even one line fits. */
  #lines(offset: number, bytes: number): number {
    const wanted = Math.min(bytes, this.size - offset);
    const pointer = this.#read(offset, wanted);
    if (offset + wanted === this.size) return wanted;
    return this.#core.u8.subarray(pointer, pointer + wanted).lastIndexOf(LINE_FEED) + 1;
  }

  #tooLarge(offset: number): TarsierError {
    const place = `The document at byte ${offset} of the payload`;
    const reason = `it has more than the limit of ${formatSize(this.#documentBytesMax)}`;
    return new TarsierError("document_too_large", { place, reason });
  }

  #read(offset: number, bytes: number): number {
    const pointer = forDocument(bytes, null, () => this.#region.ensure(bytes));
    const read = this.#file.readInto(this.#core.u8.subarray(pointer, pointer + bytes), offset);
    if (read !== bytes) throw new Error(`payload ended at ${offset + read} instead of ${this.size}`);
    this.#window = { pointer: 0, length: 0, offset: 0 };
    return pointer;
  }
}
