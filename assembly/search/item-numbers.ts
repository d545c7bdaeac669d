// Items of the query graph as numbers: a node with the derivations that ranking rules have left to it. Used
// throughout this folder; records.ts has the record of what is known of an item.
//
//   number | node : 28 | EXACT | TWO | ONE | ZERO |

export type ItemNumber = u32;

/** Words that need this many typos. */
export const ZERO: u32 = 1;
export const ONE: u32 = 2;
export const TWO: u32 = 4;
/** The text itself only. */
export const EXACT: u32 = 8;
/** What an item includes before any rule. */
export const ALL: u32 = ZERO | ONE | TWO;

const DERIVATION_BITS: u32 = 4;
const DERIVATIONS: u32 = (1 << DERIVATION_BITS) - 1;

/** Stands for the item before the first one of a path. */
export const NO_ITEM: ItemNumber = 0xffffffff;

/** A number above those of all items of this many nodes. */
export function itemNumbers(nodes: i32): u32 {
  return itemNumber(nodes, 0);
}

export function itemNumber(node: i32, derivations: u32): ItemNumber {
  return ((<u32>node) << DERIVATION_BITS) | derivations;
}

export function nodeNumber(item: ItemNumber): i32 {
  return <i32>(item >> DERIVATION_BITS);
}

export function derivationsOf(item: ItemNumber): u32 {
  return item & DERIVATIONS;
}

/** The item with only those of its derivations that are among the given ones. */
export function narrowedTo(item: ItemNumber, derivations: u32): ItemNumber {
  return item & (~DERIVATIONS | derivations);
}
