// Many neighbouring posting lists into one bitmap, in one call: the documents of a range of values of a column. Called by
// src/segment/column.ts.
import { postingsIntoBitmap } from "./postings";

/**
 * Adds the lists `from` to `to` (exclusive) to a bitmap. `starts`: u32 start of each list behind `lists`, one closing; an empty
 * list is none. Returns 0, -1 when a list is damaged.
 */
export function postingsUnion(
  starts: usize,
  from: i32,
  to: i32,
  lists: usize,
  bitmap: usize,
  words: i32,
): i32 {
  let start = load<u32>(starts + (<usize>from << 2));
  for (let index = from + 1; index <= to; index++) {
    const end = load<u32>(starts + (<usize>index << 2));
    if (end < start) return -1;
    if (end > start && postingsIntoBitmap(lists + start, end - start, bitmap, words) < 0) return -1;
    start = end;
  }
  return 0;
}
