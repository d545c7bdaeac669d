// The rule that sorts by a field: documents with numbers first, then those with texts, then those without a
// value, in both directions; a document with several values is placed by its best one. Called by sorting.ts.
//
// Each segment yields its candidates in order of their values, all those with one value together, and the
// streams of the segments are merged: values of different segments are compared by their keys.
import type { Column } from "../../segment/column.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { Direction } from "./criterion.ts";
import { Documents } from "./documents.ts";
import { Remainder } from "./remainder.ts";
import type { Bucket, Rank, Rule } from "./rule.ts";
import type { Stretch } from "./selection.ts";
import { type ValueOrder, ValueOrders } from "./valueorder.ts";

/** The documents with one value in one segment. */
interface Group {
  column: Column;
  code: number;
  docids: Uint32Array;
}

export function columnSortRule(
  bitmaps: Bitmaps,
  name: string,
  direction: Direction,
  isHidden: boolean,
): Rule {
  const rank = (value: () => number | string | null): Rank => {
    const fields = () => ({ value: isHidden ? "<hidden>" : value() });
    const standing = () => ({ sort: { asc: direction === "asc", value: value() } });
    return {
      rule: "sort",
      rank: 1,
      max: 1,
      details: { key: isHidden ? null : `${name}:${direction}`, fields, standing },
    };
  };
  return {
    *buckets(documents, paths): Generator<Bucket> {
      const rest = new Remainder(bitmaps, documents);
      for (const groups of mergedGroups(bitmaps, documents, name, direction)) {
        const [{ column, code }] = groups;
        const all = groups.length === 1 ? groups[0].docids : united(groups);
        rest.take(all);
        const docids = bitmaps.withoutExcluded(all);
        if (docids.length > 0)
          yield {
            documents: Documents.ofDocids(bitmaps, docids),
            paths,
            rank: rank(() => column.value(code)),
          };
        if (rest.count === 0) return;
      }
      const valueless = rest.documents();
      if (valueless.count > 0) yield { documents: valueless, paths, rank: rank(() => null) };
    },
  };
}

const united = (groups: readonly Group[]): Uint32Array =>
  Uint32Array.from(groups.flatMap(({ docids }) => [...docids])).sort();

/** The groups of each value from all segments, in order. */
function* mergedGroups(
  bitmaps: Bitmaps,
  documents: Documents,
  name: string,
  direction: Direction,
): Generator<Group[]> {
  const isDown = direction === "desc";
  const orders = new ValueOrders(bitmaps, documents, isDown);
  const heads = bitmaps.reader.segments.flatMap((open) => {
    const column = open.segment.column(name);
    return column ? [new SegmentGroups(orders.of(open, column), column, isDown)] : [];
  });
  if (heads.length === 1) {
    for (const [stream] = heads; stream.head; stream.advance()) yield [stream.head];
    return;
  }
  for (;;) {
    let best: SegmentGroups[] = [];
    for (const stream of heads) {
      if (!stream.head) continue;
      const order = best.length === 0 ? -1 : compareKeys(stream.key, best[0].key, isDown);
      if (order < 0) best = [stream];
      else if (order === 0) best.push(stream);
    }
    if (best.length === 0) return;
    yield best.map(({ head }) => head!);
    for (const stream of best) stream.advance();
  }
}

/** Numbers come before texts in both directions. */
function compareKeys(a: Uint8Array, b: Uint8Array, isDown: boolean): number {
  const kinds = a[0] - b[0];
  if (kinds !== 0) return kinds;
  return isDown ? Buffer.compare(b, a) : Buffer.compare(a, b);
}

/** The candidates of one segment, grouped by value, best value first. */
class SegmentGroups {
  readonly #column: Column;
  readonly #isDown: boolean;
  readonly #order: ValueOrder;
  #stretch: Stretch | null = null;
  #at = 0;
  #head: Group | null = null;
  #key: Uint8Array | null = null;

  constructor(order: ValueOrder, column: Column, isDown: boolean) {
    this.#order = order;
    this.#column = column;
    this.#isDown = isDown;
    this.advance();
  }

  /** The current group; null after the last. */
  get head(): Group | null {
    return this.#head;
  }

  /** Key of the current group's value. */
  get key(): Uint8Array {
    this.#key ??= this.#column.term(this.#head!.code);
    return this.#key;
  }

  advance(): void {
    this.#head = null;
    this.#key = null;
    if (!this.#stretch || this.#at === this.#stretch.keys.length) {
      this.#stretch = this.#order.next();
      this.#at = 0;
    }
    if (!this.#stretch) return;
    const { keys, docids } = this.#stretch;
    const from = this.#at;
    while (this.#at < keys.length && keys[this.#at] === keys[from]) this.#at++;
    const code = this.#column.codeOfKey(keys[from], this.#isDown);
    this.#head = { column: this.#column, code, docids: docids.subarray(from, this.#at) };
  }
}
