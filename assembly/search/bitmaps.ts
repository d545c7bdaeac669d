// Bitmaps of the search: bits of docids, in memory of the search, as long as those of the index. Called by
// the files of this folder.
import { bitmapAndNot, bitmapAny, bitmapOr, bitmapOrInto } from "../bitmap";
import { alloc, allocZeroed } from "./arena";
import { bitmapWords } from "./context";

/** An empty bitmap. */
export function newBitmap(): usize {
  return allocZeroed((<usize>bitmapWords) << 3);
}

/** A bitmap of undefined contents. */
export function bitmapRoom(): usize {
  return alloc((<usize>bitmapWords) << 3);
}

export function copyBitmap(bitmap: usize): usize {
  const copy = bitmapRoom();
  memory.copy(copy, bitmap, (<usize>bitmapWords) << 3);
  return copy;
}

/** A bitmap of what is in either; one of them where the other is 0. */
export function unionOf(a: usize, b: usize): usize {
  if (!a || !b) return a | b;
  const union = bitmapRoom();
  bitmapOrInto(union, a, b, bitmapWords);
  return union;
}

/** 0 in place of an empty bitmap. */
export function someOf(bitmap: usize): usize {
  return bitmap && bitmapAny(bitmap, bitmapWords) ? bitmap : 0;
}

/** Adds what was found in a segment, without what was deleted there. */
export function uniteLiving(target: usize, own: usize, tombstones: usize): void {
  bitmapAndNot(own, tombstones, bitmapWords);
  bitmapOr(target, own, bitmapWords);
}
