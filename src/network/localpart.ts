// The queries of a federated search that this server runs: grouped by index, all indexes asked for at once.
// Called by federatedsearch.ts.
import type { Engine } from "../engine/engine.ts";
import type {
  FederatedRequest,
  IndexAnswer,
  IndexHit,
  IndexRequest,
  RequestFrame,
} from "../engine/federation/asked.ts";
import { RuleAgreement } from "../engine/federation/rulekinds.ts";
import { TarsierError } from "../errors.ts";
import type { InstanceInterface } from "../tasks/instance.ts";
import { type FederatedQuery, type FederatedSearch, pageOf, wantedOf } from "./federation.ts";

export interface LocalServices {
  instance: Pick<InstanceInterface, "handle" | "value">;
  engine: Pick<Engine, "searchFederated">;
}

/** What is asked of one index, and what it answers. */
export interface LocalPart {
  indexUid: string;
  request: IndexRequest;
  answer: IndexAnswer;
}

export interface LocalFind {
  /** By the `order` of hits. */
  parts: readonly LocalPart[];
  /** Hits, those of each list best first. */
  lists: readonly (readonly IndexHit[])[];
}

/** Status of an unknown index that a body names. */
const BAD_REQUEST = 400;

/**
 * One part for each index, in the order of their uids; without queries for an index whose facets alone are
 * asked for. `frame`: of frameOf.
 * @throws TarsierError of the first query that is refused, by index and then by position
 */
export async function searchLocally(
  { instance, engine }: LocalServices,
  search: FederatedSearch,
  frame: RequestFrame,
): Promise<LocalFind> {
  const queries = search.queries.filter((query) => query.remote === null);
  const { facetsByIndex } = search.federation;
  const byIndex = new Map<string, FederatedQuery[]>();
  for (const indexUid of facetsByIndex.keys()) byIndex.set(indexUid, []);
  for (const query of queries) {
    const own = byIndex.get(query.indexUid);
    if (own) own.push(query);
    else byIndex.set(query.indexUid, [query]);
  }
  const sorted = [...byIndex].sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = sorted.map(([indexUid, own]) => {
    const place = placeOf(search, indexUid, own);
    const index = told(place, () => instance.handle(indexUid));
    const queries = own.map(({ position, weight, query }) => ({ position, weight, query }));
    const facets = facetsByIndex.get(indexUid) ?? null;
    return { indexUid, place, request: { index, queries, facets, dropped: [] } };
  });
  const request: FederatedRequest = { ...frame, indexes: asked.map((part) => part.request) };
  const { answers, lists } = await engine.searchFederated(request);
  const agreement = new RuleAgreement();
  for (const [at, { place }] of asked.entries()) {
    // A thread answers nothing of the indexes behind one that refuses: that one's fault is thrown below.
    const answer = answers[at];
    for (const planned of answer.planned) agreement.add(planned);
    if (answer.fault === null) continue;
    const { code, message, position } = answer.fault;
    const fault = new TarsierError(code, { message });
    if (search.isOneQuery) throw fault;
    throw fault.inside(position === null ? place : `Inside ${nameOf(position)}`);
  }
  return { parts: asked.map((part, at) => ({ ...part, answer: answers[at] })), lists };
}

/** `remote`: as hits tell where they come from; undefined: they do not. */
export function frameOf(search: FederatedSearch, remote: string | null | undefined): RequestFrame {
  const page = pageOf(search.federation);
  return {
    ...{ wanted: wantedOf(page), isPaged: page.isPaged, distinct: search.federation.distinct },
    ...{ remote, isForRemote: search.isForRemote },
  };
}

/** Where an index is named: by its first query, or beside the queries. */
function placeOf({ queries }: FederatedSearch, indexUid: string, own: readonly FederatedQuery[]): string {
  if (own.length > 0) return `Inside ${nameOf(own[0].position)}`;
  const isUsed = queries.some((query) => query.indexUid === indexUid);
  const note = isUsed ? "" : ` (no query is about index \`${indexUid}\`)`;
  return `Inside \`.federation.facetsByIndex.${indexUid}\`${note}`;
}

const nameOf = (position: number): string => `\`.queries[${position}]\``;

function told<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof TarsierError ? error.inside(place, BAD_REQUEST) : error;
  }
}
