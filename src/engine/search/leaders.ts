// A short cut for one term that very many documents match: the page is full of documents that are as good as
// can be, in the order of their numbers, so the first few thousand are enough to find them. Called by the
// driver, which checks that they were: otherwise it ranks all of them.
//
// The rules after Typo look at each document alone. Among the documents at hand only those that hold the word
// as it stands can be better for exactness: they are set apart and ranked in full, or, when they are many
// themselves, only those where a field is that word and nothing else. Of the others the best ranks are known.
import { MATCHES_START, NO_EXACT_MATCH } from "./corerule.ts";
import { Documents } from "./documents.ts";
import { SAMPLE_DOCUMENTS } from "./limits.ts";
import type { Paths, Rank, RuleName } from "./rule.ts";
import type { SearchCore } from "./searchcore.ts";

export interface Leading {
  /** The first ones of the documents. */
  sample: Documents;
  /** True for ranks that no document surpasses but special ones. */
  isBest(ranks: readonly Rank[]): boolean;
  /** Documents that may be better than all others: null when there are too many to be ranked. */
  special(): Documents | null;
}

const LOCAL_RULES: ReadonlySet<RuleName> = new Set([
  "proximity",
  "attributeRank",
  "wordPosition",
  "exactAttribute",
  "exactWords",
]);

/** So many of the documents may be ranked in full beside the sample. */
const SPECIAL_PART_MAX = 0.25;

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
  const holding = names.includes("exactWords")
    ? exports.searchHolding(paths, documents.bitmap) >>> 0
    : bitmaps.create();
  const held = Documents.ofBitmap(bitmaps, holding);
  // Where only few hold the word, all of them are special.
  const few = Math.max(SAMPLE_DOCUMENTS, documents.count * SPECIAL_PART_MAX);
  const areMany = held.count > few;
  const isBest = ({ rule, rank, max }: Rank): boolean => {
    if (rule === "exactAttribute") return rank >= (areMany ? MATCHES_START : NO_EXACT_MATCH);
    return rank === max || (rule === "exactWords" && !areMany);
  };
  /** Those where the word is all of a field; null when they, or the fields, are too many. */
  const alone = () => {
    const bitmap = exports.searchAlone(paths, held.bitmap) >>> 0;
    const special = bitmap === 0 ? null : Documents.ofBitmap(bitmaps, bitmap);
    return special && special.count <= SAMPLE_DOCUMENTS ? special : null;
  };
  return {
    sample: documents.head(SAMPLE_DOCUMENTS),
    isBest: (ranks) => ranks.length === names.length && ranks.every(isBest),
    special: () => (areMany ? alone() : held),
  };
}
