// A short cut for one term that very many documents match: the page will be full of the best possible
// documents, in the order of their numbers, and the first hundreds or thousands are enough to find these.
// Called by the driver, which checks that they were enough: otherwise it ranks all documents.
//
// The rules after Typo judge each document on its own. Among the documents at hand, only those that contain
// the exact word can be better for exactness. They are ranked along with the first ones; if there are too
// many of them, only those are where a field consists of just that word. The best ranks of all others are
// known.
import { MATCHES_START, NO_EXACT_MATCH } from "./corerule.ts";
import { Documents } from "./documents.ts";
import { SAMPLE_DOCUMENTS } from "./limits.ts";
import type { Paths, Rank, RuleName } from "./rule.ts";
import type { SearchCore } from "./searchcore.ts";

export interface Leading {
  /** Growing parts of the documents, the first ones, to be ranked for a page of `count` hits. */
  parts(count: number): Iterable<Documents>;
  /** True for ranks that no document outside of a part surpasses, except those that `completed` adds. */
  isBest(ranks: readonly Rank[]): boolean;
  /**
   * A part with all others that may be better: the part itself when there are none, null when they are too
   * many.
   */
  completed(part: Documents): Documents | null;
}

const LOCAL_RULES: ReadonlySet<RuleName> = new Set([
  "proximity",
  "attributeRank",
  "wordPosition",
  "exactAttribute",
  "exactWords",
]);

/** Number of documents, per hit of the page, that are tried first: enough if one in twenty is best. */
const FIRST_PART_RATIO = 25;
/** Up to this share, documents with the exact word count as few: then all of them complete a part. */
const HELD_SHARE_MAX = 0.25;

/**
 * @param names the rules that are still to run, on at least SAMPLED_DOCUMENTS_MIN documents. Returns null
 * when there is no short cut
 */
export function leadingDocuments(
  { bitmaps, core: { exports } }: SearchCore,
  names: readonly RuleName[],
  documents: Documents,
  paths: Paths,
): Leading | null {
  if (!names.every((name) => LOCAL_RULES.has(name)) || !exports.searchIsWord(paths)) return null;
  // The rule ExactAttribute never comes without ExactWords.
  const holding = names.includes("exactWords")
    ? exports.searchHolding(paths, documents.bitmap) >>> 0
    : bitmaps.create();
  const held = Documents.ofBitmap(bitmaps, holding);
  const areMany = held.count > Math.max(SAMPLE_DOCUMENTS, documents.count * HELD_SHARE_MAX);
  // If there are few, ranking them right away costs less than ranking a part again together with them.
  const areJoined = held.count <= SAMPLE_DOCUMENTS;
  const part = (count: number) => {
    const first = documents.head(count);
    return areJoined ? first.with(held) : first;
  };
  const isBest = ({ rule, rank, max }: Rank): boolean => {
    if (rule === "exactAttribute") return rank >= (areMany ? MATCHES_START : NO_EXACT_MATCH);
    return rank === max || (rule === "exactWords" && !areMany);
  };
  return {
    *parts(count) {
      const first = count * FIRST_PART_RATIO;
      if (first <= SAMPLE_DOCUMENTS / 2) yield part(first);
      yield part(SAMPLE_DOCUMENTS);
    },
    isBest: (ranks) => ranks.length === names.length && ranks.every(isBest),
    completed(part) {
      if (areJoined) return part;
      if (!areMany) return part.with(held);
      // The documents where the word is all of a field.
      const bitmap = exports.searchAlone(paths, held.bitmap) >>> 0;
      const alone = bitmap === 0 ? null : Documents.ofBitmap(bitmaps, bitmap);
      return alone && alone.count <= SAMPLE_DOCUMENTS ? part.with(alone) : null;
    },
  };
}
