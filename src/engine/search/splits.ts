// Into which two words of the index a text may be cut. Called by derive.ts.
import type { Lookups } from "./lookups.ts";
import type { Phrase } from "./parse.ts";

interface Cut {
  /** Letters of the left word. */
  at: number;
  left: string;
  right: string;
  /** Documents in which the words can be neighbours at most. */
  most: number;
}

/**
 * The cut of a text into two words that are most often neighbours, leftmost on ties; null when there is none,
 * or when it is the one behind `asked`: so the words stand in the query. Those are often frequent ones, and
 * need no counting unless another cut is there at all.
 */
export function bestSplit(lookups: Lookups, text: string, asked: string | null): Phrase | null {
  let best: Cut | null = null;
  let count = 0;
  const isBetter = (cut: Cut): boolean => {
    const least = best && cut.at < best.at ? count - 1 : count;
    const found = cut.most > least ? lookups.countNear(cut.left, cut.right) : 0;
    if (found <= least) return false;
    count = found;
    return true;
  };
  // The most promising come first, so that few of the others have to be counted.
  const cuts = cutsOf(lookups, text).sort((a, b) => b.most - a.most);
  for (const cut of cuts) if (cut.left !== asked && isBetter(cut)) best = cut;
  const own = best && cuts.find(({ left }) => left === asked);
  if (own && isBetter(own)) return null;
  return best && { slots: [best.left, best.right] };
}

function cutsOf(lookups: Lookups, text: string): Cut[] {
  const letters = [...text];
  const cuts: Cut[] = [];
  for (let at = 1; at < letters.length; at++) {
    const left = letters.slice(0, at).join("");
    const right = letters.slice(at).join("");
    const most = lookups.mostNear(left, right);
    if (most > 0) cuts.push({ at, left, right, most });
  }
  return cuts;
}
