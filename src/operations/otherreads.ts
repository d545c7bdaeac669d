// Searches that are not for documents by words: values of a facet, and documents near another one. Called by
// local.ts.
import { checkFilterSyntax } from "../engine/filter/feature.ts";
import { type FacetSearchBody, facetSearchQueryOf } from "../schemas/facetsearch.ts";
import { type SimilarParameters, similarQueryOf } from "../schemas/similar.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import { checkCombination } from "./search.ts";
import type { OperationServices, Requester } from "./services.ts";

export async function searchFacet(
  { instance, engine, inTurn }: OperationServices,
  { access }: Requester,
  indexUid: string,
  body: FacetSearchBody,
): Promise<Uint8Array> {
  const query = facetSearchQueryOf(body);
  query.filter = access.searchFilter(indexUid, query.filter);
  const { useNetwork = null, media = null, vector = null, hybrid = null } = body;
  if (useNetwork !== null) needFeature(instance, "network", "The parameter `useNetwork`");
  checkFilterSyntax(query.filter, "invalid_search_filter", (feature) => isFeatureOn(instance, feature));
  return inTurn(() => {
    const handle = instance.handle(indexUid);
    checkCombination({ media, vector, hybrid });
    if (media !== null) needFeature(instance, "multimodal", "The parameter `media`");
    return engine.facetSearch(handle, query);
  });
}

export async function searchSimilar(
  { instance, engine, inTurn }: OperationServices,
  { access }: Requester,
  indexUid: string,
  body: SimilarParameters,
): Promise<Uint8Array> {
  const query = similarQueryOf(body);
  query.visible = access.searchFilter(indexUid, null);
  query.filter = access.searchFilter(indexUid, query.filter);
  checkFilterSyntax(query.filter, "invalid_similar_filter", (feature) => isFeatureOn(instance, feature));
  const asked = performance.now();
  return inTurn(() => {
    if (query.showPerformanceDetails) query.queueMs = performance.now() - asked;
    return engine.similar(instance.handle(indexUid), query);
  });
}
