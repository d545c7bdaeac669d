// POST /multi-search: several searches in one request, each with its own answer, or (with `federation`) with
// one answer that holds the hits of all.
import { MultiSearchBody } from "../schemas/multisearch.ts";
import type { App, Services } from "./app.ts";
import { operationsOf, sendJson } from "./operations.ts";

export function addMultiSearchRoute(app: App, services: Services): void {
  const options = { config: { action: "search" as const }, schema: { body: MultiSearchBody } };
  app.post("/multi-search", options, async (request, reply) => {
    return sendJson(reply, await operationsOf(services, request).multiSearch(request.body));
  });
}
