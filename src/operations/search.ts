// One search on one index: the checks before the engine sees it, and where it runs. Called by localreads.ts
// and multisearch.ts.
import { checkFilterSyntax } from "../engine/filter/feature.ts";
import { TarsierError } from "../errors.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { Instance } from "../tasks/instance.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import { checkUseNetwork, isNetworked, type SingleSearch, searchNetwork } from "./networksearch.ts";
import type { OperationServices } from "./services.ts";

/** Runs one search on one index, here or on the whole network. Returns its answer as JSON. */
export async function runSearch(services: OperationServices, search: SingleSearch): Promise<Uint8Array> {
  checkUseNetwork(services.instance, search.query.useNetwork);
  checkSearchFilter(services.instance, search.query);
  return await runChecked(services, search);
}

/** As runSearch, for a search whose filter and `useNetwork` are already checked. */
export async function runChecked(services: OperationServices, search: SingleSearch): Promise<Uint8Array> {
  const { instance, engine, inTurn } = services;
  const { indexUid, query } = search;
  const handle = instance.handle(indexUid);
  checkCombination(query);
  checkFeatures(instance, query);
  if (isNetworked(instance, query.useNetwork)) return searchNetwork(services, search);
  const asked = performance.now();
  // Awaited here: returning the promise itself would take two more turns of the microtask queue.
  return await inTurn((turn) => {
    if (query.showPerformanceDetails) query.queueMs += performance.now() - asked;
    return engine.search(handle, query, turn);
  });
}

export function checkSearchFilter(instance: Instance, { filter }: Pick<SearchQuery, "filter">): void {
  checkFilterSyntax(filter, "invalid_search_filter", (feature) => isFeatureOn(instance, feature));
}

/** Refuses parameters that exclude each other, or lack the one they need. */
export function checkCombination({
  media,
  vector,
  hybrid,
}: {
  media: unknown;
  vector: unknown;
  hybrid: unknown;
}): void {
  if (media !== null && vector !== null)
    throw new TarsierError("invalid_search_media_and_vector", { place: "Search" });
  if (hybrid !== null) return;
  if (media !== null) throw new TarsierError("missing_search_hybrid", { place: "`media`" });
  if (vector !== null) throw new TarsierError("missing_search_hybrid", { place: "`vector`" });
}

export function checkFeatures(instance: Instance, query: SearchQuery): void {
  if (query.media !== null) needFeature(instance, "multimodal", "The parameter `media`");
  if (query.personalize !== null) refusePersonalization();
}

/** @throws TarsierError feature_not_enabled */
export function refusePersonalization(): never {
  const message =
    "The parameter `personalize` needs a personalization service, which this server does not have";
  throw new TarsierError("feature_not_enabled", { message });
}
