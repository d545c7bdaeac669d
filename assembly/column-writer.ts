// Makes the parts of one column of a segment from its entries (values-columns.ts draws them): the codes of
// each document, the documents of each code, posting lists. Called by src/segment/columnwriter.ts, for new
// documents and for merges. All arrays are u32; an array of starts has one more element than there are parts,
// the last one being the end of all.
import { postingsEncode } from "./postings-writer";

/**
 * Groups codes by document, in any order; returns the largest number of codes in one document. `starts` get
 * the start of each document in `codes`.
 */
export function columnGroup(entries: usize, count: i32, documents: i32, starts: usize, codes: usize): i32 {
  memory.fill(starts, 0, (<usize>documents + 1) << 2);
  const end = entries + (<usize>count << 3);
  let most: u32 = 0;
  for (let entry = entries; entry < end; entry += 8) most = max(most, countOne(starts, load<u32>(entry)));
  sumUp(starts, documents);
  for (let entry = entries; entry < end; entry += 8) {
    put(starts, load<u32>(entry), codes, load<u32>(entry, 4));
  }
  rewind(starts, documents);
  return <i32>most;
}

/** Groups documents by code, ascending. `lists`: starts of the `count` codes in `ordinals`. */
export function columnInvert(
  starts: usize,
  codes: usize,
  documents: i32,
  count: i32,
  lists: usize,
  ordinals: usize,
): void {
  memory.fill(lists, 0, (<usize>count + 1) << 2);
  const end = codes + (<usize>load<u32>(starts + (<usize>documents << 2)) << 2);
  for (let at = codes; at < end; at += 4) countOne(lists, load<u32>(at));
  sumUp(lists, count);
  let at = codes;
  for (let document = 0; document < documents; document++) {
    const to = codes + (<usize>load<u32>(starts + (<usize>document << 2), 4) << 2);
    for (; at < to; at += 4) put(lists, load<u32>(at), ordinals, document);
  }
  rewind(lists, count);
}

/** Puts the codes of each document in order, using the documents of each code from `columnInvert`. */
export function columnOrder(
  lists: usize,
  ordinals: usize,
  count: i32,
  documents: i32,
  starts: usize,
  codes: usize,
): void {
  let at = ordinals;
  for (let code = 0; code < count; code++) {
    const to = ordinals + (<usize>load<u32>(lists + (<usize>code << 2), 4) << 2);
    for (; at < to; at += 4) put(starts, load<u32>(at), codes, code);
  }
  rewind(starts, documents);
}

/** Writes the single code of each document to `out`, or `none` when it has no code. */
export function columnFill(starts: usize, codes: usize, documents: i32, none: u32, out: usize): void {
  for (let document = 0; document < documents; document++, starts += 4, out += 4) {
    const start = load<u32>(starts);
    store<u32>(out, load<u32>(starts, 4) > start ? load<u32>(codes + (<usize>start << 2)) : none);
  }
}

/** Replaces ordinals by the docids in `order`. */
export function columnDocids(ordinals: usize, count: i32, order: usize): void {
  for (const end = ordinals + (<usize>count << 2); ordinals < end; ordinals += 4) {
    store<u32>(ordinals, load<u32>(order + (<usize>load<u32>(ordinals) << 2)));
  }
}

/**
 * Encodes the posting lists of the codes from `from` on until the output is full; writes the bytes of each as
 * u32 to `lengths`. Returns how many codes are done.
 */
export function columnLists(
  lists: usize,
  docids: usize,
  from: i32,
  count: i32,
  out: usize,
  capacity: i32,
  lengths: usize,
): i32 {
  for (let code = from; code < count; code++, lengths += 4) {
    const start = load<u32>(lists + (<usize>code << 2));
    const df = <i32>(load<u32>(lists + (<usize>code << 2), 4) - start);
    const bytes = postingsEncode(docids + (<usize>start << 2), df, 0, 0, out, capacity);
    if (!bytes) return code - from;
    store<i32>(lengths, bytes);
    out += bytes;
    capacity -= bytes;
  }
  return count - from;
}

/** Adds one to the count of a part, kept in the place after its own; returns the count. */
function countOne(starts: usize, part: u32): u32 {
  const at = starts + (<usize>part << 2);
  const count = load<u32>(at, 4) + 1;
  store<u32>(at, count, 4);
  return count;
}

/** Turns counts into starts. */
function sumUp(starts: usize, parts: i32): void {
  let sum: u32 = 0;
  for (let part = 0; part <= parts; part++, starts += 4) {
    sum += load<u32>(starts);
    store<u32>(starts, sum);
  }
}

/** Writes a number at the start of a part and moves that start on. */
function put(starts: usize, part: u32, numbers: usize, number: u32): void {
  const at = starts + (<usize>part << 2);
  const start = load<u32>(at);
  store<u32>(numbers + (<usize>start << 2), number);
  store<u32>(at, start + 1);
}

/** Moves starts that have become ends back to their original values. */
function rewind(starts: usize, parts: i32): void {
  memory.copy(starts + 4, starts, <usize>parts << 2);
  store<u32>(starts, 0);
}
