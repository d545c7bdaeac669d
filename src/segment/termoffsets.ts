// Section `offsets` of a segment that is being written: where the posting list and the occurrences of each
// term begin in their sections, and where the last ones end. Used by builder.ts and termmerge.ts; the layout
// is drawn in assembly/term-starts.ts.
import type { Core } from "../core/core.ts";
import { Table } from "../core/table.ts";
import { BLOCK_SHIFT, blocksOf, PLACE_BITS, PLACE_OFFSET, ROW_BYTES, UNIT_BYTES } from "./termstarts.ts";
import type { SegmentWriter } from "./writer.ts";

const BLOCK_STARTS = 2 ** BLOCK_SHIFT;
/** Room for the rests of a block: of two kinds, at most 32 bits each. */
const RESTS_BYTES_MAX = 2 * 4 * BLOCK_STARTS;

export class TermOffsets {
  readonly #core: Core;
  readonly #postings: Table;
  readonly #positions: Table;
  #postingBytes = 0;
  #positionBytes = 0;

  constructor(core: Core) {
    this.#core = core;
    this.#postings = new Table(core, 1);
    this.#positions = new Table(core, 1);
  }

  /** Number of terms. */
  get terms(): number {
    return this.#postings.length;
  }

  /** Appends a term, given the bytes of its list and of its occurrences. */
  add(postingBytes: number, positionBytes: number): void {
    this.#postings.append(this.#postingBytes);
    this.#positions.append(this.#positionBytes);
    this.#postingBytes += postingBytes;
    this.#positionBytes += positionBytes;
  }

  /** Writes the section and gives the memory back. */
  writeTo(writer: SegmentWriter): void {
    const blocks = blocksOf(this.terms);
    // The end of the last lists.
    this.add(0, 0);
    const room = this.#core.take(RESTS_BYTES_MAX);
    try {
      writer.beginSection("offsets");
      this.#writeRows(writer, blocks);
      for (let block = 0; block < blocks; block++)
        for (const starts of [this.#postings, this.#positions]) this.#writeRests(writer, starts, block, room);
      writer.endSection();
    } finally {
      this.#core.give(room, RESTS_BYTES_MAX);
    }
    this.free();
  }

  free(): void {
    this.#postings.free();
    this.#positions.free();
  }

  #writeRows(writer: SegmentWriter, blocks: number): void {
    const bytes = new Uint8Array(ROW_BYTES);
    const row = new DataView(bytes.buffer);
    let place = 0;
    for (let block = 0; block <= blocks; block++) {
      const isBlock = block < blocks;
      const widths = [this.#postings, this.#positions].map((starts, kind) => {
        const { first, width } = isBlock ? this.#blockOf(starts, block) : NO_BLOCK;
        row.setUint32(4 * kind, first, true);
        return width;
      });
      row.setUint32(PLACE_OFFSET, widths[0] * 2 ** PLACE_BITS + place, true);
      place += widths[0] + widths[1];
      writer.append(bytes);
    }
  }

  /** A unit holds one bit of each of 64 rests, so a block takes as many units as its rests have bits. */
  #writeRests(writer: SegmentWriter, starts: Table, block: number, room: number): void {
    const { u32 } = this.#core;
    const { at, count, first, width } = this.#blockOf(starts, block);
    u32.fill(0, room / 4, room / 4 + BLOCK_STARTS);
    for (let i = 0; i < count; i++) u32[room / 4 + i] = u32[at + i] - first;
    const packed = room + 4 * BLOCK_STARTS;
    this.#core.exports.bitsWrite(room, BLOCK_STARTS, width, packed);
    writer.appendFrom(packed, width * UNIT_BYTES);
  }

  /** The starts of a block are contiguous: chunks of tables contain whole blocks. */
  #blockOf(starts: Table, block: number): { at: number; count: number; first: number; width: number } {
    const { u32 } = this.#core;
    const from = block * BLOCK_STARTS;
    const count = Math.min(BLOCK_STARTS, starts.length - from);
    const at = starts.at(from);
    const first = u32[at];
    return { at, count, first, width: 32 - Math.clz32(u32[at + count - 1] - first) };
  }
}

const NO_BLOCK = { first: 0, width: 0 };
