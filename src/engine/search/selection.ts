// Yields candidates in order of sort keys, a stretch at a time: those with the smallest keys are picked and
// sorted, the others wait until they are needed. Called by valueorder.ts and geosort.ts. Kernels:
// assembly/selection.ts.
import type { Core } from "../../core/core.ts";
import type { Scratch } from "../../core/scratch.ts";

/** Size of the first stretch; below: each further one is this many times as large. */
export const STRETCH_FIRST = 256;
export const STRETCH_GROWTH = 4;

/** Addresses of docids and keys, u32 each, ascending by docid. */
export interface Candidates {
  docids: number;
  keys: number;
  count: number;
}

export interface Stretch {
  /** Ascending by key, then docid. */
  keys: Uint32Array;
  docids: Uint32Array;
  /** All keys below this one have been handed out. */
  bound: number;
}

export class Selection {
  readonly #core: Core;
  readonly #scratch: Scratch;
  readonly #candidates: Candidates;
  readonly #last: number;
  #from: number;
  #wanted = STRETCH_FIRST;

  /** Only candidates with keys from `first` to `last` are yielded. `last` is below 2^32 - 1. */
  constructor(core: Core, scratch: Scratch, candidates: Candidates, last: number, first = 0) {
    this.#core = core;
    this.#scratch = scratch;
    this.#candidates = candidates;
    this.#last = last;
    this.#from = first;
  }

  /** The next candidates, with all that share a key; null at the end. */
  next(): Stretch | null {
    const { selectBound, selectCount, selectPairs, selectSort } = this.#core.exports;
    const { docids, keys, count } = this.#candidates;
    if (count === 0 || this.#from > this.#last) return null;
    const from = this.#from;
    const bound = selectBound(keys, count, from, this.#last, this.#wanted) >>> 0;
    const found = selectCount() >>> 0;
    this.#from = bound;
    this.#wanted *= STRETCH_GROWTH;
    if (found === 0) return null;
    const mark = this.#scratch.mark();
    const pairs = this.#scratch.alloc(8 * found);
    const spare = this.#scratch.alloc(8 * found);
    selectPairs(keys, docids, count, from, bound, pairs);
    // Candidates with the same key already are in order of their docids.
    if (bound - from > 1) selectSort(pairs, found, spare);
    const stretch = { keys: new Uint32Array(found), docids: new Uint32Array(found), bound };
    const { u32 } = this.#core;
    for (let i = 0, at = pairs / 4; i < found; i++, at += 2) {
      stretch.docids[i] = u32[at];
      stretch.keys[i] = u32[at + 1];
    }
    this.#scratch.release(mark);
    return stretch;
  }
}
