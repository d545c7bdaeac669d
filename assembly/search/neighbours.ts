// Finds documents where two words are near each other, once per search. Called by phrases.ts and splits.ts.
import { matchNear, matchNearBytes } from "../matching-near";
import { postingsCount } from "../postings";
import { allocRecord, allocSum, arenaMark, arenaRelease } from "./arena";
import { newBitmap, uniteLiving } from "./bitmaps";
import { bitmapWords, isByAttribute, segmentCount, tombstonesOf } from "./context";
import { fieldCount, fieldFlags } from "./fields";
import {
  loadPart,
  partOf,
  termPositions,
  termPositionsBytes,
  termPostings,
  termPostingsBytes,
} from "./parts";
import { MISSING, Part, Ranges } from "./records";

/** Known bitmaps of neighbours, newest first. */
@unmanaged
class Near {
  next: Near;
  a: Ranges;
  b: Ranges;
  most: i32;
  documents: usize;
}

let nears: Near = changetype<Near>(0);

/** Forgets the neighbours found in the previous search. */
export function neighboursBegin(): void {
  nears = changetype<Near>(0);
}

/**
 * Documents where word b follows word a at a distance of at most `most`, or, by attribute, where a field of
 * the search contains both; the bitmap must not be written to.
 */
export function nearDocuments(a: Ranges, b: Ranges, most: i32): usize {
  if (isByAttribute) most = 0;
  for (let near = nears; changetype<usize>(near); near = near.next) {
    if (near.most == most && areSame(a, b, near.a, near.b)) return near.documents;
  }
  const documents = newBitmap();
  const near = changetype<Near>(allocRecord(offsetof<Near>()));
  near.next = nears;
  near.a = a;
  near.b = b;
  near.most = most;
  near.documents = documents;
  nears = near;
  if (isMissing(a) || isMissing(b)) return documents;
  for (let segment = 0; segment < segmentCount; segment++) {
    const left = partOf(a, segment);
    const right = partOf(b, segment);
    if (left.from >= left.to || right.from >= right.to) continue;
    loadPart(left, segment);
    loadPart(right, segment);
    const tombstones = tombstonesOf(segment);
    const mark = arenaMark();
    const own = tombstones ? newBitmap() : documents;
    addNear(own, left, right, most);
    if (tombstones) uniteLiving(documents, own, tombstones);
    arenaRelease(mark);
  }
  return documents;
}

/** Do both pairs of words stand for the same terms in the same segments? */
function areSame(a: Ranges, b: Ranges, otherA: Ranges, otherB: Ranges): bool {
  if (a == otherA && b == otherB) return true;
  if (isMissing(a) || isMissing(b) || isMissing(otherA) || isMissing(otherB)) return false;
  for (let segment = 0; segment < segmentCount; segment++) {
    const place = meeting(a, b, segment);
    if (place != meeting(otherA, otherB, segment)) return false;
  }
  return true;
}

function isMissing(ranges: Ranges): bool {
  return changetype<usize>(ranges) == MISSING;
}

/** Both terms of a segment as one number, or the largest number when one is missing. */
function meeting(a: Ranges, b: Ranges, segment: i32): u64 {
  const left = partOf(a, segment);
  const right = partOf(b, segment);
  if (left.from >= left.to || right.from >= right.to) return u64.MAX_VALUE;
  return ((<u64>left.from) << 32) | <u64>right.from;
}

function addNear(bitmap: usize, a: Part, b: Part, most: i32): void {
  const left = termPostings(a, 0);
  const leftBytes = termPostingsBytes(a, 0);
  const right = termPostings(b, 0);
  const rightBytes = termPostingsBytes(b, 0);
  const leftCount = max(0, postingsCount(left, leftBytes));
  const rightCount = max(0, postingsCount(right, rightBytes));
  const mark = arenaMark();
  const room = allocSum(matchNearBytes(leftCount, rightCount));
  matchNear(
    left,
    leftBytes,
    termPositions(a, 0),
    termPositionsBytes(a, 0),
    right,
    rightBytes,
    termPositions(b, 0),
    termPositionsBytes(b, 0),
    most,
    isByAttribute ? fieldFlags : 0,
    fieldCount,
    room,
    bitmap,
    bitmapWords,
  );
  arenaRelease(mark);
}
