// Finds the values of one segment for a facet search: those that begin with the query, or with something near
// it. Called by facetsearch.ts.
import { Dictionary } from "../../core/dictionary.ts";
import type { Column } from "../../segment/column.ts";
import { keyOfText } from "../../segment/columnkeys.ts";
import type { Deadline } from "../deadline.ts";
import type { ReaderShare } from "../reader.ts";
import type { CodeCounts } from "./counts.ts";
import { beginsNear, type FoldedTexts } from "./searchkeys.ts";
import type { ValueStream } from "./values.ts";

/** The values that a facet search finds in one segment. */
export interface SegmentMatches {
  readonly counts: CodeCounts;
  /** The values in order. */
  streams(): ValueStream[];
  /** Their codes, descending. */
  codes(): Iterable<number>;
  /** The bytes by which a value is ordered. */
  orderOf(code: number): Uint8Array;
}

/** What values are compared with. */
export interface FacetNeedle {
  /** The text, folded. */
  text: string;
  /** Number of typos allowed; null: only a value equal to the text is found. */
  budget: number | null;
}

/** Greater than any byte of UTF-8: sorts after everything that begins with a text. */
const BEHIND_TEXTS = 255;
const NEAR_WORDS_LEN = 256;

export class FacetMatches implements SegmentMatches {
  readonly counts: CodeCounts;
  readonly #column: Column;
  /** Codes [from, to) of the plain values that begin with the text. */
  readonly #range: [from: number, to: number];
  /** Ascending codes of the plain values that begin with something near it, outside the range. */
  readonly #near: readonly number[];
  readonly #keys: FoldedTexts;
  /** The values that are not plain, in order. */
  readonly #folded: readonly { code: number; order: Uint8Array }[];

  constructor(
    { core, deadline }: Pick<ReaderShare, "core" | "deadline">,
    counts: CodeCounts,
    needle: FacetNeedle,
    keys: FoldedTexts,
  ) {
    const { column } = counts;
    this.counts = counts;
    this.#column = column;
    const key = keyOfText(Buffer.from(needle.text));
    const { numbers, values } = column;
    if (needle.budget === null) {
      const code = column.find(key);
      this.#range = code < 0 ? [0, 0] : [code, code + 1];
    } else {
      const last = Buffer.concat([key, Uint8Array.of(BEHIND_TEXTS)]);
      this.#range = [Math.max(column.seek(key), numbers), Math.min(column.seek(last), values)];
    }
    const near = needle.budget ? nearCodes(new Dictionary(core, column.dictionary), key, needle.budget) : [];
    this.#near = near.filter((code) => code >= numbers && code < values);
    this.#keys = keys;
    this.#folded = this.#foldedMatches(needle, deadline);
  }

  streams(): ValueStream[] {
    const plain = this.#plain();
    const counts = this.counts;
    let code = -1;
    const plainStream: ValueStream = {
      counts,
      next: () => {
        const next = plain.next();
        code = next.done ? -1 : next.value;
        return code;
      },
      order: () => this.orderOf(code),
    };
    const folded = this.#folded;
    if (folded.length === 0) return [plainStream];
    let at = -1;
    const next = () => {
      do at++;
      while (at < folded.length && counts.of(folded[at].code) === 0);
      return folded[at]?.code ?? -1;
    };
    return [plainStream, { counts, next, order: () => folded[at].order }];
  }

  codes(): number[] {
    return [...this.#plain(), ...this.#folded.map(({ code }) => code)].sort((a, b) => b - a);
  }

  /** Search keys come first, then the values themselves. Plain values are their own key. */
  orderOf(code: number): Uint8Array {
    const text = this.#column.term(code).subarray(1);
    const key = this.#keys.get(code);
    return Buffer.concat([key === undefined ? text : Buffer.from(key), ZERO, text]);
  }

  /** Codes of plain values that documents have, ascending. */
  *#plain(): Generator<number> {
    const [from, to] = this.#range;
    const isFound = (code: number) => !this.#keys.has(code) && this.counts.of(code) > 0;
    let at = 0;
    for (; at < this.#near.length && this.#near[at] < from; at++) {
      if (isFound(this.#near[at])) yield this.#near[at];
    }
    for (let code = this.counts.next(from, to); code < to; code = this.counts.next(code + 1, to)) {
      if (!this.#keys.has(code)) yield code;
    }
    for (; at < this.#near.length; at++) if (isFound(this.#near[at])) yield this.#near[at];
  }

  #foldedMatches({ text, budget }: FacetNeedle, deadline: Deadline): { code: number; order: Uint8Array }[] {
    const letters = [...text];
    const isFound = (key: string) => {
      if (budget === null) return key === text;
      return key.startsWith(text) || (budget > 0 && beginsNear(letters, key, budget));
    };
    const found: { code: number; order: Uint8Array }[] = [];
    for (const [code, key] of this.#keys) {
      deadline.checkAtTimes();
      if (isFound(key)) found.push({ code, order: this.orderOf(code) });
    }
    return found.sort((a, b) => Buffer.compare(a.order, b.order));
  }
}

/** Codes of the keys near a key, ascending; keys that begin with it are not among them. */
function nearCodes(dictionary: Dictionary, key: Uint8Array, budget: number): number[] {
  const codes: number[] = [];
  for (let from = 0; ; from = codes[codes.length - 1] + 1) {
    const { ordinals } = dictionary.fuzzy(key, budget, true, from);
    codes.push(...ordinals);
    if (ordinals.length < NEAR_WORDS_LEN) return codes;
  }
}

const ZERO = Uint8Array.of(0);
