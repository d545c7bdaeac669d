// The bucket that a rule is filling by sets of documents: choices claim candidates, the first one wins, and
// the paths of choices that claimed something go on to the next rule. Called by words-rule.ts,
// typo-levels.ts and field-levels.ts.
import { bitmapAndNot, bitmapAny, bitmapMeet, bitmapOr } from "../bitmap";
import { allocRecord, arenaMark, arenaRelease } from "./arena";
import { bitmapRoom, copyBitmap } from "./bitmaps";
import { bitmapWords, excluded } from "./context";
import { addPath, newPathList, PathList, pathOf } from "./paths";

@unmanaged
export class Claims {
  /** Bitmap of the candidates that no bucket has. */
  left: usize;
  /** Bitmap of the bucket; 0 while it is empty. */
  found: usize;
  paths: PathList;
}

export function newClaims(documents: usize): Claims {
  const claims = changetype<Claims>(allocRecord(offsetof<Claims>()));
  claims.left = copyBitmap(documents);
  return claims;
}

/** Begins the next bucket; false when no candidate is left for it. */
export function beginBucket(claims: Claims): bool {
  if (!bitmapAny(claims.left, bitmapWords)) return false;
  if (excluded) bitmapAndNot(claims.left, excluded, bitmapWords);
  claims.found = 0;
  claims.paths = newPathList();
  return true;
}

/** Gives the bucket those of some documents that are left; `items`: u32 items of the choice. */
export function claim(claims: Claims, documents: usize, items: usize, length: u32): void {
  const mark = arenaMark();
  const claimed = bitmapRoom();
  if (!bitmapMeet(claimed, documents, claims.left, bitmapWords)) {
    arenaRelease(mark);
    return;
  }
  bitmapAndNot(claims.left, claimed, bitmapWords);
  if (claims.found) bitmapOr(claims.found, claimed, bitmapWords);
  else claims.found = claimed;
  addPath(claims.paths, pathOf(items, length));
}
