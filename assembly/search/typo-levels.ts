// The rule Typo for one path over many documents, using sets of documents: tries all ways to distribute a
// number of typos over the items of the path, in order. Called by rule.ts.
import { bitmapMeet } from "../bitmap";
import { allocRecord } from "./arena";
import { bitmapRoom } from "./bitmaps";
import { beginBucket, Claims, claim, newClaims } from "./claims";
import { bitmapWords } from "./context";
import { knownItem, levelOf } from "./items";
import { itemAt, PATH_ROOM } from "./paths";
import { Path } from "./records";
import { typoBase, typoNarrowed, typosLeft } from "./steps";

@unmanaged
export class LevelsWalk {
  claims: Claims;
  path: Path;
  /** Address (u32) of the room for a bitmap at each depth of the walk. */
  rooms: usize;
  /** Typos of the next bucket, not counting those that the path has in any case. */
  typos: u32;
  base: u32;
  /** The most typos that a document can have. */
  most: u32;
}

let levelsWalked: LevelsWalk = changetype<LevelsWalk>(0);

export function newLevelsWalk(documents: usize, path: Path, most: u32): LevelsWalk {
  const walk = changetype<LevelsWalk>(allocRecord(offsetof<LevelsWalk>()));
  walk.claims = newClaims(documents);
  walk.path = path;
  walk.most = most;
  walk.rooms = allocRecord((<usize>path.length) << 2);
  for (let i: u32 = 0; i < path.length; i++) {
    walk.base += typoBase(itemAt(path, i));
    store<u32>(walk.rooms + ((<usize>i) << 2), <u32>bitmapRoom());
  }
  return walk;
}

/**
 * Fills the next bucket: see claims. Its cost is `base` plus `typos`, minus one. False when there is none.
 */
export function nextLevels(walk: LevelsWalk): bool {
  levelsWalked = walk;
  while (walk.typos + walk.base <= walk.most && beginBucket(walk.claims)) {
    claimFromItem(0, walk.claims.left, walk.typos);
    walk.typos++;
    if (walk.claims.found) return true;
  }
  return false;
}

function claimFromItem(at: u32, candidates: usize, typos: u32): void {
  const path = levelsWalked.path;
  if (at == path.length) {
    if (typos == 0) claim(levelsWalked.claims, candidates, PATH_ROOM, at);
    return;
  }
  const number = itemAt(path, at);
  const most = min(typos, typosLeft(number));
  for (let level: u32 = 0; level <= most; level++) {
    const documents = levelOf(knownItem(number), level);
    if (!documents) continue;
    const room: usize = load<u32>(levelsWalked.rooms + ((<usize>at) << 2));
    if (!bitmapMeet(room, candidates, documents, bitmapWords)) continue;
    store<u32>(PATH_ROOM + ((<usize>at) << 2), typoNarrowed(number, level));
    claimFromItem(at + 1, room, typos - level);
  }
}
