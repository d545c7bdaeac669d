// By what a facet search compares: values folded as the words of a query are, as one piece. Plain ASCII texts
// are their own search key, so only the others are folded, once for each segment as long as there is room to
// remember them. Called by facetsearch.ts.
import { DICTIONARY_CURSOR_BYTES } from "../../core/dictionary.ts";
import type { Scratch } from "../../core/scratch.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import type { Column } from "../../segment/column.ts";
import type { Segment } from "../../segment/segment.ts";
import type { ReaderShare } from "../reader.ts";

/** Search keys of the values of a column that are not plain, by ascending codes. */
export type FoldedTexts = ReadonlyMap<number, string>;

/** Folded texts remembered for all segments of a thread. */
const KNOWN_MAX = 200_000;
let known = new WeakMap<Segment, Map<string, FoldedTexts>>();
let knownCount = 0;

export function foldedTexts(
  { tokenizer, share }: { tokenizer: Tokenizer; share: Pick<ReaderShare, "scratch" | "deadline"> },
  segment: Segment,
  column: Column,
  locales: readonly string[] | undefined,
): FoldedTexts {
  const key = `${tokenizer.localeCode(locales)} ${column.meta.name}`;
  const own = known.get(segment)?.get(key);
  if (own) return own;
  const codes = foreignCodes(share.scratch, column);
  const folded = new Map<number, string>();
  for (const code of codes) {
    share.deadline.checkAtTimes();
    folded.set(code, tokenizer.fold(column.value(code) as string, locales));
  }
  if (codes.length > KNOWN_MAX) return folded;
  if (knownCount + codes.length > KNOWN_MAX) {
    known = new WeakMap();
    knownCount = 0;
  }
  const columns = known.get(segment) ?? new Map<string, FoldedTexts>();
  known.set(segment, columns.set(key, folded));
  knownCount += codes.length;
  return folded;
}

function foreignCodes(scratch: Scratch, column: Column): Uint32Array {
  const { core } = scratch;
  const mark = scratch.mark();
  const most = column.values - column.numbers;
  const out = scratch.alloc(4 * most + 16);
  const cursor = scratch.alloc(DICTIONARY_CURSOR_BYTES);
  const { columnForeign } = core.exports;
  const count = columnForeign(column.dictionary, column.numbers, column.values, cursor, out, most);
  const codes = core.u32.slice(out >>> 2, (out >>> 2) + count);
  scratch.release(mark);
  return codes;
}

/**
 * True when a text begins with something near the query: read letter by letter, as soon as the query is
 * within `budget` typos of what was read, and no beginning of the query is nearer to it; else when the query
 * is that near to the whole text. Distance is optimal string alignment.
 */
export function beginsNear(query: readonly string[], text: string, budget: number): boolean {
  let beforeLast: number[] = [];
  let last = query.map((_, i) => i);
  last.push(query.length);
  const letters = [...text];
  for (let read = 0; ; read++) {
    const distance = last[query.length];
    const nearest = Math.min(...last);
    if (distance <= budget && (distance === nearest || read === letters.length)) return true;
    if (read === letters.length || Math.min(nearest, ...beforeLast) > budget) return false;
    const row = [read + 1];
    for (let i = 1; i <= query.length; i++) {
      const isSame = query[i - 1] === letters[read];
      row[i] = Math.min(last[i - 1] + (isSame ? 0 : 1), last[i] + 1, row[i - 1] + 1);
      const isSwapped =
        i > 1 && read > 0 && query[i - 1] === letters[read - 1] && query[i - 2] === letters[read];
      if (isSwapped) row[i] = Math.min(row[i], beforeLast[i - 2] + 1);
    }
    [beforeLast, last] = [last, row];
  }
}
