// The rule AttributeRank for one word that very many documents match, using sets of documents: first those
// with the word in the fields named first, then those with it in the next ones. The first few usually fill
// the page, and the others are never looked at. Called by rule.ts.
import { bitmapMeet } from "../bitmap";
import { allocRecord } from "./arena";
import { bitmapRoom, newBitmap } from "./bitmaps";
import { beginBucket, Claims, claim, newClaims } from "./claims";
import { bitmapWords } from "./context";
import { addField, fieldCount, isAllowed, newFieldBits, weightMax, weightOf } from "./fields";
import { ItemNumber } from "./item-numbers";
import { nodeOf } from "./nodes";
import { itemAt, PATH_ROOM } from "./paths";
import { Path } from "./records";
import { allSources, FIRST_WORD, Sources, sourceFilter, sourceRanges } from "./sources";
import { addDocumentsIn } from "./words";

/** Each level costs a walk over the occurrences of the word. */
const WEIGHT_MAX: u32 = 3;

@unmanaged
export class FieldsWalk {
  claims: Claims;
  item: ItemNumber;
  /**
   * Weight of the fields of the next bucket; after the last one come documents without the word in any of
   * them.
   */
  weight: u32;
}

/** False when the path is more than one word, or there are too many levels. */
export function hasFieldLevels(path: Path): bool {
  return path.length == 1 && nodeOf(itemAt(path, 0)).size == 1 && weightMax > 0 && weightMax <= WEIGHT_MAX;
}

export function newFieldsWalk(documents: usize, path: Path): FieldsWalk {
  const walk = changetype<FieldsWalk>(allocRecord(offsetof<FieldsWalk>()));
  walk.claims = newClaims(documents);
  walk.item = itemAt(path, 0);
  return walk;
}

/** Fills the next bucket: see claims. Its cost is `weight` minus one. False when there is none. */
export function nextFields(walk: FieldsWalk): bool {
  const claims = walk.claims;
  while (walk.weight <= weightMax + 1 && beginBucket(claims)) {
    const weight = walk.weight++;
    const documents = weight > weightMax ? claims.left : documentsAt(walk.item, weight, claims.left);
    store<u32>(PATH_ROOM, walk.item);
    claim(claims, documents, PATH_ROOM, 1);
    if (claims.found) return true;
  }
  return false;
}

/** A new bitmap of those of some documents that have the word in a field of that weight. */
function documentsAt(item: ItemNumber, weight: u32, among: usize): usize {
  const bits = newFieldBits();
  for (let field = 0; field < fieldCount; field++) {
    if (isAllowed(field) && weightOf(field) == <i32>weight) addField(bits, field);
  }
  const sources = changetype<Sources>(allocRecord(offsetof<Sources>()));
  allSources(item, FIRST_WORD, sources);
  const found = newBitmap();
  let room: usize = 0;
  for (let i: u32 = 0; i < sources.count; i++) {
    const filter = sourceFilter(sources.start, i);
    let left = among;
    if (filter) {
      if (!room) room = bitmapRoom();
      left = room;
      bitmapMeet(left, among, filter, bitmapWords);
    }
    addDocumentsIn(found, sourceRanges(sources.start, i), bits, left);
  }
  return found;
}
