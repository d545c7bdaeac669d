// A search of one index on every instance of the network (`useNetwork`): a federated search with one query
// per server, answered in the form of a single search.
import { networkAnswer } from "../network/federatedanswer.ts";
import { searchFederated } from "../network/federatedsearch.ts";
import type { FederatedQuery, Federation } from "../network/federation.ts";
import { networkOf, othersOf } from "../network/topology.ts";
import type { SearchFields, SearchQuery } from "../schemas/search.ts";
import type { Instance } from "../tasks/instance.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import type { OperationServices } from "./services.ts";

export interface SingleSearch {
  indexUid: string;
  /** Its filter includes what the key demands. */
  query: SearchQuery;
  /** The body as it came with the request. */
  body: SearchFields;
}

/** @throws TarsierError when the request says whom to ask, but the feature `network` is off */
export function checkUseNetwork(instance: Instance, useNetwork: boolean | null): void {
  if (useNetwork !== null) needFeature(instance, "network", "The parameter `useNetwork`");
}

/** Whether to ask all servers: if the query says so, or says nothing and documents are spread. */
export function isNetworked(instance: Instance, useNetwork: boolean | null): boolean {
  if (useNetwork === false || !isFeatureOn(instance, "network")) return false;
  return useNetwork ?? networkOf(instance).sharding;
}

/** This instance first, then the others by name; this one is null if it has no name. */
export function networkMembers(instance: Instance): (string | null)[] {
  const network = networkOf(instance);
  return [network.self, ...othersOf(network)];
}

/** The query for other servers, without what concerns only the merged answer or this server. */
export function remoteBody(
  indexUid: string,
  body: SearchFields,
  query: SearchQuery,
): Record<string, unknown> {
  const { offset, limit, page, hitsPerPage, facets, useNetwork, showPerformanceDetails, ...rest } = body;
  return { ...rest, indexUid, filter: query.filter };
}

export async function searchNetwork(services: OperationServices, search: SingleSearch): Promise<Buffer> {
  const began = performance.now();
  const { instance } = services;
  const { indexUid, query } = search;
  const hasMetadata = query.queryUid !== null;
  const { distinct: _, ...asked } = remoteBody(indexUid, search.body, query);
  const queries = networkMembers(instance).map((remote): FederatedQuery => {
    return {
      position: 0,
      indexUid,
      weight: 1,
      remote,
      query: { ...query, distinct: null },
      isSpread: true,
      // Checked before.
      check: () => {},
      body: () => asked,
    };
  });
  const federation = federationOf(indexUid, query);
  const result = await searchFederated(services, {
    queries,
    federation,
    hasMetadata,
    isForRemote: false,
    isOneQuery: true,
  });
  const frame = { federation, requestUid: query.requestUid, hasMetadata, began };
  return networkAnswer(result, frame, query.q);
}

function federationOf(indexUid: string, query: SearchQuery): Federation {
  const { offset, limit, page, hitsPerPage, distinct, showPerformanceDetails } = query;
  const facets = query.facets?.length ? query.facets : null;
  return {
    offset,
    limit,
    page,
    hitsPerPage,
    distinct,
    showPerformanceDetails,
    facetsByIndex: new Map(facets ? [[indexUid, facets]] : []),
    mergeFacets: { most: Number.POSITIVE_INFINITY },
  };
}
