// A short cut for one term that very many documents match: the page is full of documents that are as good as
// can be, in the order of their numbers, so the first hundreds or thousands are enough to find them. Called
// by the driver, which checks that they were: otherwise it ranks all of them.
//
// The rules after Typo look at each document alone. Among the documents at hand only those that hold the word
// as it stands can be better for exactness. They are ranked beside the first ones, or, when they are many
// themselves, only those where a field is that word and nothing else. Of the others the best ranks are known.
import { MATCHES_START, NO_EXACT_MATCH } from "./corerule.ts";
import { Documents } from "./documents.ts";
import { SAMPLE_DOCUMENTS } from "./limits.ts";
import type { Paths, Rank, RuleName } from "./rule.ts";
import type { SearchCore } from "./searchcore.ts";

export interface Leading {
  /** The first ones of the documents, then more of them, to be ranked for a page of so many. */
  parts(count: number): Iterable<Documents>;
  /** True for ranks that no document outside of a part surpasses, but those that complete it. */
  isBest(ranks: readonly Rank[]): boolean;
  /** A part with all others that may be better: itself when there are none, null when they are too many. */
  completed(part: Documents): Documents | null;
}

const LOCAL_RULES: ReadonlySet<RuleName> = new Set([
  "proximity",
  "attributeRank",
  "wordPosition",
  "exactAttribute",
  "exactWords",
]);

/** For each document of the page so many are tried first: enough where one in twenty is best. */
const FIRST_PART_RATIO = 25;
/** Documents that hold the word are few up to this share: then all of them complete a part. */
const HELD_SHARE_MAX = 0.25;

/**
 * @param names the rules that are still to run, on at least SAMPLED_DOCUMENTS_MIN documents. Returns null
 * where the short cut does not lead anywhere
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
  // To rank few of them at once costs less than to rank a part again with them.
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
      // Those where the word is all of a field.
      const bitmap = exports.searchAlone(paths, held.bitmap) >>> 0;
      const alone = bitmap === 0 ? null : Documents.ofBitmap(bitmaps, bitmap);
      return alone && alone.count <= SAMPLE_DOCUMENTS ? part.with(alone) : null;
    },
  };
}
