// Merges lists of hits, each in order, into one. Called for the queries of one index (indexsearch.ts) and
// for the lists of several indexes and servers (src/network/federatedsearch.ts).
import { compareScored, type Scored } from "./scorevalues.ts";

export interface Positioned extends Scored {
  /** Of its query in the request: of equal hits, the one of the first query comes first. */
  position: number;
}

export function* mergedHits<Hit extends Positioned>(lists: readonly (readonly Hit[])[]): Generator<Hit> {
  const heads = lists.filter((list) => list.length > 0).map((list) => ({ list, at: 0 }));
  while (heads.length > 0) {
    let best = heads[0];
    for (const head of heads) {
      const [own, first] = [head.list[head.at], best.list[best.at]];
      if (head !== best && (compareScored(own, first) || own.position - first.position) < 0) best = head;
    }
    yield best.list[best.at];
    best.at++;
    if (best.at === best.list.length) heads.splice(heads.indexOf(best), 1);
  }
}
