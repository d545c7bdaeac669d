// A facet search that is asked of every server of the network: what each has counted, added up. Called by
// src/operations/otherreads.ts.
import type { Static } from "typebox";
import * as Type from "typebox";
import { byCount } from "../engine/facets/commonhits.ts";
import type { FacetOrder } from "../engine/facets/distribution.ts";
import { facetText } from "../engine/filter/facettext.ts";
import type { ErrorObject } from "../errors.ts";
import { checker } from "../schemas/validator.ts";
import { answerJson } from "./answerjson.ts";
import { asked, callRemote, type RemoteCall, type RemoteTarget } from "./remotecall.ts";

const FacetHits = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer({ minimum: 0 }) }));
export type FacetHits = Static<typeof FacetHits>;

const Answer = Type.Object({ facetHits: FacetHits });
const checkAnswer = checker(Answer);

/** What the others are asked. */
interface RemoteFacetSearch {
  indexUid: string;
  /** Of the request; no other server asks further ones. */
  body: Record<string, unknown>;
}

export interface RemoteFacets {
  lists: FacetHits[];
  /** By name of the server. */
  errors: Record<string, ErrorObject>;
}

/** Never rejects: a server that does not answer has an error. */
export async function searchRemoteFacets(
  targets: readonly RemoteTarget[],
  { indexUid, body }: RemoteFacetSearch,
  call: RemoteCall,
): Promise<RemoteFacets> {
  const post = { path: `/indexes/${indexUid}/facet-search`, body: { ...body, useNetwork: false } };
  const read = async (answer: Buffer) => checkAnswer(await answerJson(answer.toString())).facetHits;
  const calls = targets.map((target) => asked(target.name, callRemote(target, post, read, call)));
  const outcomes = await Promise.all(calls);
  const failed = outcomes.flatMap(({ name, error }) => (error ? [[name, error] as const] : []));
  return {
    lists: outcomes.flatMap(({ answer }) => (answer ? [answer] : [])),
    errors: Object.fromEntries(failed),
  };
}

/**
 * Counts of the same value are added, spelled as the first list does; the best ones are kept. Each list holds
 * the best of its server alone: a value that is behind them everywhere may be missed.
 */
export function joinedFacetHits(
  lists: readonly FacetHits[],
  { order, most }: { order: FacetOrder; most: number },
): FacetHits {
  const known = new Map<string, { value: string; count: number; normal: Buffer }>();
  for (const { value, count } of lists.flat()) {
    const normal = facetText(value);
    const hit = known.get(normal);
    if (hit) hit.count += count;
    else known.set(normal, { value, count, normal: Buffer.from(normal) });
  }
  const sorted = [...known.values()].sort(
    order === "count" ? byCount : (a, b) => Buffer.compare(a.normal, b.normal),
  );
  return sorted.slice(0, most).map(({ value, count }) => ({ value, count }));
}
