// Finds the documents that match a query: what is left of its graph when all terms that can be dropped are
// dropped. Called by the host.
import { bitmapMeet } from "../bitmap";
import { allocRecord } from "./arena";
import { bitmapRoom, newBitmap, unionOf } from "./bitmaps";
import { bitmapWords } from "./context";
import { ALL, itemNumber } from "./item-numbers";
import { itemDocuments } from "./items";
import { nodeAt, nodeCount, termCount } from "./nodes";
import { isRemovable, orderTerms } from "./removal";

/**
 * Bitmap of the documents of `universe` that match the terms which cannot be dropped. `strategy`: 0 all terms
 * stay, 1 the last are dropped first, 2 the most frequent are dropped first.
 */
export function searchMatched(universe: usize, strategy: i32): usize {
  orderTerms(strategy);
  // For each term, a bitmap of the documents that match everything before it.
  const reached = allocRecord((<usize>(termCount + 1)) << 2);
  store<u32>(reached, <u32>universe);
  for (let term: u32 = 0; term < <u32>termCount; term++) {
    const here: usize = load<u32>(reached + ((<usize>term) << 2));
    if (!here) continue;
    for (let index = 0; index < nodeCount; index++) {
      const node = nodeAt(index);
      if (node.from != term) continue;
      const documents = itemDocuments(itemNumber(index, ALL));
      let behind = here;
      if (!isRemovable(node)) {
        if (!documents) continue;
        behind = bitmapRoom();
        bitmapMeet(behind, here, documents, bitmapWords);
      }
      const at = reached + ((<usize>(node.to + 1)) << 2);
      store<u32>(at, <u32>unionOf(load<u32>(at), behind));
    }
  }
  const matched: usize = load<u32>(reached + ((<usize>termCount) << 2));
  return matched ? matched : newBitmap();
}
