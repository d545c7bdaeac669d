// GET and POST /indexes/{uid}/search. Both forms become one SearchQuery; the engine makes the whole answer,
// as bytes.
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkFilterSyntax } from "../engine/filter/feature.ts";
import { TarsierError } from "../errors.ts";
import { SearchBody, type SearchQuery, searchCodes, searchQueryOf } from "../schemas/search.ts";
import { checker } from "../schemas/validator.ts";
import type { Instance } from "../tasks/instance.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { isFeatureOn, needFeature } from "./features.ts";
import { isNetworked, type SearchServices, type SingleSearch, searchNetwork } from "./networksearch.ts";
import {
  count,
  filter,
  flag,
  listOf,
  number,
  parameter,
  readParameters,
  sort,
  text,
  texts,
} from "./parameters.ts";
import { indexUidOf } from "./paths.ts";
import { newRequestUid } from "./requestuid.ts";

export function addSearchRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/search";
  app.get(url, { config: { action: "search" } }, async (request, reply) => {
    return answer(services, request, reply, bodyOf(request.query));
  });
  app.post(url, { config: { action: "search" }, schema: { body: SearchBody } }, async (request, reply) => {
    return answer(services, request, reply, request.body);
  });
}

/**
 * Whether the answer shall carry `metadata`: the header of the specification, or that of existing clients.
 */
export function wantsMetadata({ headers }: FastifyRequest): boolean {
  const value = headers["svc-include-metadata"] ?? headers["meili-include-metadata"];
  return typeof value === "string" && /^(true|1)$/i.test(value);
}

async function answer(services: Services, request: FastifyRequest, reply: FastifyReply, body: SearchBody) {
  const indexUid = indexUidOf(request);
  const query = searchQueryOf(body, newRequestUid(), wantsMetadata(request) ? newRequestUid() : null);
  query.filter = accessOf(request).searchFilter(indexUid, query.filter);
  const { searches } = services;
  const inTurn = <T>(run: () => Promise<T>) => searches.run(run);
  const json = await runSearch({ ...services, inTurn }, { indexUid, query, body });
  reply.type("application/json");
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}

/** One search on one index, here or on the whole network. Its answer as JSON. */
export async function runSearch(services: SearchServices, search: SingleSearch): Promise<Uint8Array> {
  const { instance, engine, inTurn } = services;
  const { indexUid, query } = search;
  if (query.useNetwork !== null) needFeature(instance, "network", "The parameter `useNetwork`");
  checkFilterSyntax(query.filter, "invalid_search_filter", (feature) => isFeatureOn(instance, feature));
  const handle = instance.handle(indexUid);
  checkCombination(query);
  checkFeatures(instance, query);
  if (isNetworked(instance, query.useNetwork)) return searchNetwork(services, search);
  return inTurn(() => engine.search(handle, query));
}

/** Parameters that need, or exclude, each other. */
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
  if (query.personalize === null) return;
  const message =
    "The parameter `personalize` needs a personalization service, which this server does not have";
  throw new TarsierError("feature_not_enabled", { message });
}

const kinds = {
  q: text,
  offset: count,
  limit: count,
  page: count,
  hitsPerPage: count,
  attributesToRetrieve: texts,
  attributesToCrop: texts,
  cropLength: count,
  cropMarker: text,
  attributesToHighlight: texts,
  highlightPreTag: text,
  highlightPostTag: text,
  showMatchesPosition: flag,
  filter,
  sort,
  distinct: text,
  facets: texts,
  matchingStrategy: text,
  attributesToSearchOn: texts,
  rankingScoreThreshold: number,
  locales: texts,
  vector: listOf(number),
  retrieveVectors: flag,
  useNetwork: flag,
  showRankingScore: flag,
  showRankingScoreDetails: flag,
  showPerformanceDetails: flag,
};

type Kinds = typeof kinds;
type KindParameters = { [Name in keyof Kinds]: ReturnType<typeof parameter> & Kinds[Name] };

const parameters = {
  ...(Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, { ...kind, code: searchCodes[name as keyof Kinds] }]),
  ) as unknown as KindParameters),
  hybridEmbedder: parameter(text, "invalid_search_embedder"),
  hybridSemanticRatio: parameter(number, "invalid_search_semantic_ratio"),
  personalizeUserContext: parameter(text, "invalid_search_personalize_user_context"),
};

const checkBody = checker(SearchBody, "parameter");

/**
 * The body that a query string stands for. Values (enums, ranges) are checked by the schema, as in a body.
 */
function bodyOf(query: unknown): SearchBody {
  const { hybridEmbedder, hybridSemanticRatio, personalizeUserContext, ...body } = readParameters(
    query,
    parameters,
  );
  const semanticRatio = hybridSemanticRatio;
  if (hybridEmbedder === undefined && semanticRatio !== undefined) {
    const expected = "`hybridEmbedder` beside it";
    const place = "Parameter `hybridSemanticRatio`";
    throw new TarsierError("invalid_search_hybrid_query", { place, expected, found: "none" });
  }
  return checkBody({
    ...body,
    ...(hybridEmbedder !== undefined && {
      hybrid: { embedder: hybridEmbedder, ...(semanticRatio !== undefined && { semanticRatio }) },
    }),
    ...(personalizeUserContext !== undefined && { personalize: { userContext: personalizeUserContext } }),
  });
}
