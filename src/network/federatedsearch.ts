// A federated search: the queries of this server and of others run at the same time, and their hits are
// merged into one list. Called by federation.ts and networksearch.ts of src/operations; federatedanswer.ts
// turns the result into JSON.
import type { IndexFacets, IndexHit, RequestFrame } from "../engine/federation/asked.ts";
import { mergedHits } from "../engine/federation/merge.ts";
import { Steps } from "../engine/search/steps.ts";
import type { Turn } from "../engine/turn.ts";
import type { OutboundClient } from "../outbound/client.ts";
import { federatedFacets } from "./federatedfacets.ts";
import { type FederatedResult, type FederatedSearch, pageOf, type QueryMetadata } from "./federation.ts";
import {
  askedParts,
  frameOf,
  type LocalFind,
  type LocalPart,
  type LocalServices,
  searchLocally,
} from "./localpart.ts";
import type { RemoteAnswer, RemoteHit } from "./remoteanswer.ts";
import { type Asked, asked } from "./remotecall.ts";
import { searchRemote } from "./remotepart.ts";
import { networkOf } from "./topology.ts";

interface FederationServices extends LocalServices {
  outbound: OutboundClient;
  /** Waits for a turn for the part that this server searches itself; remotes are awaited outside of turns. */
  inTurn<T>(search: (turn: Turn) => Promise<T>): Promise<T>;
  remoteTimeoutMs: number;
}

/** Throws the TarsierError of a local query; failures of remotes are in the result. */
export async function searchFederated(
  services: FederationServices,
  search: FederatedSearch,
): Promise<FederatedResult> {
  const network = networkOf(services.instance);
  const isNetworked = search.queries.some(({ remote }) => remote !== null);
  const local = atHome(search, network.self);
  // Refused early: no remote is needed for it, and no turn if no query comes before it.
  const { parts: askedHere, fault } = askedParts(services.instance, local);
  if (fault && askedHere.length === 0) throw fault;
  const names = fault ? [] : [...new Set(local.queries.flatMap(({ remote }) => remote ?? []))];
  const stop = new AbortController();
  const steps = new Steps();
  const ask = () => names.map((name) => askRemote(services, local, name, stop.signal));
  const answering = steps.time("start remote search", ask);
  const frame = frameOf(local, isNetworked ? network.self : undefined);
  const queued = performance.now();
  let queueMs = 0;
  const running = services.inTurn((turn) => {
    queueMs = performance.now() - queued;
    return steps.wait("execute local search", () => searchLocally(services, local, frame, turn));
  });
  const found = await running.catch((error) => {
    stop.abort();
    throw error;
  });
  const remotes = await steps.wait("wait for remote results", () => Promise.all(answering));
  const answers = remotes.flatMap(({ answer }) => answer ?? []);
  const { hits, dropped, total, semanticHits } = steps.time("merge results", () =>
    mergedPage(local, found, answers),
  );
  const { parts } = found;
  const isSemantic = parts.some(({ answer }) => answer.isSemantic);
  const counted = await steps.wait("merge facets", () => recounted(services, frame, parts, dropped));
  const errors = remotes.flatMap(({ name, error }) => (error ? [[name, error] as const] : []));
  return {
    hits,
    total,
    semanticHitCount: isSemantic ? semanticHits : null,
    queryVectors: Object.assign(
      Object.fromEntries(parts.flatMap(({ answer }) => answer.queryVectors)),
      ...answers.map(({ queryVectors }) => queryVectors),
    ),
    ...federatedFacets(local, counted, answers),
    remoteErrors: isNetworked ? Object.fromEntries(errors) : null,
    metadata: metadataOf(search, parts, remotes, isNetworked ? network.self : null),
    steps,
    queueMs,
    remoteMs: Math.max(0, ...answers.map(({ processingTimeMs }) => processingTimeMs)),
  };
}

/** Makes queries for a remote that is this server local. */
function atHome(search: FederatedSearch, self: string | null): FederatedSearch {
  const queries = search.queries.map((query) =>
    query.remote !== null && query.remote === self ? { ...query, remote: null } : query,
  );
  return { ...search, queries };
}

function askRemote(
  { instance, outbound, remoteTimeoutMs }: FederationServices,
  search: FederatedSearch,
  name: string,
  signal: AbortSignal,
): Promise<Asked<RemoteAnswer>> {
  const remote = networkOf(instance).remotes[name];
  return asked(
    name,
    searchRemote({ name, remote }, search, { outbound, timeoutMs: remoteTimeoutMs, signal }),
  );
}

interface MergedPage {
  hits: Uint8Array[];
  total: number;
  semanticHits: number;
  /** For each local part, docids whose distinct value another hit already had. */
  dropped: Map<LocalPart, number[]>;
}

function mergedPage(
  search: FederatedSearch,
  { parts, lists: own, passed: before }: LocalFind,
  remotes: readonly RemoteAnswer[],
): MergedPage {
  const { offset, limit } = pageOf(search.federation);
  const lists = [...own, ...remotes.map(({ hits }) => hits)];
  const totals = [...parts.map(({ answer }) => answer.total), ...remotes.map(({ total }) => total)];
  const dropped = new Map<LocalPart, number[]>();
  const keys = new Set<string>();
  const hits: Uint8Array[] = [];
  let total = totals.reduce((sum, own) => sum + own, 0);
  let passed = before;
  let semanticHits = 0;
  for (const hit of mergedHits<IndexHit | RemoteHit>(lists)) {
    const isFull = hits.length === limit;
    // Hits after the page may still be duplicates and then reduce the total.
    if (isFull && search.federation.distinct === null) break;
    if (hit.keys?.some((key) => keys.has(key))) {
      total--;
      if ("docid" in hit) noteDropped(dropped, parts[hit.order], hit.docid);
      continue;
    }
    for (const key of hit.keys ?? []) keys.add(key);
    if (isFull || passed++ < offset) continue;
    hits.push("bytes" in hit ? hit.bytes : hit.write());
    if (hit.values.some((value) => "vectorSort" in value)) semanticHits++;
  }
  return { hits, total, dropped, semanticHits };
}

function noteDropped(dropped: Map<LocalPart, number[]>, part: LocalPart, docid: number): void {
  const docids = dropped.get(part);
  if (docids) docids.push(docid);
  else dropped.set(part, [docid]);
}

/**
 * Counts the facets again for indexes of which the merge dropped documents. Minimum and maximum stay as they
 * were, as in the reference.
 */
function recounted(
  { engine, inTurn }: FederationServices,
  frame: RequestFrame,
  parts: readonly LocalPart[],
  dropped: ReadonlyMap<LocalPart, readonly number[]>,
): Promise<LocalPart[]> {
  return Promise.all(
    parts.map(async (part) => {
      const docids = dropped.get(part);
      const { facets } = part.answer;
      if (!docids || facets === null) return part;
      const request = { ...frame, indexes: [{ ...part.request, dropped: docids }] };
      const { answers } = await inTurn((turn) => engine.searchFederated(request, turn));
      const [answer] = answers;
      return { ...part, answer: { ...answer, facets: answer.facets && withRangesOf(answer.facets, facets) } };
    }),
  );
}

function withRangesOf(facets: IndexFacets, { counts }: IndexFacets): IndexFacets {
  const ranges = new Map(counts.map(({ name, range }) => [name, range]));
  const kept = facets.counts.map((count) => ({ ...count, range: ranges.get(count.name) ?? null }));
  return { ...facets, counts: kept };
}

/**
 * A query for a named server has only what that server says of its index; one for all servers has one entry.
 */
function metadataOf(
  { queries }: FederatedSearch,
  parts: readonly LocalPart[],
  remotes: readonly Asked<RemoteAnswer>[],
  self: string | null,
): QueryMetadata[] {
  const places = new Map<string, number>();
  const keys = new Map(parts.map(({ indexUid, answer }) => [indexUid, answer.primaryKey]));
  const answers = new Map(remotes.map(({ name, answer }) => [name, answer]));
  return queries.flatMap(({ query, indexUid, remote, isSpread }) => {
    const at = remote === null ? 0 : (places.get(remote) ?? 0);
    if (remote !== null) places.set(remote, at + 1);
    const name = remote ?? self;
    if (isSpread && name !== self) return [];
    const isHere = remote === null || isSpread;
    const primaryKey = isHere ? keys.get(indexUid) : answers.get(remote)?.primaryKeys[at];
    const told = { ...(primaryKey && { primaryKey }), ...(name !== null && { remote: name }) };
    return [{ queryUid: query.queryUid ?? "", indexUid, ...told }];
  });
}
