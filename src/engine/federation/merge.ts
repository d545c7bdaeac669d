// Merges lists of hits, each in order, into one. Called for the queries of one index (indexsearch.ts) and
// for the lists of several indexes and servers (src/network/federatedsearch.ts).
import { compareScored, type Scored } from "./scorevalues.ts";

export interface Positioned extends Scored {
  /** Of its query in the request: of equal hits, the one of the first query comes first. */
  position: number;
}

/** Hits, each with the number of its list. There may be thousands of lists: their first hits are a heap. */
export function* mergedHits<Hit extends Positioned>(
  lists: readonly (readonly Hit[])[],
): Generator<[hit: Hit, order: number]> {
  const heads = lists.flatMap((list, order) => (list.length > 0 ? [{ list, order, at: 0 }] : []));
  for (let place = (heads.length >> 1) - 1; place >= 0; place--) sink(heads, place);
  while (heads.length > 0) {
    const best = heads[0];
    yield [best.list[best.at], best.order];
    best.at++;
    if (best.at === best.list.length) {
      const last = heads.pop()!;
      if (heads.length === 0) return;
      heads[0] = last;
    }
    sink(heads, 0);
  }
}

/** A list, and its first hit that is not merged. */
interface Head {
  list: readonly Positioned[];
  /** Of the list: of hits that are equal in all, the one of the first list comes first. */
  order: number;
  at: number;
}

/** Restores the order of a heap below a place. */
function sink(heads: Head[], place: number): void {
  for (;;) {
    let best = place;
    for (const child of [2 * place + 1, 2 * place + 2])
      if (child < heads.length && isBefore(heads[child], heads[best])) best = child;
    if (best === place) return;
    [heads[place], heads[best]] = [heads[best], heads[place]];
    place = best;
  }
}

function isBefore(a: Head, b: Head): boolean {
  const [own, other] = [a.list[a.at], b.list[b.at]];
  return (compareScored(own, other) || own.position - other.position || a.order - b.order) < 0;
}
