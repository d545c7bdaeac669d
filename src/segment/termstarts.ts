// Where the posting lists and the occurrences of the terms of a segment begin: section `offsets`, in both of
// its forms. Read by termlists.ts, termcursor.ts and segmentcheck.ts.
//
// Plain, up to format 3: u32 start of each term's postings, one closing; then the same for its occurrences.
// Packed: see assembly/term-starts.ts.
import type { Core } from "../core/core.ts";
import type { SegmentMeta } from "./format.ts";

export const POSTINGS = 0;
export const POSITIONS = 1;
export type ListKind = typeof POSTINGS | typeof POSITIONS;

/** Number of starts in a block, as a power of two. */
export const BLOCK_SHIFT = 6;
export const ROW_BYTES = 12;
/** Bits of the place in a row; its other bits are explained in assembly/term-starts.ts. */
export const PLACE_BITS = 26;
export const UNIT_BYTES = 8;
export const PLACE_OFFSET = 8;
const PLACE_MASK = 2 ** PLACE_BITS - 1;

export interface TermStarts {
  /** Bytes of the whole section. */
  readonly bytes: number;
  /** Where the list of term `from` begins in its section, and where the list of term `to` begins. */
  span(kind: ListKind, from: number, to: number): { start: number; end: number };
  /** Writes the starts of the terms `from` to `to` inclusive, u32 each, to `out`. */
  read(kind: ListKind, from: number, to: number, out: number): void;
}

/** Loads bytes of the section and returns their address in the core's memory. */
type Load = (offset: number, length: number) => number;

/** Opens the starts of the terms, including the end of the last list. */
export function openTermStarts(
  core: Core,
  { terms, packsStarts }: Pick<SegmentMeta, "terms" | "packsStarts">,
  load: Load,
): TermStarts {
  return packsStarts ? new PackedStarts(core, terms, load) : new PlainStarts(core, terms, load);
}

/** Number of blocks for the starts of this many terms. */
export const blocksOf = (terms: number): number => (terms >>> BLOCK_SHIFT) + 1;

class PlainStarts implements TermStarts {
  readonly bytes: number;
  readonly #core: Core;
  readonly #starts: number;
  readonly #load: Load;

  constructor(core: Core, terms: number, load: Load) {
    this.#core = core;
    this.#starts = terms + 1;
    this.#load = load;
    this.bytes = 8 * this.#starts;
  }

  span(kind: ListKind, from: number, to: number): { start: number; end: number } {
    const at = this.#located(kind, from, to);
    const { view } = this.#core;
    return { start: view.getUint32(at, true), end: view.getUint32(at + 4 * (to - from), true) };
  }

  read(kind: ListKind, from: number, to: number, out: number): void {
    this.#core.copy(out, this.#located(kind, from, to), 4 * (to - from + 1));
  }

  #located(kind: ListKind, from: number, to: number): number {
    return this.#load(4 * (kind * this.#starts + from), 4 * (to - from + 1));
  }
}

class PackedStarts implements TermStarts {
  readonly #core: Core;
  readonly #blocks: number;
  readonly #load: Load;

  constructor(core: Core, terms: number, load: Load) {
    this.#core = core;
    this.#blocks = blocksOf(terms);
    this.#load = load;
  }

  get bytes(): number {
    const last = this.#load(this.#blocks * ROW_BYTES, ROW_BYTES);
    return (this.#blocks + 1) * ROW_BYTES + this.#placeAt(last) * UNIT_BYTES;
  }

  span(kind: ListKind, from: number, to: number): { start: number; end: number } {
    const { rows, rests, units, at } = this.#located(from, to);
    const { termStart } = this.#core.exports;
    const start = termStart(rows, rests, units, at, kind) >>> 0;
    return { start, end: termStart(rows, rests, units, at + to - from, kind) >>> 0 };
  }

  read(kind: ListKind, from: number, to: number, out: number): void {
    const { rows, rests, units, at } = this.#located(from, to);
    this.#core.exports.termStarts(rows, rests, units, at, kind, to - from + 1, out);
  }

  /** Locates the rows and rests of the blocks of some terms. */
  #located(from: number, to: number): { rows: number; rests: number; units: number; at: number } {
    const block = from >>> BLOCK_SHIFT;
    const blocks = (to >>> BLOCK_SHIFT) - block + 1;
    const rows = this.#load(block * ROW_BYTES, (blocks + 1) * ROW_BYTES);
    const place = this.#placeAt(rows);
    const units = Math.max(0, this.#placeAt(rows + blocks * ROW_BYTES) - place);
    const restsAt = (this.#blocks + 1) * ROW_BYTES + place * UNIT_BYTES;
    const rests = units === 0 ? 0 : this.#load(restsAt, units * UNIT_BYTES);
    return { rows, rests, units, at: from - (block << BLOCK_SHIFT) };
  }

  #placeAt(row: number): number {
    return this.#core.view.getUint32(row + PLACE_OFFSET, true) & PLACE_MASK;
  }
}
