// The bucket that a rule fills with sets of documents: choices claim candidates, the first one wins, and the
// paths of choices that claimed something go on to the next rule. Called by words-rule.ts, typo-levels.ts and
// field-levels.ts.
//
// Sets of candidates are bitmaps of the index, or, if there are few, bitmaps of places in their list: after a
// sort, a rule may have to look at as many single documents as a page has, and bitmaps of the whole index for
// each of them would add up.
import {
  bitmapAndNot,
  bitmapAny,
  bitmapCount,
  bitmapHas,
  bitmapMeet,
  bitmapOr,
  bitmapSet,
  bitmapToList,
} from "../bitmap";
import { alloc, allocRecord, allocZeroed, arenaMark, arenaRelease } from "./arena";
import { copyBitmap } from "./bitmaps";
import { bitmapWords, excluded } from "./context";
import { bitmapOf, newDocuments } from "./documents";
import { addPath, newPathList, PathList, pathOf } from "./paths";
import { Documents } from "./records";

/** Up to this number, candidates are represented by places in their list. */
const PLACES_MAX: u32 = 256;

@unmanaged
export class Claims {
  /** Length of the bitmaps here in 64-bit words. */
  words: i32;
  /** The docids that bits stand for, u32 each; 0 when bits are docids themselves. */
  list: usize;
  /** Bitmap of the candidates that are in no bucket yet. */
  left: usize;
  /** Bitmap of the bucket; 0 while it is empty. */
  found: usize;
  paths: PathList;
}

/** `documents`: a bitmap of the index. */
export function newClaims(documents: usize): Claims {
  const claims = changetype<Claims>(allocRecord(offsetof<Claims>()));
  claims.words = bitmapWords;
  claims.left = copyBitmap(documents);
  return claims;
}

/** The same, with bits for places if the documents are few. */
export function newPlacedClaims(documents: Documents): Claims {
  const count = documents.count;
  if (count > PLACES_MAX || !documents.list) return newClaims(bitmapOf(documents));
  const claims = changetype<Claims>(allocRecord(offsetof<Claims>()));
  claims.words = <i32>((count + 63) >> 6);
  claims.list = documents.list;
  claims.left = allocZeroed((<usize>claims.words) << 3);
  for (let place: u32 = 0; place < count; place++) bitmapSet(claims.left, place);
  return claims;
}

/** Room for a bitmap of candidates. */
export function claimsRoom(claims: Claims): usize {
  return alloc((<usize>claims.words) << 3);
}

/** Writes to `out` those of some candidates that are in a bitmap of the index; false when there are none. */
export function meetCandidates(claims: Claims, out: usize, candidates: usize, documents: usize): bool {
  if (!claims.list) return bitmapMeet(out, candidates, documents, bitmapWords);
  let any: u64 = 0;
  for (let word = 0; word < claims.words; word++) {
    const at = (<usize>word) << 3;
    let met: u64 = 0;
    for (let bits = load<u64>(candidates + at); bits; bits &= bits - 1) {
      const place = ((<usize>word) << 6) + <usize>ctz<u64>(bits);
      if (bitmapHas(documents, bitmapWords, load<i32>(claims.list + (place << 2)))) met |= bits & (0 - bits);
    }
    store<u64>(out + at, met);
    any |= met;
  }
  return any != 0;
}

/** Begins the next bucket; false when no candidate is left for it. */
export function beginBucket(claims: Claims): bool {
  if (!bitmapAny(claims.left, claims.words)) return false;
  if (excluded) leaveOut(claims);
  claims.found = 0;
  claims.paths = newPathList();
  return true;
}

/** Takes out of the candidates what has been excluded since. */
function leaveOut(claims: Claims): void {
  if (!claims.list) {
    bitmapAndNot(claims.left, excluded, bitmapWords);
    return;
  }
  const mark = arenaMark();
  const out = claimsRoom(claims);
  if (meetCandidates(claims, out, claims.left, excluded)) bitmapAndNot(claims.left, out, claims.words);
  arenaRelease(mark);
}

/** Adds to the bucket those of some candidates that are left; `items`: the u32 items of the choice. */
export function claim(claims: Claims, candidates: usize, items: usize, length: u32): void {
  const mark = arenaMark();
  const claimed = claimsRoom(claims);
  if (!bitmapMeet(claimed, candidates, claims.left, claims.words)) {
    arenaRelease(mark);
    return;
  }
  bitmapAndNot(claims.left, claimed, claims.words);
  if (claims.found) bitmapOr(claims.found, claimed, claims.words);
  else claims.found = claimed;
  addPath(claims.paths, pathOf(items, length));
}

/** The documents of the bucket, which must not be empty. */
export function claimedDocuments(claims: Claims): Documents {
  const count = <u32>bitmapCount(claims.found, claims.words);
  if (!claims.list) return newDocuments(count, 0, claims.found);
  const list = alloc(((<usize>count) << 2) + 16);
  bitmapToList(claims.found, claims.words, 0, list, count);
  for (let at = list, end = list + ((<usize>count) << 2); at < end; at += 4) {
    store<u32>(at, load<u32>(claims.list + ((<usize>load<u32>(at)) << 2)));
  }
  return newDocuments(count, list, 0);
}
