// Which documents match: ranges of posting lists turned into bitmaps (a bit per docid). Called by
// search/words.ts; format: postings.ts.
import { postingsIntoBitmap } from "./postings";

/**
 * Adds the documents of `count` terms whose lists lie one behind the other from `lists` on; `starts`: count +
 * 1 u32 offsets of which the first belongs to `lists`.
 */
export function matchRange(lists: usize, starts: usize, count: i32, bitmap: usize, words: i32): void {
  const base = load<u32>(starts);
  for (let i = 0; i < count; i++, starts += 4) {
    const start = load<u32>(starts);
    const length = <i32>(load<u32>(starts, 4) - start);
    postingsIntoBitmap(lists + <usize>(start - base), length, bitmap, words);
  }
}
