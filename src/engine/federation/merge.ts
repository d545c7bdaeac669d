// Merges lists of hits, each in order, into one. Called for the queries and indexes of one thread
// (besthits.ts) and for the lists of several threads and servers (src/network: federatedsearch.ts, and
// documentlists.ts for documents).
import { compareScored, type Scored } from "../search/scorevalues.ts";

export interface Positioned extends Scored {
  /** Place of its query in the request: of equal hits, the one of the first query comes first. */
  position: number;
  /**
   * Place of its index in the request: of equal hits of one query, the one of the first index comes first.
   */
  order: number;
}

/** Merges the hits in order. There may be thousands of lists, so a heap holds their first hits. */
export function* mergedHits<Hit extends Positioned>(lists: readonly (readonly Hit[])[]): Generator<Hit> {
  const heads = lists.flatMap((list, number) => (list.length > 0 ? [{ list, number, at: 0 }] : []));
  for (let place = (heads.length >> 1) - 1; place >= 0; place--) sink(heads, place);
  while (heads.length > 0) {
    const best = heads[0];
    yield best.list[best.at];
    best.at++;
    if (best.at === best.list.length) {
      const last = heads.pop()!;
      if (heads.length === 0) return;
      heads[0] = last;
    }
    sink(heads, 0);
  }
}

/** A list, and its first hit that is not merged yet. */
interface Head<Hit extends Positioned = Positioned> {
  list: readonly Hit[];
  /** Number of the list: of hits that are otherwise equal, the one of the first list comes first. */
  number: number;
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

const isBefore = (a: Head, b: Head): boolean =>
  (comparePositioned(a.list[a.at], b.list[b.at]) || a.number - b.number) < 0;

/** Below 0: `a` comes first; above 0: `b` does. */
export const comparePositioned = (a: Positioned, b: Positioned): number =>
  compareScored(a, b) || a.position - b.position || a.order - b.order;
