// Finds the two words of the index into which a text may be split. Called by the host
// (src/engine/search/searchcore.ts).
import { bitmapCount } from "../bitmap";
import { dictionaryCuts } from "../dictionary";
import { DICTIONARY_CUT_BYTES } from "../dictionary-format";
import { alloc, allocRecord } from "./arena";
import { bitmapWords, dictionaryOf, segmentCount } from "./context";
import { nearDocuments } from "./neighbours";
import { newRanges, partDocuments, partOf } from "./parts";
import { Ranges } from "./records";

/** No text has more cuts. */
const CUTS_MAX: i32 = 480;

/** A cut of the text, with its words in all segments that contain both. */
@unmanaged
class Cut {
  bytes: u32;
  /** Most documents in which the words can be neighbours. */
  most: u32;
  isCounted: bool;
  left: Ranges;
  right: Ranges;
}

/**
 * The cut of a text into two words that are most often neighbours, leftmost on ties, given as the bytes of
 * its left word. 0 when there is none, or when it is the cut after `asked` bytes: then the two words are in
 * the query anyway. Those are often frequent words, and are only counted if there is another cut.
 */
export function searchSplit(text: usize, length: i32, asked: u32): u32 {
  const cuts = allocRecord(<usize>CUTS_MAX * offsetof<Cut>());
  const count = readCuts(text, length, cuts);
  let best: u32 = 0;
  let most = 0;
  for (let next = nextCut(cuts, count, asked); next >= 0; next = nextCut(cuts, count, asked)) {
    const cut = cutAt(cuts, next);
    const least = best && cut.bytes < best ? most - 1 : most;
    const found = countOver(cut, least);
    cut.isCounted = true;
    if (found <= least) continue;
    most = found;
    best = cut.bytes;
  }
  for (let i = 0; i < count && best; i++) {
    const cut = cutAt(cuts, i);
    if (cut.bytes != asked) continue;
    const least = cut.bytes < best ? most - 1 : most;
    if (countOver(cut, least) > least) return 0;
  }
  return best;
}

function cutAt(cuts: usize, index: i32): Cut {
  return changetype<Cut>(cuts + <usize>index * offsetof<Cut>());
}

/** Collects the cuts found in all segments, each only once; returns how many. */
function readCuts(text: usize, length: i32, cuts: usize): i32 {
  const out = alloc(DICTIONARY_CUT_BYTES * <usize>CUTS_MAX);
  let count = 0;
  for (let segment = 0; segment < segmentCount; segment++) {
    const found = dictionaryCuts(dictionaryOf(segment), text, length, out, CUTS_MAX);
    for (let i: usize = 0; i < <usize>found; i++) {
      const row = out + i * DICTIONARY_CUT_BYTES;
      const bytes = load<u32>(row);
      let at = 0;
      while (at < count && cutAt(cuts, at).bytes != bytes) at++;
      const cut = cutAt(cuts, at);
      if (at == count) {
        if (count == CUTS_MAX) break;
        count++;
        cut.bytes = bytes;
        cut.left = newRanges();
        cut.right = newRanges();
      }
      const left = partOf(cut.left, segment);
      const right = partOf(cut.right, segment);
      left.from = load<u32>(row, 4);
      left.to = left.from + 1;
      right.from = load<u32>(row, 8);
      right.to = right.from + 1;
      cut.most += min(partDocuments(left, segment), partDocuments(right, segment));
    }
  }
  return count;
}

/** The most promising cut that was not counted yet, or -1: so few of the others have to be counted. */
function nextCut(cuts: usize, count: i32, asked: u32): i32 {
  let next = -1;
  for (let i = 0; i < count; i++) {
    const cut = cutAt(cuts, i);
    if (cut.isCounted || cut.bytes == asked) continue;
    if (next < 0 || cut.most > cutAt(cuts, next).most) next = i;
  }
  return next;
}

/**
 * Number of documents where the words of a cut are neighbours; not counted when there cannot be more than
 * `least`.
 */
function countOver(cut: Cut, least: i32): i32 {
  if (<i32>cut.most <= least) return 0;
  return bitmapCount(nearDocuments(cut.left, cut.right, 1), bitmapWords);
}
