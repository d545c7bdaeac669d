// The member `_federation` of a hit, as JSON: which query found it, and how good it is. Called by
// indexsearch.ts and src/network.
import { floatText } from "../../core/floattext.ts";

interface FederationMember {
  indexUid: string;
  queriesPosition: number;
  weightedRankingScore: number;
  /** Server that found it, where servers are named; null: this one, which has no name. */
  remote?: string | null;
}

/** `more`: further members. */
export function federationText(
  { indexUid, queriesPosition, weightedRankingScore, remote }: FederationMember,
  more: Record<string, unknown> = {},
): string {
  const score = floatText(weightedRankingScore);
  const found = `"queriesPosition":${queriesPosition},"weightedRankingScore":${score}`;
  const others = JSON.stringify({ remote, ...more }).slice(1);
  return `{"indexUid":${JSON.stringify(indexUid)},${found}${others === "}" ? "" : ","}${others}`;
}
