// The keys that a facet search compares: values folded like the words of a query, but as one piece. Plain
// ASCII texts are their own search key, so only the others are folded, once for each segment as long as there
// is room to remember them. Called by facetsearch.ts and matches.ts.
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
 * True when a text begins with something near the query. The text is read letter by letter: it matches as
 * soon as the query is within `budget` typos of the part read and no beginning of the query is nearer to that
 * part; otherwise when the query is that near to the whole text. The distance is optimal string alignment;
 * only the cells of its table around the diagonal can be near (Ukkonen 1985), and all others count as one
 * typo too many.
 */
export function beginsNear(query: readonly string[], text: string, budget: number): boolean {
  const far = budget + 1;
  // Rows of the table for the letters read so far: cell j stands for the beginning of the query that is j -
  // budget letters longer.
  let beforeLast = new Array<number>(2 * budget + 1).fill(far);
  let last = beforeLast.map((_, j) => (j >= budget && j - budget <= query.length ? j - budget : far));
  const letters = text[Symbol.iterator]();
  let previous = "";
  for (let read = 0; ; read++) {
    const { value: letter, done: isOver } = letters.next();
    const distance = last[query.length - read + budget] ?? far;
    const nearest = Math.min(...last);
    if (distance <= budget && (distance === nearest || isOver)) return true;
    if (isOver || Math.min(nearest, ...beforeLast) > budget) return false;
    const row: number[] = [];
    for (let j = 0; j <= 2 * budget; j++) {
      const i = read + 1 + j - budget;
      if (i <= 0 || i > query.length) {
        row.push(i === 0 ? Math.min(read + 1, far) : far);
        continue;
      }
      const isSwapped = read > 0 && query[i - 1] === previous && query[i - 2] === letter;
      const swapped = isSwapped ? beforeLast[j] + 1 : far;
      const changed = last[j] + (query[i - 1] === letter ? 0 : 1);
      row.push(Math.min(changed, (last[j + 1] ?? far) + 1, (row[j - 1] ?? far) + 1, swapped, far));
    }
    [beforeLast, last, previous] = [last, row, letter];
  }
}
