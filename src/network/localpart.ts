// The queries of a federated search that this server runs: grouped by index, with all indexes asked at once.
// Called by federatedsearch.ts.
import type { Engine } from "../engine/engine.ts";
import type {
  FederatedRequest,
  IndexAnswer,
  IndexHit,
  IndexQuery,
  IndexRequest,
  RequestFrame,
} from "../engine/federation/asked.ts";
import { RuleAgreement } from "../engine/federation/rulekinds.ts";
import type { IndexHandle } from "../engine/indexhandle.ts";
import type { Turn } from "../engine/turn.ts";
import { TarsierError } from "../errors.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";
import { type FederatedQuery, type FederatedSearch, pageOf, wantedOf } from "./federation.ts";

export interface LocalServices {
  instance: Pick<InstanceInterface, "handle" | "value">;
  engine: Pick<Engine, "searchFederated">;
}

/** The request to one index, and its answer. */
export interface LocalPart {
  indexUid: string;
  request: IndexRequest;
  answer: IndexAnswer;
}

export interface LocalFind {
  /** Indexed by the `order` of hits. */
  parts: readonly LocalPart[];
  /** Hits; each list has its best first. */
  lists: readonly (readonly IndexHit[])[];
  /** Number of hits that come before all of these. */
  passed: number;
}

/** Status for an unknown index that is named in a body. */
const BAD_REQUEST = 400;

/**
 * One part per index, by uid, then parts without queries for indexes of which only facets are requested.
 * `frame`: made by frameOf.
 * @throws TarsierError of the first query that is refused, by index, then by position
 */
export async function searchLocally(
  { instance, engine }: LocalServices,
  search: FederatedSearch,
  frame: RequestFrame,
  turn: Turn,
): Promise<LocalFind> {
  const { parts, fault } = askedParts(instance, search);
  const request: FederatedRequest = { ...frame, indexes: parts.map((part) => part.request) };
  const { answers, lists, passed } = await engine.searchFederated(request, turn);
  const agreement = new RuleAgreement();
  for (const [at, { place }] of parts.entries()) {
    // After an index that refuses, a thread answers for no further ones: that refusal is thrown below.
    const answer = answers[at];
    for (const planned of answer.planned) agreement.add(planned);
    if (answer.fault === null) continue;
    const { code, message, position } = answer.fault;
    const refusal = new TarsierError(code, { message });
    if (search.isOneQuery) throw refusal;
    throw refusal.inside(position === null ? place : `Inside ${nameOf(position)}`);
  }
  if (fault) throw fault;
  return { parts: parts.map((part, at) => ({ ...part, answer: answers[at] })), lists, passed };
}

type AskedPart = Omit<LocalPart, "answer"> & { place: string };

/** The request to each index, up to the first fault found in the body itself. */
export function askedParts(
  instance: LocalServices["instance"],
  search: FederatedSearch,
): { parts: AskedPart[]; fault: TarsierError | null } {
  const { facetsByIndex } = search.federation;
  const parts: AskedPart[] = [];
  for (const [indexUid, own] of byIndex(search)) {
    const place = placeOf(search, indexUid, own);
    let index: IndexHandle | null = null;
    const unknown = faultOf(place, () => {
      index = instance.handle(indexUid);
    });
    if (index === null) return { parts, fault: unknown };
    const { queries, fault } = checkedQueries(own);
    // The facets of an index are checked after its queries.
    const facets = fault ? null : (facetsByIndex.get(indexUid) ?? null);
    const request = { index, queries, facets, dropped: [] };
    parts.push({ indexUid, place, request });
    if (fault) return { parts, fault };
  }
  return { parts, fault: null };
}

/** The queries before the first one that asks for what it may not. */
function checkedQueries(own: readonly FederatedQuery[]): {
  queries: IndexQuery[];
  fault: TarsierError | null;
} {
  const queries: IndexQuery[] = [];
  for (const { position, weight, query, check } of own) {
    const fault = faultOf(`Inside ${nameOf(position)}`, check);
    if (fault) return { queries, fault };
    queries.push({ position, weight, query });
  }
  return { queries, fault: null };
}

/** The queries of each index, in order. */
function byIndex({ queries, federation }: FederatedSearch): [indexUid: string, own: FederatedQuery[]][] {
  const queried = new Map<string, FederatedQuery[]>();
  for (const query of queries) {
    if (query.remote !== null) continue;
    const own = queried.get(query.indexUid);
    if (own) own.push(query);
    else queried.set(query.indexUid, [query]);
  }
  const others = [...federation.facetsByIndex.keys()].filter((indexUid) => !queried.has(indexUid));
  const byUid = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
  return [
    ...[...queried].sort(byUid),
    ...others.map((indexUid): [string, FederatedQuery[]] => [indexUid, []]).sort(byUid),
  ];
}

/** `remote`: the server that hits name as their origin; undefined: they name none. */
export function frameOf(search: FederatedSearch, remote: string | null | undefined): RequestFrame {
  const page = pageOf(search.federation);
  const isAllHere = !search.isForRemote && search.queries.every((query) => query.remote === null);
  return {
    wanted: wantedOf(page),
    passed: isAllHere && search.federation.distinct === null ? page.offset : 0,
    isPaged: page.isPaged,
    distinct: search.federation.distinct,
    remote,
    isForRemote: search.isForRemote,
  };
}

/** Where the request names the index: in its first query, or outside the queries. */
function placeOf({ queries }: FederatedSearch, indexUid: string, own: readonly FederatedQuery[]): string {
  if (own.length > 0) return `Inside ${nameOf(own[0].position)}`;
  const isUsed = queries.some((query) => query.indexUid === indexUid);
  const note = isUsed ? "" : ` (no query is about index \`${indexUid}\`)`;
  return `Inside \`.federation.facetsByIndex.${indexUid}\`${note}`;
}

const nameOf = (position: number): string => `\`.queries[${position}]\``;

function faultOf(place: string, check: () => unknown): TarsierError | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof TarsierError) return error.inside(place, BAD_REQUEST);
    throw error;
  }
}
