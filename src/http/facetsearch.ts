// POST /indexes/{uid}/facet-search. The engine makes the whole answer, as bytes.
import { FacetSearchBody } from "../schemas/facetsearch.ts";
import type { App, Services } from "./app.ts";
import { operationsOf, sendJson } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

export function addFacetSearchRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/facet-search";
  const options = { config: { action: "search" as const }, schema: { body: FacetSearchBody } };
  app.post(url, options, async (request, reply) => {
    const operations = operationsOf(services, request);
    return sendJson(reply, await operations.facetSearch(indexUidOf(request), request.body));
  });
}
