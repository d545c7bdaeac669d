// The cost of one step of a path for the current documents, by rule: src/engine/search/corerule.ts explains
// the rules. Called by evaluation.ts, choices.ts, living-paths.ts, bucket-groups.ts and typo-levels.ts.
import { RANKING_NONE } from "../ranking-costs";
import { INTO_FIELD_COSTS, INTO_POSITION_COSTS, PLACES_LEN, positionOfPlace } from "../ranking-walk";
import { alloc } from "./arena";
import { fieldCount, isAllowed, weightMax, weightOf } from "./fields";
import { exactDocuments, hasExactTerm } from "./forms";
import { EXACT, ItemNumber, itemNumber, narrowedTo, nodeNumber, ONE, TWO } from "./item-numbers";
import { itemDocuments, knownItem, levelOf } from "./items";
import { nodeOf } from "./nodes";
import { leastCosts, lowerCosts, newCosts } from "./occurrences";
import { isAdjacent } from "./paths";
import { pairCosts, pairLooksAround } from "./proximity";
import { ATTRIBUTE_RANK, EXACT_WORDS, PROXIMITY, TYPO, WORD_POSITION } from "./records";

/** Cost of a pair whose words are not near. */
const FAR: u32 = 3;
/** Largest cost of a field: sums over ten terms stay below RANKING_NONE. */
const FIELD_COST_MAX: u32 = 6500;
const DISTANCE_COST_MAX: u32 = 10;
/** Largest distance, for each cost, of a place from that in the query; beyond, it costs DISTANCE_COST_MAX. */
const DISTANCES: usize = memory.data<u32>([0, 1, 4, 7, 11, 16, 24, 64, 256, 1024]);

/** The largest option of a step. */
export function mostOf(rule: i32, previous: ItemNumber, item: ItemNumber): u32 {
  const size = nodeOf(item).size;
  if (rule == TYPO) return typoBase(item) + typosLeft(item);
  if (rule == PROXIMITY) return size - 1 + (isAdjacent(previous, item) ? FAR : 0);
  if (rule == ATTRIBUTE_RANK) return fieldCost(size, weightMax);
  return rule == WORD_POSITION ? DISTANCE_COST_MAX * size : size;
}

/** The part of a step's cost that is the same for all documents; stepCosts gives the rest. */
export function stepConstant(rule: i32, item: ItemNumber): u32 {
  if (rule == TYPO) return typoBase(item);
  return rule == PROXIMITY ? nodeOf(item).size - 1 : 0;
}

/**
 * The u16 costs of a step; 0 when there are none beyond the constant. `isCertain`: there is only one path, so
 * all documents match the item.
 */
export function stepCosts(rule: i32, previous: ItemNumber, item: ItemNumber, isCertain: bool): usize {
  if (rule == TYPO) return typoCosts(item, isCertain);
  if (rule == PROXIMITY) return proximityCosts(previous, item, isCertain);
  if (rule == ATTRIBUTE_RANK) return isCertain && weightMax == 0 ? 0 : fieldCosts(item);
  return rule == WORD_POSITION ? positionCosts(item) : exactnessCosts(item, isCertain);
}

/** Do the costs of a step depend on the other current documents? */
export function stepLooksAround(rule: i32, previous: ItemNumber, item: ItemNumber): bool {
  return rule == PROXIMITY && isAdjacent(previous, item) && pairLooksAround(previous, item);
}

/** Does the rule narrow items down to what was chosen? */
export function isNarrowing(rule: i32): bool {
  return rule == TYPO || rule == EXACT_WORDS;
}

/** The item that a choice leaves; `cost` does not include the constant. */
export function narrowed(rule: i32, item: ItemNumber, cost: u32): ItemNumber {
  if (rule == TYPO) return typoNarrowed(item, cost);
  return rule == EXACT_WORDS && cost == 0 ? itemNumber(nodeNumber(item), EXACT) : item;
}

/** Typos that an item has in any case: as many as it has terms, if there are several. */
export function typoBase(item: ItemNumber): u32 {
  const size = nodeOf(item).size;
  return size == 1 ? 0 : size;
}

/** The most typos that an item may still have: a word without a budget may be split. */
export function typosLeft(item: ItemNumber): u32 {
  const node = nodeOf(item);
  if (node.phrase) return 0;
  if (node.budget == 0) return 1;
  if (node.budget == 2 && item & TWO) return 2;
  return item & ONE ? 1 : 0;
}

export function typoNarrowed(item: ItemNumber, typos: u32): ItemNumber {
  return item & EXACT ? item : narrowedTo(item, 1 << typos);
}

function typoCosts(number: ItemNumber, isCertain: bool): usize {
  const item = knownItem(number);
  const most = typosLeft(number);
  if (isCertain && !(most > 0 && item.level1) && !(most > 1 && item.level2)) return 0;
  const costs = newCosts(RANKING_NONE);
  for (let typos: u32 = 0; typos <= most; typos++) lowerCosts(costs, levelOf(item, typos), typos);
  return costs;
}

function proximityCosts(previous: ItemNumber, item: ItemNumber, isCertain: bool): usize {
  const isPair = isAdjacent(previous, item);
  if (isCertain && !isPair) return 0;
  const costs = newCosts(isPair && isCertain ? FAR : RANKING_NONE);
  if (!isCertain) lowerCosts(costs, itemDocuments(item), isPair ? FAR : 0);
  if (isPair) pairCosts(previous, item, costs);
  return costs;
}

/** Costs by the fields where an item occurs: those named earlier in searchableAttributes are cheaper. */
function fieldCosts(item: ItemNumber): usize {
  const size = nodeOf(item).size;
  const bytes = (<usize>fieldCount) << 1;
  const table = alloc(2 * bytes + 2);
  let least: u32 = RANKING_NONE;
  for (let field = fieldCount - 1; field >= 0; field--) {
    const weight = weightOf(field);
    const cost = isAllowed(field) && weight >= 0 ? fieldCost(size, weight) : RANKING_NONE;
    const at = table + ((<usize>field) << 1);
    least = min(least, cost);
    store<u16>(at, cost);
    store<u16>(at + bytes, least);
  }
  return leastCosts(item, INTO_FIELD_COSTS, table, fieldCount);
}

function fieldCost(size: u32, weight: u32): u32 {
  return <u32>min<u64>(<u64>size * <u64>weight, FIELD_COST_MAX);
}

/** Costs by the places where an item occurs: those that it has in the query are cheaper. */
function positionCosts(item: ItemNumber): usize {
  const node = nodeOf(item);
  const table = alloc((<usize>PLACES_LEN) << 1);
  for (let place: u32 = 0; place < PLACES_LEN; place++) {
    const position = positionOfPlace(place);
    const distance = position > node.first ? position - node.first : node.first - position;
    let cost: u32 = 0;
    for (let i: u32 = 0; i < node.size; i++) cost += distanceCost(distance + i);
    store<u16>(table + ((<usize>place) << 1), cost);
  }
  return leastCosts(item, INTO_POSITION_COSTS, table, PLACES_LEN);
}

function distanceCost(distance: u32): u32 {
  for (let cost: u32 = 0; cost < DISTANCE_COST_MAX; cost++) {
    if (distance <= load<u32>(DISTANCES + ((<usize>cost) << 2))) return cost;
  }
  return DISTANCE_COST_MAX;
}

function exactnessCosts(item: ItemNumber, isCertain: bool): usize {
  const size = nodeOf(item).size;
  const costs = newCosts(isCertain ? size : RANKING_NONE);
  if (!isCertain) lowerCosts(costs, itemDocuments(item), size);
  if (hasExactTerm(item)) lowerCosts(costs, exactDocuments(item), 0);
  return costs;
}
