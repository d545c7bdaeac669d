// Costs of the documents of a ranking bucket: u16 arrays by index in its list of docids, RANKING_NONE where a
// document does not satisfy. Costs are summed along the paths of a query, and divided into buckets of equal
// cost. Arrays have room for 8 more. Called by search/occurrences.ts, search/evaluation.ts and
// search/cost-groups.ts.
import { bitmapHas } from "./bitmap";

/** Cost of a document that does not satisfy: sums saturate at it. */
export const RANKING_NONE: u32 = 0xffff;

/** Sets `count` u16 costs. */
export function rankingFill(costs: usize, count: i32, value: i32): void {
  const all = i16x8.splat(<i16>value);
  for (const end = costs + ((<usize>count) << 1); costs < end; costs += 16) v128.store(costs, all);
}

/** Lowers the costs of the documents in a bitmap to `value`. */
export function rankingLower(
  list: usize,
  count: i32,
  bitmap: usize,
  words: i32,
  value: u32,
  costs: usize,
): void {
  for (let i = 0; i < count; i++, list += 4, costs += 2) {
    if (bitmapHas(bitmap, words, load<i32>(list)) && value < load<u16>(costs)) store<u16>(costs, value);
  }
}

/**
 * Writes, for each document, its least cost over all paths to `totals`, and the number of the first path that
 * has it to `firsts` (both u16). `paths`: for each path a u32 constant, u32 number of steps, and u32 address
 * of the costs of each step.
 */
export function rankingTotals(paths: usize, pathCount: i32, count: i32, totals: usize, firsts: usize): void {
  const end = (<usize>count) << 1;
  rankingFill(totals, count, <i32>RANKING_NONE);
  rankingFill(firsts, count, 0);
  for (let path = 0; path < pathCount; path++) {
    const constant = i16x8.splat(<i16>load<u32>(paths));
    const steps = <usize>load<u32>(paths, 4);
    paths += 8;
    const number = i16x8.splat(<i16>path);
    for (let at: usize = 0; at < end; at += 16) {
      let sum = constant;
      for (let step: usize = 0; step < steps << 2; step += 4) {
        sum = i16x8.add_sat_u(sum, v128.load(<usize>load<u32>(paths + step) + at));
      }
      const least = v128.load(totals + at);
      const lower = i16x8.lt_u(sum, least);
      v128.store(totals + at, i16x8.min_u(sum, least));
      v128.store(firsts + at, v128.bitselect(number, v128.load(firsts + at), lower));
    }
    paths += steps << 2;
  }
}

/**
 * Writes the docids of documents whose total is `from` to `to` to `out`, and their indexes to `indexes`;
 * returns how many. Both have room for those found and one more.
 */
export function rankingSelect(
  list: usize,
  totals: usize,
  count: i32,
  from: u32,
  to: u32,
  out: usize,
  indexes: usize,
): i32 {
  let found: usize = 0;
  for (let i = 0; i < count; i++) {
    const total: u32 = load<u16>(totals + ((<usize>i) << 1));
    store<u32>(out + found, load<u32>(list + ((<usize>i) << 2)));
    store<u32>(indexes + found, i);
    found += <usize>(total - from <= to - from) << 2;
  }
  return <i32>(found >> 2);
}

/** Totals below this are counted in a table, which is zero between two calls; usual costs are below it. */
export const COUNTED_MAX: u32 = 1024;
const COUNTS: usize = memory.data(4096, 16);

/**
 * Writes each total below 1024 that occurs, ascending, and its number of occurrences (two u32) to `out`,
 * which has room for 1024 of them; returns how many. Second result, at `aboveOut`: u32 number of totals that
 * are not below.
 */
export function rankingHistogram(totals: usize, count: i32, out: usize, aboveOut: usize): i32 {
  let above = 0;
  let most: u32 = 0;
  let least = COUNTED_MAX;
  for (const end = totals + ((<usize>count) << 1); totals < end; totals += 2) {
    const total: u32 = load<u16>(totals);
    if (total >= COUNTED_MAX) {
      above++;
      continue;
    }
    most = max(most, total);
    least = min(least, total);
    const at = COUNTS + ((<usize>total) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  const start = out;
  for (let total = least; total <= most && total < COUNTED_MAX; total++) {
    const at = COUNTS + ((<usize>total) << 2);
    store<u32>(out, total);
    store<u32>(out, load<u32>(at), 4);
    out += <usize>(load<u32>(at) != 0) << 3;
    store<u32>(at, 0);
  }
  store<u32>(aboveOut, above);
  return <i32>((out - start) >> 3);
}

/**
 * Writes the distinct choices of some documents to `out`, at most `rows`: rows of u16 path and u16 cost per
 * step (`width` numbers, zeros after the last step). `indexes`: u32 index of each of the `count` documents;
 * `paths` as for rankingTotals, `starts`: u32 address of each path there. Returns how many rows, -1 when
 * there is no room.
 */
export function rankingChoices(
  indexes: usize,
  count: i32,
  firsts: usize,
  starts: usize,
  width: i32,
  out: usize,
  rows: i32,
): i32 {
  const rowBytes = (<usize>width) << 1;
  let found = 0;
  let latest = out;
  for (let i = 0; i < count; i++, indexes += 4) {
    if (found == rows) return -1;
    const index = (<usize>load<u32>(indexes)) << 1;
    const row = out + <usize>found * rowBytes;
    memory.fill(row, 0, rowBytes);
    const path: u32 = load<u16>(firsts + index);
    store<u16>(row, path);
    const start: usize = load<u32>(starts + ((<usize>path) << 2));
    const steps = <usize>load<u32>(start, 4);
    for (let step: usize = 0; step < steps; step++) {
      store<u16>(row + 2 + (step << 1), load<u16>(<usize>load<u32>(start + 8 + (step << 2)) + index));
    }
    if (found && memory.compare(row, latest, rowBytes) == 0) continue;
    let known = out;
    while (known < row && memory.compare(row, known, rowBytes) != 0) known += rowBytes;
    latest = known;
    if (known == row) found++;
  }
  return found;
}
