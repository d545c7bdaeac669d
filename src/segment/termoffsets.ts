// Section `offsets` of a segment in the making: where the posting list and the occurrences of each term begin
// in their sections, and where the last ones end. Used by builder.ts and termmerge.ts.
import type { Core } from "../core/core.ts";
import { Table } from "../core/table.ts";
import type { SegmentWriter } from "./writer.ts";

export class TermOffsets {
  readonly #postings: Table;
  readonly #positions: Table;
  #postingBytes = 0;
  #positionBytes = 0;

  constructor(core: Core) {
    this.#postings = new Table(core, 1);
    this.#positions = new Table(core, 1);
  }

  /** Number of terms. */
  get terms(): number {
    return this.#postings.length;
  }

  /** Appends a term, by the bytes of its list and of its occurrences. */
  add(postingBytes: number, positionBytes: number): void {
    this.#postings.append(this.#postingBytes);
    this.#positions.append(this.#positionBytes);
    this.#postingBytes += postingBytes;
    this.#positionBytes += positionBytes;
  }

  /** Writes the section and gives the memory back. */
  writeTo(writer: SegmentWriter): void {
    this.#postings.append(this.#postingBytes);
    this.#positions.append(this.#positionBytes);
    writer.writeTable("offsets", [this.#postings, this.#positions]);
    this.free();
  }

  free(): void {
    this.#postings.free();
    this.#positions.free();
  }
}
