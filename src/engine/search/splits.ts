// Into which two words of the index a text may be cut. Called by derive.ts.
import type { Lookups } from "./lookups.ts";
import type { Phrase } from "./parse.ts";
import type { Cut } from "./vocabulary.ts";

interface TextCut {
  left: string;
  right: string;
  places: readonly Cut[];
}

interface Split extends TextCut {
  /** Documents in which the words can be neighbours at most. */
  most: number;
}

/**
 * The cut of a text into two words that are most often neighbours, leftmost on ties; null when there is none,
 * or when it is the one behind `asked`: so the words stand in the query. Those are often frequent ones, and
 * need no counting unless another cut is there at all.
 */
export function bestSplit(lookups: Lookups, text: string, asked: string | null): Phrase | null {
  const cuts = cutsOf(lookups, text);
  const bounded = (cut: TextCut): Split => ({ ...cut, most: lookups.mostNear(cut.places) });
  let best: Split | null = null;
  let count = 0;
  const isBetter = (split: Split): boolean => {
    const isLefter = best !== null && split.left.length < best.left.length;
    const least = isLefter ? count - 1 : count;
    const found = split.most > least ? lookups.countNear(split.left, split.right) : 0;
    if (found <= least) return false;
    count = found;
    return true;
  };
  // The most promising come first, so that few of the others have to be counted.
  const others = cuts.filter(({ left }) => left !== asked).map(bounded);
  for (const split of others.sort((a, b) => b.most - a.most)) if (isBetter(split)) best = split;
  const own = best && cuts.find(({ left }) => left === asked);
  if (own && isBetter(bounded(own))) return null;
  return best && { slots: [best.left, best.right] };
}

function cutsOf(lookups: Lookups, text: string): TextCut[] {
  const letters = Buffer.from(text);
  return [...lookups.vocabulary.cuts(text)].map(([bytes, places]) => ({
    left: letters.toString("utf8", 0, bytes),
    right: letters.toString("utf8", bytes),
    places,
  }));
}
