// What a rule knows about paths before it looks at documents: which of them can match at all, and how much
// they can cost. Called by evaluation.ts and rule.ts.
import { hasForms } from "./forms";
import { ItemNumber } from "./item-numbers";
import { itemDocuments } from "./items";
import { addPath, itemAt, newPathList, pathAt, pathsOf, previousOf } from "./paths";
import { ATTRIBUTE_RANK, PathSet, WORD_POSITION } from "./records";
import { mostOf } from "./steps";

/** The highest cost that any of the paths can have, which is one less than the best rank. */
export function pathsMost(rule: i32, paths: PathSet): u32 {
  let most: u32 = 0;
  for (let i: u32 = 0; i < paths.count; i++) {
    const path = pathAt(paths, i);
    let sum: u32 = 0;
    for (let at: u32 = 0; at < path.length; at++) sum += mostOf(rule, previousOf(path, at), itemAt(path, at));
    most = max(most, sum);
  }
  return most;
}

/** The paths whose items all occur. */
export function livingPaths(rule: i32, paths: PathSet): PathSet {
  const living = newPathList();
  // Items are also found in fields where look-ups do not search for them.
  const looksEverywhere = rule == ATTRIBUTE_RANK || rule == WORD_POSITION;
  for (let i: u32 = 0; i < paths.count; i++) {
    const path = pathAt(paths, i);
    let at: u32 = 0;
    while (at < path.length && occurs(itemAt(path, at), looksEverywhere)) at++;
    if (at == path.length) addPath(living, path);
  }
  return pathsOf(living);
}

function occurs(item: ItemNumber, looksEverywhere: bool): bool {
  return itemDocuments(item) != 0 || (looksEverywhere && hasForms(item));
}
