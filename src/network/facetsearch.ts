// A facet search on every server of the network: the counts of all, added up. Called by
// src/operations/otherreads.ts.
import type { Static } from "typebox";
import * as Type from "typebox";
import { byCount } from "../engine/facets/commonhits.ts";
import type { FacetOrder } from "../engine/facets/distribution.ts";
import { facetText } from "../engine/filter/facettext.ts";
import type { ErrorObject } from "../errors.ts";
import { checker } from "../schemas/validator.ts";
import { answerJson, refuseMore } from "./answerjson.ts";
import { asked, callRemote, type RemoteCall, type RemoteTarget } from "./remotecall.ts";

const FacetHits = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer({ minimum: 0 }) }));
export type FacetHits = Static<typeof FacetHits>;

/** A server gives as many as its setting `faceting.maxValuesPerFacet` says, 100 by default. */
const FACET_HITS_MAX = 100_000;

const Answer = Type.Object({ facetHits: FacetHits });
const checkAnswer = checker(Answer);

/** The question to the other servers. */
interface RemoteFacetSearch {
  indexUid: string;
  /** That of the request; the other servers ask no further ones. */
  body: Record<string, unknown>;
}

interface RemoteFacets {
  lists: FacetHits[];
  /** By name of the server. */
  errors: Record<string, ErrorObject>;
}

/** Never rejects: a server that does not answer is listed in `errors`. */
export async function searchRemoteFacets(
  targets: readonly RemoteTarget[],
  { indexUid, body }: RemoteFacetSearch,
  call: RemoteCall,
): Promise<RemoteFacets> {
  const post = { path: `/indexes/${indexUid}/facet-search`, body: { ...body, useNetwork: false } };
  const read = async (answer: Buffer) => {
    const json = await answerJson(answer.toString());
    refuseMore(json, "facetHits", FACET_HITS_MAX);
    return checkAnswer(json).facetHits;
  };
  const calls = targets.map((target) => asked(target.name, callRemote(target, post, read, call)));
  const outcomes = await Promise.all(calls);
  const failed = outcomes.flatMap(({ name, error }) => (error ? [[name, error] as const] : []));
  return {
    lists: outcomes.flatMap(({ answer }) => (answer ? [answer] : [])),
    errors: Object.fromEntries(failed),
  };
}

/**
 * Adds the counts of equal values, spelled as in the first list, and keeps the best ones. Each list holds
 * only the best of its server, so a value just below them on every server may be missed.
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
