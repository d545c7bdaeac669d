// Views of columns (assembly/column-view.ts) with the codes that a test gives, in the memory of a core.
import { COLUMN_VIEW_FIELDS } from "../../src/core/columns.ts";
import type { Core } from "../../src/core/core.ts";
import { bitsOf } from "../../src/segment/columnformat.ts";
import type { CodesOfDocids } from "../twins/columncounts.ts";

const ROOM_BYTES = 1 << 14;

export class ColumnViews {
  readonly #core: Core;
  readonly #codes: number;
  readonly #starts: number;
  readonly #order: number;
  readonly #spare: number;
  readonly #view: number;

  constructor(core: Core) {
    this.#core = core;
    [this.#codes, this.#starts, this.#order, this.#spare] = Array.from({ length: 4 }, () =>
      core.reserve(ROOM_BYTES),
    );
    this.#view = core.reserve(4 * COLUMN_VIEW_FIELDS);
  }

  /**
   * Address of a view of documents, ascending, with some of `codes` codes each: at most one when `isSingle`.
   * The next call overwrites it.
   */
  lay(documents: CodesOfDocids, codes: number, isSingle: boolean): number {
    const docids = [...documents.keys()];
    const lists = [...documents.values()];
    const all = isSingle ? lists.map(([code = codes]) => code) : lists.flat();
    const ends = [0];
    for (const list of lists) ends.push(ends[ends.length - 1] + list.length);
    const [width, startWidth] = [bitsOf(codes), bitsOf(all.length + 2)];
    // Behind the last document there is what looks like another one, of which nothing may be read.
    this.#pack([...all, 0, 1], width, this.#codes);
    if (!isSingle) this.#pack([...ends, all.length + 2], startWidth, this.#starts);
    this.#core.u32.set([...docids, (docids.at(-1) ?? 0) + 1], this.#order / 4);
    const first = docids[0] ?? 0;
    const isGapless = docids.every((docid, i) => docid === first + i);
    const order = isGapless ? 0 : this.#order;
    const parts = [isSingle ? 0 : this.#starts, startWidth, docids.length, order, first];
    this.#core.u32.set([this.#codes, width, ...parts], this.#view / 4);
    return this.#view;
  }

  #pack(numbers: readonly number[], width: number, to: number): void {
    this.#core.u32.set(numbers, this.#spare / 4);
    this.#core.exports.bitsWrite(this.#spare, numbers.length, width, to);
  }
}
