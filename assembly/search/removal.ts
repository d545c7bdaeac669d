// Decides which terms of a query may be dropped, and in which order: the matching strategy. Called by
// matched.ts and words-rule.ts.
import { bitmapCount } from "../bitmap";
import { allocRecord } from "./arena";
import { unionOf } from "./bitmaps";
import { bitmapWords } from "./context";
import { ALL, itemNumber } from "./item-numbers";
import { itemDocuments } from "./items";
import { nodeAt, nodeCount, termCount } from "./nodes";
import { NGRAM, Node } from "./records";

/** Strategies. */
const STRATEGY_ALL: i32 = 0;
const STRATEGY_LAST: i32 = 1;

/** Order of terms that stay. */
export const STAYS: u32 = 0xffffffff;

/** Order of each term: lower ones are dropped first. 0: none may be dropped. */
let orders: usize = 0;
/** Terms of this order stay. */
let highest: u32 = STAYS;

/** Groups the terms of the query by the order in which they are dropped. */
export function orderTerms(strategy: i32): void {
  orders = 0;
  highest = STAYS;
  if (strategy == STRATEGY_ALL || termCount <= 1) return;
  orders = allocRecord((<usize>termCount) << 2);
  if (strategy == STRATEGY_LAST) {
    for (let term = 0; term < termCount; term++) setOrder(term, termCount - term);
  } else orderByFrequency();
  for (let index = 0; index < nodeCount; index++) if (nodeAt(index).phrase) return;
  highest = 0;
  for (let term = 0; term < termCount; term++) highest = max(highest, orderAt(term));
}

/** Group of a node, or STAYS. */
export function orderOf(node: Node): u32 {
  if (node.phrase || !orders) return STAYS;
  let order: u32 = 0;
  for (let term = node.from; term <= node.to; term++) order = max(order, orderAt(term));
  return order < highest ? order : STAYS;
}

export function isRemovable(node: Node): bool {
  return orderOf(node) != STAYS;
}

/** The node that is just this term. */
export function termNode(term: u32): i32 {
  for (let index = 0; index < nodeCount; index++) {
    const node = nodeAt(index);
    if (node.from == term && !(node.flags & NGRAM)) return index;
  }
  return 0;
}

function orderAt(term: u32): u32 {
  return load<u32>(orders + ((<usize>term) << 2));
}

function setOrder(term: u32, order: u32): void {
  store<u32>(orders + ((<usize>term) << 2), order);
}

/**
 * Terms that match nothing are dropped first, then the most frequent ones; terms with equal counts go
 * together.
 */
function orderByFrequency(): void {
  const counts = allocRecord((<usize>termCount) << 2);
  for (let term: u32 = 0; term < <u32>termCount; term++) {
    let documents: usize = 0;
    for (let index = 0; index < nodeCount; index++) {
      const node = nodeAt(index);
      if (node.from > term || node.to < term) continue;
      documents = unionOf(documents, itemDocuments(itemNumber(index, ALL)));
    }
    const count: u32 = documents ? bitmapCount(documents, bitmapWords) : 0;
    store<u32>(counts + ((<usize>term) << 2), count ? count : u32.MAX_VALUE);
  }
  for (let term = 0; term < termCount; term++) setOrder(term, 1 + countsAbove(counts, term));
}

/** Number of distinct counts above that of a term. */
function countsAbove(counts: usize, term: i32): u32 {
  const own = load<u32>(counts + ((<usize>term) << 2));
  let found: u32 = 0;
  for (let i = 0; i < termCount; i++) {
    const count = load<u32>(counts + ((<usize>i) << 2));
    if (count <= own) continue;
    let first = 0;
    while (load<u32>(counts + ((<usize>first) << 2)) != count) first++;
    if (first == i) found++;
  }
  return found;
}
