// The values of a field across all segments: codes of different segments stand for one value when their keys
// are equal. Used throughout src/engine/facets.
import type { CodeCounts } from "./counts.ts";

/** Codes beyond twice the wanted ones that are gathered before the best of them are sorted out. */
const GATHERED_CODES_MIN = 64;

/** A value in one segment. */
export interface Place {
  counts: CodeCounts;
  code: number;
}

/** A value with the number of documents that have it, and the segments (at least one) where it is found. */
export interface FacetValue {
  count: number;
  places: Place[];
}

/** Values of one segment in order. */
export interface ValueStream {
  counts: CodeCounts;
  /** Next code in order; -1 after the last. */
  next(): number;
  /** The bytes by which the latest code is ordered: only asked for where several streams are compared. */
  order(): Uint8Array;
}

/** The codes in a range that documents have. */
export function rangeStream(counts: CodeCounts, from: number, to: number): ValueStream {
  let code = from - 1;
  const next = () => {
    code = counts.next(code + 1, to);
    return code < to ? code : -1;
  };
  return { counts, next, order: () => counts.column.term(code) };
}

/** The first `most` values of some streams; equal values are united. */
export function firstValues(streams: readonly ValueStream[], most: number): FacetValue[] {
  const values: FacetValue[] = [];
  if (streams.length === 1) {
    const [{ counts }] = streams;
    while (values.length < most) {
      const code = streams[0].next();
      if (code < 0) break;
      values.push({ count: counts.of(code), places: [{ counts, code }] });
    }
    return values;
  }
  const heads = streams.map((stream) => ({ stream, head: headOf(stream) }));
  while (values.length < most) {
    let best: typeof heads = [];
    for (const one of heads) {
      if (!one.head) continue;
      const order = best.length ? Buffer.compare(one.head.order, best[0].head!.order) : -1;
      if (order < 0) best = [one];
      else if (order === 0) best.push(one);
    }
    if (best.length === 0) break;
    const places = best.map(({ stream, head }) => ({ counts: stream.counts, code: head!.code }));
    values.push({ count: countOf(places), places });
    for (const one of best) one.head = headOf(one.stream);
  }
  return values;
}

function headOf(stream: ValueStream): { code: number; order: Uint8Array } | null {
  const code = stream.next();
  return code < 0 ? null : { code, order: stream.order() };
}

/** Codes of one segment, descending. */
export interface CodeSet {
  counts: CodeCounts;
  codes: Iterable<number>;
}

/** The `most` values with the most documents; of equally frequent ones, greater values come first. */
export function commonValues(sets: readonly CodeSet[], most: number): FacetValue[] {
  if (most === 0) return [];
  if (sets.length === 1) {
    const [{ counts, codes }] = sets;
    const top = new TopCodes(most);
    for (const code of codes) top.add(code, counts.of(code));
    const best = top.best();
    return best.codes.map((code, i) => ({ count: best.counts[i], places: [{ counts, code }] }));
  }
  return unitedValues(sets, most);
}

const countOf = (places: readonly Place[]): number =>
  places.reduce((sum, { counts, code }) => sum + counts.of(code), 0);

/**
 * A value with fewer documents than the last of the best ones of any single segment cannot be in the answer.
 * So each value in the answer has, in some segment, at least its share of that number.
 */
function unitedValues(sets: readonly CodeSet[], most: number): FacetValue[] {
  const known = sets.map(({ counts, codes }) => ({ counts, codes: [...codes] }));
  const floors = known.map(({ counts, codes }) => {
    const top = new TopCodes(most);
    for (const code of codes) top.add(code, counts.of(code));
    const best = top.best();
    return best.counts.length < most ? 1 : best.counts[most - 1];
  });
  const share = Math.max(1, Math.ceil(Math.max(1, ...floors) / sets.length));
  const values = new Map<string, FacetValue & { key: Uint8Array }>();
  for (const { counts, codes } of known) {
    for (const code of codes) {
      if (counts.of(code) < share) continue;
      const key = counts.column.term(code);
      const text = Buffer.from(key).toString("latin1");
      if (values.has(text)) continue;
      const places = known.flatMap((set) => {
        const own = set.counts === counts ? code : set.counts.column.find(key);
        return own >= 0 && set.counts.of(own) > 0 ? [{ counts: set.counts, code: own }] : [];
      });
      values.set(text, { key, count: countOf(places), places });
    }
  }
  const sorted = [...values.values()].sort((a, b) => b.count - a.count || Buffer.compare(b.key, a.key));
  return sorted.slice(0, most);
}

/** The most frequent of codes that arrive in descending order; equally frequent ones stay in that order. */
class TopCodes {
  readonly #most: number;
  /** The best so far, in order up to the last cut; behind them all that came since and may be better. */
  #codes: number[] = [];
  #counts: number[] = [];
  /** No code with this count, or a lower one, gets among the best any more. */
  #least = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(code: number, count: number): void {
    if (count <= this.#least) return;
    this.#codes.push(code);
    this.#counts.push(count);
    // Cutting seldom: to put each code in its place at once takes as long as moving all behind it.
    if (this.#codes.length >= 2 * this.#most + GATHERED_CODES_MIN) this.#cut();
  }

  /** Best first. */
  best(): { codes: readonly number[]; counts: readonly number[] } {
    this.#cut();
    return { codes: this.#codes, counts: this.#counts };
  }

  #cut(): void {
    const [codes, counts] = [this.#codes, this.#counts];
    const places = counts.map((_, place) => place).sort((a, b) => counts[b] - counts[a]);
    if (places.length > this.#most) places.length = this.#most;
    this.#codes = places.map((place) => codes[place]);
    this.#counts = places.map((place) => counts[place]);
    this.#least = this.#counts[this.#most - 1] ?? 0;
  }
}
