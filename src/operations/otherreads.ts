// The searches other than by words: for values of a facet, and for documents near another one. Called by
// localreads.ts.
import { facetOrder } from "../engine/facets/distribution.ts";
import { checkFilterSyntax, filterOf } from "../engine/filter/feature.ts";
import { TarsierError } from "../errors.ts";
import { type FacetHits, joinedFacetHits, searchRemoteFacets } from "../network/facetsearch.ts";
import { networkOf, targetsOf } from "../network/topology.ts";
import { type FacetSearchBody, facetSearchQueryOf } from "../schemas/facetsearch.ts";
import { SimilarId, type SimilarParameters, similarQueryOf } from "../schemas/similar.ts";
import { checker } from "../schemas/validator.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import { checkUseNetwork, isNetworked } from "./networksearch.ts";
import { checkCombination, checkSearchFilter } from "./search.ts";
import type { OperationServices, Requester } from "./services.ts";

export async function searchFacet(
  services: OperationServices,
  { access }: Requester,
  indexUid: string,
  body: FacetSearchBody,
): Promise<Uint8Array> {
  const { instance, engine, inTurn } = services;
  const query = facetSearchQueryOf(body);
  query.filter = access.searchFilter(indexUid, filterOf(body.filter, "invalid_search_filter"));
  const { useNetwork = null, media = null, vector = null, hybrid = null } = body;
  checkUseNetwork(instance, useNetwork);
  checkSearchFilter(instance, query);
  const search = () =>
    inTurn(() => {
      const handle = instance.handle(indexUid);
      checkCombination({ media, vector, hybrid });
      if (media !== null) needFeature(instance, "multimodal", "The parameter `media`");
      return engine.facetSearch(handle, query);
    });
  if (!isNetworked(instance, useNetwork)) return search();
  return searchFacetOfNetwork(services, { indexUid, body: { ...body, filter: query.filter } }, search);
}

/** The values of this server, merged with those of the others. */
async function searchFacetOfNetwork(
  { instance, engine, outbound, remoteTimeoutMs }: OperationServices,
  { indexUid, body }: { indexUid: string; body: FacetSearchBody },
  search: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const began = performance.now();
  const stop = new AbortController();
  const call = { outbound, timeoutMs: remoteTimeoutMs, signal: stop.signal };
  const asked = searchRemoteFacets(targetsOf(networkOf(instance)), { indexUid, body }, call);
  const own = await search().catch((error) => {
    stop.abort();
    throw error;
  });
  const { facetHits, facetQuery }: FacetAnswer = JSON.parse(Buffer.from(own).toString());
  const { lists, errors } = await asked;
  const settings = await engine.settings(instance.handle(indexUid));
  const order = facetOrder(settings, body.facetName);
  const most = settings.faceting.maxValuesPerFacet;
  const answer = {
    facetHits: joinedFacetHits([facetHits, ...lists], { order, most }),
    facetQuery,
    processingTimeMs: Math.round(performance.now() - began),
    remoteErrors: errors,
  };
  return Buffer.from(JSON.stringify(answer));
}

interface FacetAnswer {
  facetHits: FacetHits;
  facetQuery: string | null;
}

export async function searchSimilar(
  { instance, engine, inTurn }: OperationServices,
  { access }: Requester,
  indexUid: string,
  body: SimilarParameters,
): Promise<Uint8Array> {
  const query = similarQueryOf(body);
  query.visible = access.searchFilter(indexUid, null);
  const handle = instance.handle(indexUid);
  const asked = performance.now();
  return inTurn(async () => {
    try {
      const code = "invalid_similar_filter";
      query.filter = access.searchFilter(indexUid, filterOf(body.filter, code));
      checkFilterSyntax(query.filter, code, (feature) => isFeatureOn(instance, feature));
      checkId({ id: body.id });
    } catch (fault) {
      await refuseEmbedder(() => engine.similar(handle, { ...query, filter: null, offset: 0, limit: 0 }));
      throw fault;
    }
    if (query.showPerformanceDetails) query.queueMs = performance.now() - asked;
    return engine.similar(handle, query);
  });
}

/** Runs the search first, so that a wrong embedder is reported before a wrong filter or id. */
async function refuseEmbedder(search: () => Promise<unknown>): Promise<void> {
  await search().catch((error) => {
    if (error instanceof TarsierError && EMBEDDER_FAULTS.has(error.code)) throw error;
  });
}

const checkId = checker(SimilarId);

const EMBEDDER_FAULTS: ReadonlySet<string> = new Set(["invalid_similar_embedder", "bad_request"]);
