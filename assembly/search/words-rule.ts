// The rule Words: documents that match more of the query come first. A path may skip a term that the matching
// strategy drops; terms that are dropped before it must then be skipped, too, to its right. Called by
// rule.ts.
import { allocRecord } from "./arena";
import { beginBucket, Claims, claim, claimsRoom, meetCandidates, newPlacedClaims } from "./claims";
import { ALL, itemNumber } from "./item-numbers";
import { itemDocuments } from "./items";
import { nodeAt, nodeCount, nodeOf, termCount } from "./nodes";
import { addPath, newPath, newPathList, PATH_ROOM, pathsOf, setItem } from "./paths";
import { slotOf } from "./phrases";
import { Documents, HOLE, NGRAM, PathSet } from "./records";
import { isRemovable, orderOf, STAYS, termNode } from "./removal";

@unmanaged
export class WordsWalk {
  claims: Claims;
  /** Address (u32) of the room for a bitmap at each depth of the walk. */
  rooms: usize;
  /** Number of terms that the next bucket lacks. */
  cost: i32;
  removable: i32;
  max: i32;
}

let wordsWalked: WordsWalk = changetype<WordsWalk>(0);

export function newWordsWalk(documents: Documents): WordsWalk {
  const walk = changetype<WordsWalk>(allocRecord(offsetof<WordsWalk>()));
  walk.claims = newPlacedClaims(documents);
  walk.rooms = allocRecord((<usize>termCount) << 2);
  for (let term: usize = 0; term < <usize>termCount; term++) {
    store<u32>(walk.rooms + (term << 2), <u32>claimsRoom(walk.claims));
  }
  walk.removable = removableTerms();
  walk.max = wordsMax();
  return walk;
}

/** The best rank. */
export function wordsMax(): i32 {
  let phraseWords = 0;
  for (let index = 0; index < nodeCount; index++) {
    const node = nodeAt(index);
    if (node.flags & NGRAM) continue;
    const phrase = node.phrase;
    if (!phrase) continue;
    for (let slot: u32 = 0; slot < phrase.count; slot++) phraseWords += i32(slotOf(phrase, slot) != HOLE);
  }
  return 1 + max(0, phraseWords - 1) + removableTerms();
}

function removableTerms(): i32 {
  let removable = 0;
  for (let index = 0; index < nodeCount; index++) {
    const node = nodeAt(index);
    if (!(node.flags & NGRAM) && isRemovable(node)) removable++;
  }
  return removable;
}

/**
 * Fills the next bucket: see claims. Its rank is `max` minus `cost`, minus one more. False when there is
 * none.
 */
export function nextWords(walk: WordsWalk): bool {
  wordsWalked = walk;
  while (walk.cost <= walk.removable && beginBucket(walk.claims)) {
    claimFromTerm(0, walk.claims.left, walk.cost, 0, 0);
    walk.cost++;
    if (walk.claims.found) return true;
  }
  return false;
}

/** The paths of a query with a single node. */
export function onlyWords(): PathSet {
  const paths = newPathList();
  const item = itemNumber(0, ALL);
  const path = newPath(1);
  setItem(path, 0, item);
  if (itemDocuments(item)) addPath(paths, path);
  return pathsOf(paths);
}

/**
 * Claims the candidates of all choices of `cost` from a term on; nothing that is dropped before `floor` may
 * be matched.
 */
function claimFromTerm(term: u32, candidates: usize, cost: i32, floor: u32, kept: u32): void {
  if (term == <u32>termCount) {
    if (cost == 0) claim(wordsWalked.claims, candidates, PATH_ROOM, kept);
    return;
  }
  if (cost > 0) {
    const order = orderOf(nodeAt(termNode(term)));
    if (order != STAYS) claimFromTerm(term + 1, candidates, cost - 1, max(floor, order), kept);
  }
  for (let index = 0; index < nodeCount; index++) {
    const item = itemNumber(index, ALL);
    const node = nodeOf(item);
    if (node.from != term || orderOf(node) < floor || cost > termCount - <i32>node.to - 1) continue;
    const documents = itemDocuments(item);
    if (!documents) continue;
    const room: usize = load<u32>(wordsWalked.rooms + ((<usize>kept) << 2));
    if (!meetCandidates(wordsWalked.claims, room, candidates, documents)) continue;
    store<u32>(PATH_ROOM + ((<usize>kept) << 2), item);
    claimFromTerm(node.to + 1, room, cost, floor, kept + 1);
  }
}
