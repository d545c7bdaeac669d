// The kinds of ranking rules that a query runs, in order: hits of several queries can only be merged when
// these agree. Determined in the search threads (indexsearch.ts), compared over all indexes of a request
// (src/network/federatedsearch.ts).
import { TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Criterion } from "../search/criterion.ts";
import { searchKind } from "../search/semantic.ts";
import { criterionOfRule } from "../search/sorting.ts";

type RuleKind = "relevancy" | "asc" | "desc" | "geo asc" | "geo desc";

/** Kinds of a query's rules; relevancy rules in a row count as one. */
export function ruleKinds(
  { rankingRules }: Settings,
  query: Pick<SearchQuery, "q" | "matchingStrategy" | "media" | "vector" | "hybrid">,
  criteria: readonly Criterion[],
): RuleKind[] {
  const isByVectors = searchKind(query) === "semantic";
  const isPlaceholder = !isByVectors && (query.q ?? "").trim() === "";
  const kinds: RuleKind[] = [];
  const fields = new Set<string>();
  let hasRelevancy = false;
  const sortBy = (criterion: Criterion) => {
    if (criterion.kind === "geo") kinds.push(`geo ${criterion.direction}`);
    else if (!fields.has(criterion.name)) kinds.push(criterion.direction);
    if (criterion.kind === "field") fields.add(criterion.name);
  };
  for (const rule of rankingRules) {
    const own = criterionOfRule(rule);
    if (own) sortBy(own);
    else if (rule === "sort") criteria.forEach(sortBy);
    else if (isByVectors) {
      // The first rule of relevancy stands for the vectors; one that follows a sort ends the list.
      if (!hasRelevancy) kinds.push("relevancy");
      else if (kinds.at(-1) !== "relevancy") break;
      hasRelevancy = true;
    } else if (!isPlaceholder) {
      // Rule `words` runs before the first relevancy rule, wherever it is named; with strategy `all` it does
      // not run.
      if (rule === "words" && (query.matchingStrategy === "all" || hasRelevancy)) continue;
      if (kinds.at(-1) !== "relevancy") kinds.push("relevancy");
      hasRelevancy = true;
    }
  }
  return kinds;
}

export interface PlannedQuery {
  position: number;
  kinds: readonly RuleKind[];
}

/** Compares each query with the one that has the most rules among those before it. */
export class RuleAgreement {
  #longest: PlannedQuery | null = null;

  /** @throws TarsierError `invalid_multi_search_query_ranking_rules` */
  add(planned: PlannedQuery): void {
    const longest = this.#longest;
    if (longest === null) {
      this.#longest = planned;
      return;
    }
    const common = Math.min(longest.kinds.length, planned.kinds.length);
    for (let i = 0; i < common; i++) {
      if (longest.kinds[i] !== planned.kinds[i]) throw disagreement(longest, planned, i);
    }
    if (planned.kinds.length > longest.kinds.length) this.#longest = planned;
  }
}

function disagreement(before: PlannedQuery, planned: PlannedQuery, at: number): TarsierError {
  const asIn = `as in \`.queries[${before.position}]\``;
  return new TarsierError("invalid_multi_search_query_ranking_rules", {
    place: `Inside \`.queries[${planned.position}]\``,
    expected: `a ranking rule of kind \`${before.kinds[at]}\` as rule #${at}, ${asIn}`,
    found: `one of kind \`${planned.kinds[at]}\`: hits that are sorted differently cannot be merged`,
  });
}
