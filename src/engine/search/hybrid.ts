// Two lists of hits, one by keywords and one by vectors, merged into one. Called by semantic.ts.
import type { SearchQuery } from "../../schemas/search.ts";
import type { Collection, Window } from "./collection.ts";
import { Distinct, distinctField, distinctKeys } from "./distinct.ts";
import { Documents } from "./documents.ts";
import type { Hit } from "./driver.ts";
import { mergedScore } from "./scores.ts";
import { compareValues, numberOf, type ScoreValue, scoreValues } from "./scorevalues.ts";

/** If the weighted scores of all keyword hits reach this, they are the answer: vectors are not searched. */
const GOOD_SCORE = 0.45;

/** Weights of the scores of each list; their sum is 1. */
interface Weights {
  words: number;
  vectors: number;
}

interface HybridOptions {
  query: SearchQuery;
  window: Window;
  weights: Weights;
}

/**
 * In 32 bits, as in the reference: this matters for scores at the limit of what is good, and for equally good
 * hits.
 */
export function weightsOf(semanticRatio: number): Weights {
  const vectors = Math.fround(semanticRatio);
  return { words: Math.fround(1 - vectors), vectors };
}

/** True when there are as many keyword hits as `wanted`, and all of them are good. */
export function isGoodEnough(hits: readonly Hit[], wanted: number, { words }: Weights): boolean {
  return hits.length >= wanted && hits.every(({ ranks }) => mergedScore(ranks) * words >= GOOD_SCORE);
}

/** True when a keyword hit can be good. */
export const mayBeGoodEnough = ({ words }: Weights): boolean => words >= GOOD_SCORE;

/** Both were collected starting with the first hit. */
export function mergeHybrid(
  byWords: Collection,
  byVectors: Collection,
  { query, window, weights }: HybridOptions,
): Collection & { semanticHitCount: number } {
  const { bitmaps } = byWords;
  const merged = bitmaps.create(byWords.candidates.bitmap);
  bitmaps.or(merged, byVectors.candidates.bitmap);
  const distinct = distinctField(bitmaps.reader.settings, query.distinct);
  const seen = new Set<number>();
  const keys = new Set<string>();
  const page: { hit: Hit; isSemantic: boolean }[] = [];
  for (const entry of ordered(byWords.hits, byVectors.hits, weights)) {
    if (page.length === window.offset + window.limit) break;
    const { docid } = entry.hit;
    if (seen.has(docid)) continue;
    seen.add(docid);
    const own = distinct === null ? [] : distinctKeys(bitmaps.reader, distinct, docid);
    if (own.some((key) => keys.has(key))) continue;
    for (const key of own) keys.add(key);
    page.push(entry);
  }
  if (distinct !== null) {
    // Vectors may have found what the search by words has excluded.
    bitmaps.excluded = 0;
    const docids = Uint32Array.from(page, ({ hit }) => hit.docid).sort();
    new Distinct(bitmaps, distinct).keep(Documents.ofDocids(bitmaps, docids), docids.length);
    bitmaps.exclude(merged);
  }
  const shown = page.slice(window.offset);
  const candidates = Documents.ofBitmap(bitmaps, merged);
  return {
    ...byWords,
    hits: shown.map(({ hit }) => hit),
    candidates,
    total: candidates.count,
    isDegraded: byWords.isDegraded || byVectors.isDegraded,
    semanticHitCount: shown.filter(({ isSemantic }) => isSemantic).length,
  };
}

/** A document may come twice. Of equal hits the one found by vectors comes first. */
function* ordered(byWords: readonly Hit[], byVectors: readonly Hit[], weights: Weights) {
  const weighed = (hits: readonly Hit[], weight: number, isSemantic: boolean) =>
    hits.map((hit) => ({ hit, values: scoreValues(hit.ranks, weight), isSemantic }));
  const words = weighed(byWords, weights.words, false);
  const vectors = weighed(byVectors, weights.vectors, true);
  for (let i = 0, j = 0; i < words.length || j < vectors.length; ) {
    const isVector =
      i === words.length || (j < vectors.length && compare(vectors[j].values, words[i].values) <= 0);
    yield isVector ? vectors[j++] : words[i++];
  }
}

/** Below 0: `a` comes first. A number other than 0 comes before a value sorted by a field. */
function compare(a: readonly ScoreValue[], b: readonly ScoreValue[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareValues(a[i], b[i]) ?? numberFirst(a[i], b[i]);
    if (order !== 0) return order;
  }
  return b.length - a.length;
}

function numberFirst(a: ScoreValue, b: ScoreValue): number {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== null) return left === 0 ? 1 : -1;
  if (right !== null) return right === 0 ? -1 : 1;
  return 0;
}
