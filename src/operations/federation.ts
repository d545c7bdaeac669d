// A multi-search with `federation`: what its queries may contain, where they run, and the merged answer.
// Called by localreads.ts.
import { type ErrorCode, TarsierError } from "../errors.ts";
import { federatedAnswer } from "../network/federatedanswer.ts";
import { searchFederated } from "../network/federatedsearch.ts";
import type { FederatedQuery, Federation } from "../network/federation.ts";
import { networkOf } from "../network/topology.ts";
import { boundOf } from "../schemas/fields.ts";
import { INDEX_UID_EXPECTED, isIndexUid } from "../schemas/indexuid.ts";
import type { FederationBody, MultiSearchQuery } from "../schemas/multisearch.ts";
import { LIMIT_DEFAULT } from "../schemas/search.ts";
import type { Instance } from "../tasks/instance.ts";
import { needFeature } from "./features.ts";
import { checkUseNetwork, isNetworked, networkMembers, remoteBody } from "./networksearch.ts";
import { type AskedSearch, eachQuery, searchesOf } from "./queries.ts";
import { newRequestUid } from "./requestuid.ts";
import { checkCombination, checkFeatures, refusePersonalization } from "./search.ts";
import type { Access, OperationServices, Requester } from "./services.ts";

interface FederatedBody {
  federation: FederationBody;
  queries: readonly MultiSearchQuery[];
}

export async function searchAsFederation(
  services: OperationServices,
  requester: Requester,
  body: FederatedBody,
): Promise<Buffer> {
  const began = performance.now();
  const { instance } = services;
  const requestUid = newRequestUid();
  const { isForRemote, wantsMetadata: hasMetadata } = requester;
  const hasHitBytes = isForRemote && requester.wantsHitBytes;
  if (isForRemote) needFeature(instance, "network", "A search for another server");
  const federation = federationOf(requester.access, body.federation);
  const searches = await searchesOf(instance, requester, { queries: body.queries, requestUid });
  const queries: FederatedQuery[] = [];
  await eachQuery(searches, (asked, at) => {
    checkAllowed(asked.given, body.federation);
    queries.push(...federatedQueries(instance, asked, { requester, at }));
  });
  const search = { queries, federation, hasMetadata, isForRemote, isOneQuery: false };
  const result = await searchFederated(services, search);
  return federatedAnswer(result, { federation, requestUid, hasMetadata, hasHitBytes, began });
}

function federationOf(access: Access, body: FederationBody): Federation {
  if (body.personalize) refusePersonalization();
  const facetsByIndex = new Map<string, readonly string[] | null>();
  for (const [indexUid, patterns] of Object.entries(body.facetsByIndex ?? {})) {
    const place = `Field \`.federation.facetsByIndex.${indexUid}\``;
    if (!isIndexUid(indexUid)) {
      const code = "invalid_multi_search_facets_by_index";
      throw new TarsierError(code, { place, expected: INDEX_UID_EXPECTED, found: "another name" });
    }
    access.checkUse(indexUid, `${place}: `);
    facetsByIndex.set(indexUid, patterns);
  }
  const { mergeFacets } = body;
  return {
    offset: boundOf(body.offset ?? 0),
    limit: boundOf(body.limit ?? LIMIT_DEFAULT),
    page: boundOf(body.page ?? null),
    hitsPerPage: boundOf(body.hitsPerPage ?? null),
    facetsByIndex,
    mergeFacets: mergeFacets
      ? { most: boundOf(mergeFacets.maxValuesPerFacet ?? Number.POSITIVE_INFINITY) }
      : null,
    distinct: body.distinct ?? null,
    showPerformanceDetails: body.showPerformanceDetails ?? false,
  };
}

const PAGING = ["offset", "limit", "page", "hitsPerPage"] as const;

/** Refuses in a query what can only be asked for the merged list. */
function checkAllowed(query: MultiSearchQuery, federation: FederationBody): void {
  const refuse = (field: string, code: ErrorCode, expected: string): never => {
    throw new TarsierError(code, { place: `Field \`.${field}\``, expected, found: "a value" });
  };
  const isSet = (value: unknown) => value !== undefined && value !== null;
  const paging = PAGING.find((name) => isSet(query[name]));
  if (paging) {
    const expected = `none in a query of a federated search: set \`.federation.${paging}\` instead`;
    refuse(paging, "invalid_multi_search_query_pagination", expected);
  }
  if (query.facets?.length) {
    const expected = "none in a query of a federated search: set `.federation.facetsByIndex` instead";
    refuse("facets", "invalid_multi_search_query_facets", expected);
  }
  if (isSet(query.personalize)) {
    const expected = "none in a query of a federated search: set `.federation.personalize` instead";
    refuse("personalize", "invalid_multi_search_query_personalization", expected);
  }
  if (query.useNetwork && isSet(query.federationOptions?.remote)) {
    const expected = "no `remote` in a query with `useNetwork`";
    refuse("federationOptions", "invalid_multi_search_federation_options", expected);
  }
  if (isSet(query.showPerformanceDetails)) {
    const expected =
      "none in a query of a federated search: set `.federation.showPerformanceDetails` instead";
    refuse("showPerformanceDetails", "invalid_multi_search_query_show_performance_details", expected);
  }
  if (isSet(query.distinct) && isSet(federation.distinct)) {
    refuse("distinct", "invalid_multi_search_distinct", "none beside `.federation.distinct`");
  }
}

interface Origin {
  requester: Requester;
  /** Position of the query in the body. */
  at: number;
}

/** One query, or one per server with `useNetwork`. */
function federatedQueries(
  instance: Instance,
  { given, indexUid, query, body }: AskedSearch,
  origin: Origin,
): FederatedQuery[] {
  const { weight = 1, remote = null, queryPosition = null } = given.federationOptions ?? {};
  checkUseNetwork(instance, query.useNetwork);
  if (remote !== null) needFeature(instance, "network", "The field `.federationOptions.remote`");
  if (queryPosition !== null)
    needFeature(instance, "network", "The field `.federationOptions.queryPosition`");
  if (remote !== null) checkRemote(instance, remote);
  if (origin.requester.isForRemote && (remote !== null || query.useNetwork)) throw loop();
  const position = queryPosition ?? origin.at;
  const isSpread =
    remote === null && !origin.requester.isForRemote && isNetworked(instance, query.useNetwork);
  const check = () => {
    checkCombination(query);
    checkFeatures(instance, query);
  };
  const one = {
    position,
    indexUid,
    weight,
    query,
    isSpread,
    check,
    body: () => remoteBody(indexUid, body, query),
  };
  return (isSpread ? networkMembers(instance) : [remote]).map((name) => ({ ...one, remote: name }));
}

function checkRemote(instance: Instance, name: string): void {
  const { self, remotes } = networkOf(instance);
  if (name === self || Object.hasOwn(remotes, name)) return;
  throw new TarsierError("invalid_multi_search_remote", {
    place: "Field `.federationOptions.remote`",
    expected: "the name of a remote of `/network`",
    found: `\`${name}\``,
  });
}

/** Refused because servers that ask each other in a circle would never finish. */
function loop(): TarsierError {
  return new TarsierError("invalid_multi_search_remote", {
    place: "Field `.federationOptions.remote`",
    expected: "none in a search for another server",
    found: "a request to ask further servers",
  });
}
