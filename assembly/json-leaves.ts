// The list of leaves that the walker (json-walker.ts) collects from one document, and their order. A leaf is
// one step of a field's position counter: text, or nothing. Record:
//
//   0             4            8           10
//   | address u32 | length u32 | field u16 | kind u16 |     12 bytes

export const LEAF_BYTES: usize = 12;

/**
 * Kinds of leaf: nothing to tokenise; text as written; a string with escapes; a number that must be printed.
 */
export const LEAF_EMPTY: u32 = 0;
export const LEAF_TEXT: u32 = 1;
export const LEAF_ESCAPED: u32 = 2;
export const LEAF_NUMBER: u32 = 3;

/** From this many leaves on, merging beats insertion. */
const INSERTION_MAX: i32 = 24;

export function leafStore(leaf: usize, field: i32, kind: u32, address: usize, length: i32): void {
  store<u32>(leaf, <u32>address);
  store<i32>(leaf, length, 4);
  store<u32>(leaf, <u32>field | (kind << 16), 8);
}

export function leafAddress(leaf: usize): usize {
  return <usize>load<u32>(leaf);
}

export function leafLength(leaf: usize): i32 {
  return load<i32>(leaf, 4);
}

export function leafField(leaf: usize): i32 {
  return load<u16>(leaf, 8);
}

export function leafKind(leaf: usize): u32 {
  return load<u16>(leaf, 10);
}

/**
 * Orders `count` leaves by field number; those of one field keep their order. False when the room up to `end`
 * is too small: many leaves need as much room again.
 */
export function leavesOrder(leaves: usize, count: i32, end: usize): bool {
  if (count <= INSERTION_MAX) {
    insertionOrder(leaves, count);
    return true;
  }
  const bytes = <usize>count * LEAF_BYTES;
  if (<u64>leaves + <u64>bytes * 2 > <u64>end) return false;
  let from = leaves;
  let to = leaves + bytes;
  for (let width = LEAF_BYTES; width < bytes; width <<= 1) {
    for (let at: usize = 0; at < bytes; at += width << 1) {
      const middle = at + width < bytes ? at + width : bytes;
      const after = at + (width << 1) < bytes ? at + (width << 1) : bytes;
      merge(from + at, from + middle, from + after, to + at);
    }
    const spare = from;
    from = to;
    to = spare;
  }
  if (from != leaves) memory.copy(leaves, from, bytes);
  return true;
}

function insertionOrder(leaves: usize, count: i32): void {
  const end = leaves + <usize>count * LEAF_BYTES;
  for (let leaf = leaves + LEAF_BYTES; leaf < end; leaf += LEAF_BYTES) {
    const field = leafField(leaf);
    if (leafField(leaf - LEAF_BYTES) <= field) continue;
    const place = load<u64>(leaf);
    const rest = load<u32>(leaf, 8);
    let at = leaf;
    for (; at > leaves && leafField(at - LEAF_BYTES) > field; at -= LEAF_BYTES) leafCopy(at, at - LEAF_BYTES);
    store<u64>(at, place);
    store<u32>(at, rest, 8);
  }
}

/** Merges the runs [left, middle) and [middle, end) into `to`; the left one wins ties. */
function merge(left: usize, middle: usize, end: usize, to: usize): void {
  let right = middle;
  while (left < middle && right < end) {
    const takeRight = leafField(right) < leafField(left);
    leafCopy(to, takeRight ? right : left);
    if (takeRight) right += LEAF_BYTES;
    else left += LEAF_BYTES;
    to += LEAF_BYTES;
  }
  for (; left < middle; left += LEAF_BYTES, to += LEAF_BYTES) leafCopy(to, left);
  for (; right < end; right += LEAF_BYTES, to += LEAF_BYTES) leafCopy(to, right);
}

function leafCopy(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u32>(to, load<u32>(from, 8), 8);
}
