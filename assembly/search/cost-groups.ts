// Groups documents by cost, cheapest first, without sorting all of them: groups that a page never reaches are
// never touched. Called by rule.ts.
import { bitmapHas } from "../bitmap";
import { COUNTED_MAX, rankingHistogram, rankingSelect } from "../ranking-costs";
import { alloc, allocRecord, allocZeroed, arenaMark, arenaRelease } from "./arena";
import { bitmapWords, excluded } from "./context";

const COSTS_LEN: usize = 65536;
/** Groups with up to this many documents in total are extracted together. */
const PORTION_LEN: u32 = 512;

@unmanaged
export class CostGroups {
  /** The documents; below, the u16 cost of each. */
  documents: usize;
  count: u32;
  totals: usize;
  /** u32 cost and u32 number of documents for each cost, ascending. */
  counts: usize;
  length: u32;
  /** Number of groups extracted; below, number of those that have been handed out. */
  taken: u32;
  given: u32;
  /** Address of the next extracted group. */
  nextList: usize;
  nextIndexes: usize;
  /** The current group: its cost; below, its docids, and their indexes in `documents`, u32 each. */
  cost: u32;
  size: u32;
  list: usize;
  indexes: usize;
}

export function newCostGroups(documents: usize, count: u32, totals: usize): CostGroups {
  const groups = changetype<CostGroups>(allocRecord(offsetof<CostGroups>()));
  groups.documents = documents;
  groups.count = count;
  groups.totals = totals;
  countCosts(groups);
  return groups;
}

/** Moves to the next group, without documents that were excluded since; false after the last. */
export function nextGroup(groups: CostGroups): bool {
  while (groups.given < groups.taken || takeGroups(groups)) {
    const row = groups.counts + ((<usize>(groups.given++)) << 3);
    groups.cost = load<u32>(row);
    groups.size = load<u32>(row, 4);
    groups.list = groups.nextList;
    groups.indexes = groups.nextIndexes;
    groups.nextList += (<usize>groups.size) << 2;
    groups.nextIndexes += (<usize>groups.size) << 2;
    if (excluded) leaveOut(groups);
    if (groups.size) return true;
  }
  return false;
}

function leaveOut(groups: CostGroups): void {
  let kept: usize = 0;
  for (let at: usize = 0; at < (<usize>groups.size) << 2; at += 4) {
    const docid = load<u32>(groups.list + at);
    if (bitmapHas(excluded, bitmapWords, docid)) continue;
    store<u32>(groups.list + kept, docid);
    store<u32>(groups.indexes + kept, load<u32>(groups.indexes + at));
    kept += 4;
  }
  groups.size = <u32>(kept >> 2);
}

/** Extracts the next groups; false when there are none. */
function takeGroups(groups: CostGroups): bool {
  const start = groups.taken;
  if (start == groups.length) return false;
  let size = countAt(groups, start);
  let end = start + 1;
  while (end < groups.length && size + countAt(groups, end) <= PORTION_LEN) size += countAt(groups, end++);
  groups.taken = end;
  groups.nextList = alloc(((<usize>size) << 2) + 8);
  groups.nextIndexes = alloc(((<usize>size) << 2) + 8);
  const from = costAt(groups, start);
  if (end - start > 1) sortGroups(groups, start, size);
  else takeOut(groups, from, from, groups.nextList, groups.nextIndexes);
  return true;
}

/** Extracts several groups with few documents, cheapest first. */
function sortGroups(groups: CostGroups, start: u32, size: u32): void {
  const from = costAt(groups, start);
  const to = costAt(groups, groups.taken - 1);
  const mark = arenaMark();
  const list = alloc(((<usize>size) << 2) + 8);
  const indexes = alloc(((<usize>size) << 2) + 8);
  takeOut(groups, from, to, list, indexes);
  // For each cost, where its next document goes.
  const places = alloc((<usize>(to - from + 1)) << 2);
  let place: u32 = 0;
  for (let i = start; i < groups.taken; i++) {
    store<u32>(places + ((<usize>(costAt(groups, i) - from)) << 2), place);
    place += countAt(groups, i);
  }
  for (let at: usize = 0; at < (<usize>size) << 2; at += 4) {
    const index = load<u32>(indexes + at);
    const cost: u32 = load<u16>(groups.totals + ((<usize>index) << 1));
    const next = places + ((<usize>(cost - from)) << 2);
    const free = (<usize>load<u32>(next)) << 2;
    store<u32>(next, load<u32>(next) + 1);
    store<u32>(groups.nextList + free, load<u32>(list + at));
    store<u32>(groups.nextIndexes + free, index);
  }
  arenaRelease(mark);
}

function takeOut(groups: CostGroups, from: u32, to: u32, list: usize, indexes: usize): void {
  rankingSelect(groups.documents, groups.totals, groups.count, from, to, list, indexes);
}

function costAt(groups: CostGroups, index: u32): u32 {
  return load<u32>(groups.counts + ((<usize>index) << 3));
}

function countAt(groups: CostGroups, index: u32): u32 {
  return load<u32>(groups.counts + ((<usize>index) << 3), 4);
}

/** Counts the documents of each cost. */
function countCosts(groups: CostGroups): void {
  const totals = groups.totals;
  const count = groups.count;
  const above = allocRecord(4);
  const mark = arenaMark();
  const counts = alloc(((<usize>COUNTED_MAX) << 3) + 16);
  groups.length = <u32>rankingHistogram(totals, count, counts, above);
  const dear = min<u32>(load<u32>(above), <u32>COSTS_LEN);
  // The counts are at the start of the room that is taken again here: only as much as they need.
  arenaRelease(mark);
  groups.counts = alloc(((<usize>(groups.length + dear)) << 3) + 8);
  if (dear) countDear(groups);
}

/** Adds the counts of high costs, which the kernel does not count and which are rare. */
function countDear(groups: CostGroups): void {
  const mark = arenaMark();
  const table = allocZeroed(COSTS_LEN << 2);
  for (let i: usize = 0; i < <usize>groups.count; i++) {
    const at = table + ((<usize>load<u16>(groups.totals + (i << 1))) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  for (let cost = <usize>COUNTED_MAX; cost < COSTS_LEN; cost++) {
    const number = load<u32>(table + (cost << 2));
    if (!number) continue;
    const row = groups.counts + ((<usize>(groups.length++)) << 3);
    store<u32>(row, <u32>cost);
    store<u32>(row, number, 4);
  }
  arenaRelease(mark);
}
