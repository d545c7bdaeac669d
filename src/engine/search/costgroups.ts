// Documents grouped by cost, cheapest first, without sorting all of them: what a page never reaches is never
// touched. Called by graphrule.ts and exactness.ts.
import { costBytes, RANKING_NONE } from "../../core/ranking.ts";
import type { Bitmaps } from "./bitmaps.ts";
import type { Documents } from "./documents.ts";

/** Documents of equal cost. */
export interface Group {
  cost: number;
  list: number;
  count: number;
  /** u32 index of each in the list that was grouped. */
  indexes: number;
}

/** Costs counted by the kernel; above, one by one. */
const HISTOGRAM_LEN = 1024;
/** Groups are taken out together up to so many documents. */
const PORTION_LEN = 512;

/**
 * Without what is excluded when the group is asked for.
 * @param totals u16 cost per document, in the order of the list
 */
export function* costGroups(bitmaps: Bitmaps, documents: Documents, totals: number): Generator<Group> {
  for (const group of allGroups(bitmaps, documents, totals)) {
    if (bitmaps.excluded) exclude(bitmaps, group);
    if (group.count > 0) yield group;
  }
}

function exclude(bitmaps: Bitmaps, group: Group): void {
  const { u32 } = bitmaps.reader.share.core;
  const [list, indexes] = [group.list >>> 2, group.indexes >>> 2];
  let kept = 0;
  for (let i = 0; i < group.count; i++) {
    if (bitmaps.has(bitmaps.excluded, u32[list + i])) continue;
    u32[list + kept] = u32[list + i];
    u32[indexes + kept++] = u32[indexes + i];
  }
  group.count = kept;
}

function* allGroups(bitmaps: Bitmaps, documents: Documents, totals: number): Generator<Group> {
  const { core, scratch } = bitmaps.reader.share;
  const { list, count } = documents;
  const counts = costCounts(bitmaps, totals, count);
  for (let i = 0; i < counts.length; ) {
    const portion = [counts[i]];
    let size = counts[i].count;
    for (i++; i < counts.length && size + counts[i].count <= PORTION_LEN; i++) {
      portion.push(counts[i]);
      size += counts[i].count;
    }
    const out = scratch.alloc(4 * size + 8);
    const indexes = scratch.alloc(4 * size + 8);
    const [from, to] = [portion[0].cost, portion[portion.length - 1].cost];
    core.exports.rankingSelect(list, totals, count, from, to, out, indexes);
    if (portion.length === 1) yield { cost: from, list: out, count: size, indexes };
    else yield* groupsOf(bitmaps, portion, { list: out, indexes, totals, count: size });
  }
}

/** The groups of a portion: few documents, sorted here. */
function* groupsOf(
  bitmaps: Bitmaps,
  portion: readonly { cost: number; count: number }[],
  chosen: { list: number; indexes: number; totals: number; count: number },
): Generator<Group> {
  const { core, scratch } = bitmaps.reader.share;
  const list = scratch.alloc(4 * chosen.count);
  const indexes = scratch.alloc(4 * chosen.count);
  const costs = new Uint16Array(core.memory.buffer, chosen.totals);
  const places = new Map<number, number>();
  let start = 0;
  for (const { cost, count } of portion) {
    places.set(cost, start);
    start += count;
  }
  const { u32 } = core;
  for (let i = 0; i < chosen.count; i++) {
    const index = u32[(chosen.indexes >>> 2) + i];
    const place = places.get(costs[index])!;
    places.set(costs[index], place + 1);
    u32[(list >>> 2) + place] = u32[(chosen.list >>> 2) + i];
    u32[(indexes >>> 2) + place] = index;
  }
  let at = 0;
  for (const { cost, count } of portion) {
    yield { cost, list: list + 4 * at, count, indexes: indexes + 4 * at };
    at += count;
  }
}

/** How many documents have each cost, costs ascending. */
function costCounts(bitmaps: Bitmaps, totals: number, count: number): { cost: number; count: number }[] {
  const { core, scratch } = bitmaps.reader.share;
  const mark = scratch.mark();
  const out = scratch.alloc(8 * HISTOGRAM_LEN + 16);
  const aboveOut = out + 8 * HISTOGRAM_LEN + 8;
  const found = core.exports.rankingHistogram(totals, count, out, aboveOut);
  const { u32 } = core;
  const above = u32[aboveOut >>> 2];
  const counts: { cost: number; count: number }[] = [];
  for (let at = out >>> 2; counts.length < found; at += 2) counts.push({ cost: u32[at], count: u32[at + 1] });
  scratch.release(mark);
  if (above) counts.push(...highCounts(new Uint16Array(core.memory.buffer, totals, count)));
  return counts;
}

function highCounts(totals: Uint16Array): { cost: number; count: number }[] {
  const counts = new Map<number, number>();
  for (const cost of totals) if (cost >= HISTOGRAM_LEN) counts.set(cost, (counts.get(cost) ?? 0) + 1);
  return [...counts].map(([cost, count]) => ({ cost, count })).sort((a, b) => a.cost - b.cost);
}

/** A new array of costs for so many documents, undefined. */
export const newCosts = (bitmaps: Bitmaps, count: number): number =>
  bitmaps.reader.share.scratch.alloc(costBytes(count));

/**
 * True for the cost of a document that satisfies no path, since wordPosition has chosen paths by words that
 * stand outside attributesToSearchOn: it is shown as the dearest.
 */
export const isUnsatisfied = (cost: number): boolean => cost === RANKING_NONE;
