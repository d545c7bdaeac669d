// A short cut for one term that very many documents match: the page is full of documents that are as good as
// can be, in the order of their numbers, so the first few thousand are enough to find them. Called by the
// driver, which checks that they were: otherwise it ranks all of them.
//
// The rules after Typo look at each document alone. Among the documents at hand only those that hold the word
// as it stands can be better for exactness: they are set apart and ranked in full, or, when they are many
// themselves, only those where a field is that word and nothing else. Of the others the best ranks are known.
import { Documents } from "./documents.ts";
import { MATCHES_START, NO_EXACT_MATCH } from "./exactness.ts";
import type { Path } from "./graph.ts";
import { SAMPLE_DOCUMENTS } from "./limits.ts";
import type { Lookups } from "./lookups.ts";
import { exactTerm } from "./matching.ts";
import type { Rank, Ranking, RuleName } from "./rule.ts";

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
/** Fields in which the word is looked for alone: each costs a walk over its occurrences. */
const FIELDS_MAX = 4;

/**
 * @param names the rules that are still to run, on at least SAMPLED_DOCUMENTS_MIN documents. Returns null
 * where the short cut does not lead anywhere
 */
export function leadingDocuments(
  ranking: Ranking,
  names: readonly RuleName[],
  documents: Documents,
  paths: readonly Path[],
): Leading | null {
  if (!names.every((name) => LOCAL_RULES.has(name))) return null;
  if (paths.length !== 1 || paths[0].length !== 1 || paths[0][0].node.size !== 1) return null;
  const { lookups } = ranking.occurrences.matching;
  const { bitmaps } = lookups;
  const term = names.includes("exactWords") ? exactTerm(paths[0][0]) : null;
  if (term && (term.slots.length !== 1 || term.slots[0] === null)) return null;
  const held = Documents.ofBitmap(
    bitmaps,
    term ? bitmaps.intersection(documents.bitmap, lookups.phrase(term)) : bitmaps.create(),
  );
  // Where only few hold the word, all of them are special.
  const few = Math.max(SAMPLE_DOCUMENTS, documents.count * SPECIAL_PART_MAX);
  const areMany = held.count > few;
  const isBest = ({ rule, rank, max }: Rank): boolean => {
    if (rule === "exactAttribute") return rank >= (areMany ? MATCHES_START : NO_EXACT_MATCH);
    return rank === max || (rule === "exactWords" && !areMany);
  };
  return {
    sample: documents.head(SAMPLE_DOCUMENTS),
    isBest: (ranks) => ranks.length === names.length && ranks.every(isBest),
    special: () => (areMany ? aloneIn(lookups, term!.slots[0]!, held) : held),
  };
}

/** Those among some documents where a word is all of a field; null when they, or the fields, are too many. */
function aloneIn(lookups: Lookups, word: string, held: Documents): Documents | null {
  const { bitmaps } = lookups;
  const fields = lookups.fields.flatMap(({ allowed }, field) => (allowed ? [field] : []));
  if (fields.length > FIELDS_MAX) return null;
  const alone = bitmaps.create();
  for (const field of fields) {
    const single = bitmaps.intersection(lookups.counted(field, 1), held.bitmap);
    if (bitmaps.any(single)) bitmaps.or(alone, lookups.wordIn(word, field, single));
  }
  const special = Documents.ofBitmap(bitmaps, alone);
  return special.count > SAMPLE_DOCUMENTS ? null : special;
}
