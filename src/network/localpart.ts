// The queries of a federated search that this server runs: grouped by index, the indexes searched at the same
// time. Called by federatedsearch.ts.
import type { Engine, IndexHandle } from "../engine/engine.ts";
import type { IndexAnswer, IndexRequest } from "../engine/federation/indexsearch.ts";
import { RuleAgreement } from "../engine/federation/rulekinds.ts";
import { TarsierError } from "../errors.ts";
import type { InstanceInterface } from "../tasks/instance.ts";
import { type FederatedQuery, type FederatedSearch, pageOf, wantedOf } from "./federation.ts";

export interface LocalServices {
  instance: Pick<InstanceInterface, "handle" | "value">;
  engine: Pick<Engine, "searchFederated">;
}

export interface LocalPart {
  indexUid: string;
  handle: IndexHandle;
  request: IndexRequest;
  answer: IndexAnswer;
}

/** Status of an unknown index that a body names. */
const BAD_REQUEST = 400;

/**
 * One part for each index, in the order of their uids; without queries for an index whose facets alone are
 * asked for.
 * @throws TarsierError of the first query that is refused, by index and then by position
 */
export async function searchLocally(
  { instance, engine }: LocalServices,
  search: FederatedSearch,
  remote: string | null | undefined,
): Promise<LocalPart[]> {
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
    const handle = told(place, () => instance.handle(indexUid));
    return { indexUid, place, handle, request: requestOf(search, indexUid, own, remote) };
  });
  const parts = await Promise.all(
    asked.map(async (part) => ({ ...part, answer: await engine.searchFederated(part.handle, part.request) })),
  );
  const agreement = new RuleAgreement();
  for (const { answer, place } of parts) {
    for (const planned of answer.planned) agreement.add(planned);
    if (answer.fault === null) continue;
    const { code, message, position } = answer.fault;
    const fault = new TarsierError(code, { message });
    if (search.isOneQuery) throw fault;
    throw fault.inside(position === null ? place : `Inside ${nameOf(position)}`);
  }
  return parts;
}

function requestOf(
  search: FederatedSearch,
  indexUid: string,
  queries: readonly FederatedQuery[],
  remote: string | null | undefined,
): IndexRequest {
  const page = pageOf(search.federation);
  return {
    indexUid,
    queries: queries.map(({ position, weight, query }) => ({ position, weight, query })),
    wanted: wantedOf(page),
    isPaged: page.isPaged,
    facets: search.federation.facetsByIndex.get(indexUid) ?? null,
    distinct: search.federation.distinct,
    remote,
    isForRemote: search.isForRemote,
    dropped: [],
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
