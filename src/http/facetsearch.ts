// POST /indexes/{uid}/facet-search. The engine makes the whole answer, as bytes.
import { checkFilterSyntax } from "../engine/filter/feature.ts";
import { FacetSearchBody, facetSearchQueryOf } from "../schemas/facetsearch.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import { indexUidOf } from "./paths.ts";
import { checkCombination } from "./search.ts";

export function addFacetSearchRoutes(app: App, { instance, engine, searches }: Services): void {
  const url = "/indexes/:indexUid/facet-search";
  const options = { config: { action: "search" as const }, schema: { body: FacetSearchBody } };
  app.post(url, options, async (request, reply) => {
    const { body } = request;
    const indexUid = indexUidOf(request);
    const query = facetSearchQueryOf(body);
    query.filter = accessOf(request).searchFilter(indexUid, query.filter);
    const { useNetwork = null, media = null, vector = null, hybrid = null } = body;
    if (useNetwork !== null) needFeature(instance, "network", "The parameter `useNetwork`");
    checkFilterSyntax(query.filter, "invalid_search_filter", (feature) => isFeatureOn(instance, feature));
    const json = await searches.run(() => {
      const handle = instance.handle(indexUid);
      checkCombination({ media, vector, hybrid });
      if (media !== null) needFeature(instance, "multimodal", "The parameter `media`");
      return engine.facetSearch(handle, query);
    });
    reply.type("application/json");
    return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  });
}
