// The queries of a federated search for one other server, sent in one request. Called by federatedsearch.ts.
import { type FederatedQuery, type FederatedSearch, pageOf, wantedOf } from "./federation.ts";
import { HIT_BYTES_HEADER } from "./hitbytes.ts";
import { type RemoteAnswer, readRemoteAnswer } from "./remoteanswer.ts";
import { callRemote, type RemoteCall, type RemoteTarget } from "./remotecall.ts";
import { marked } from "./remoterequest.ts";

/**
 * Tells another server that its hits will be merged: it adds what that needs, and asks no further servers.
 */
export const PROXY_HEADERS = ["svc-proxy-search", "meili-proxy-search"] as const;
const METADATA_HEADERS = ["svc-include-metadata", "meili-include-metadata"] as const;

/** The hits of the queries on that server. Throws a TarsierError of a `proxy_*` code. */
export async function searchRemote(
  target: RemoteTarget,
  search: FederatedSearch,
  call: RemoteCall,
): Promise<RemoteAnswer> {
  const { name } = target;
  const queries = search.queries.filter((query) => query.remote === name);
  const post = { path: "/multi-search", body: bodyOf(search, queries), headers: marksOf(search.hasMetadata) };
  const most = wantedOf(pageOf(search.federation));
  return callRemote(target, post, (answer) => readRemoteAnswer(name, answer, most), call);
}

function bodyOf(search: FederatedSearch, queries: readonly FederatedQuery[]): unknown {
  const { federation } = search;
  const page = pageOf(federation);
  const wanted = wantedOf(page);
  const uids = new Set(queries.map(({ indexUid }) => indexUid));
  const facets = [...federation.facetsByIndex].filter(([indexUid]) => uids.has(indexUid));
  return {
    queries: queries.map(({ body, weight, position }) => {
      return { ...body(), federationOptions: { weight, remote: null, queryPosition: position } };
    }),
    federation: {
      ...(page.isPaged ? { page: 1, hitsPerPage: wanted } : { offset: 0, limit: wanted }),
      facetsByIndex: Object.fromEntries(facets),
      ...(federation.distinct !== null && { distinct: federation.distinct }),
    },
  };
}

function marksOf(hasMetadata: boolean): Record<string, string> {
  return marked([...PROXY_HEADERS, HIT_BYTES_HEADER, ...(hasMetadata ? METADATA_HEADERS : [])]);
}
