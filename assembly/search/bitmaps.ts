// Bitmaps of the search: one bit per docid of the index, in the memory of the search. Used throughout this
// folder.
import { bitmapAndNot, bitmapAny, bitmapOr, bitmapOrInto } from "../bitmap";
import { alloc, allocZeroed } from "./arena";
import { bitmapWords } from "./context";

/** An empty bitmap. */
export function newBitmap(): usize {
  return allocZeroed((<usize>bitmapWords) << 3);
}

/** A bitmap with undefined contents. */
export function bitmapRoom(): usize {
  return alloc((<usize>bitmapWords) << 3);
}

export function copyBitmap(bitmap: usize): usize {
  const copy = bitmapRoom();
  memory.copy(copy, bitmap, (<usize>bitmapWords) << 3);
  return copy;
}

/** Union of two bitmaps; the other one itself when one is 0. */
export function unionOf(a: usize, b: usize): usize {
  if (!a || !b) return a | b;
  const union = bitmapRoom();
  bitmapOrInto(union, a, b, bitmapWords);
  return union;
}

/** The bitmap, or 0 when it is empty. */
export function someOf(bitmap: usize): usize {
  return bitmap && bitmapAny(bitmap, bitmapWords) ? bitmap : 0;
}

/** Adds documents found in a segment, without those deleted there. */
export function uniteLiving(target: usize, own: usize, tombstones: usize): void {
  bitmapAndNot(own, tombstones, bitmapWords);
  bitmapOr(target, own, bitmapWords);
}
