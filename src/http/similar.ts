// GET and POST /indexes/{uid}/similar: documents whose vectors are near those of one document. The engine
// makes the whole answer, as bytes.
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkFilterSyntax } from "../engine/filter/feature.ts";
import { SimilarBody, SimilarParameters, similarCodes, similarQueryOf } from "../schemas/similar.ts";
import { checker } from "../schemas/validator.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { isFeatureOn } from "./features.ts";
import { count, filter, flag, number, parameter, readParameters, text, texts } from "./parameters.ts";
import { indexUidOf } from "./paths.ts";

export function addSimilarRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/similar";
  const config = { action: "search" as const };
  app.get(url, { config }, async (request, reply) => {
    return answer(services, request, reply, checkParameters(readParameters(request.query, parameters)));
  });
  app.post(url, { config, schema: { body: SimilarBody } }, async (request, reply) => {
    return answer(services, request, reply, request.body);
  });
}

const parameters = {
  id: parameter(text, similarCodes.id),
  embedder: parameter(text, similarCodes.embedder),
  offset: parameter(count, similarCodes.offset),
  limit: parameter(count, similarCodes.limit),
  filter: parameter(filter, similarCodes.filter),
  attributesToRetrieve: parameter(texts, similarCodes.attributesToRetrieve),
  retrieveVectors: parameter(flag, similarCodes.retrieveVectors),
  showRankingScore: parameter(flag, similarCodes.showRankingScore),
  showRankingScoreDetails: parameter(flag, similarCodes.showRankingScoreDetails),
  showPerformanceDetails: parameter(flag, similarCodes.showPerformanceDetails),
  rankingScoreThreshold: parameter(number, similarCodes.rankingScoreThreshold),
};

const checkParameters = checker(SimilarParameters, "parameter");

async function answer(
  { instance, engine, searches }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  body: SimilarParameters,
) {
  const indexUid = indexUidOf(request);
  const query = similarQueryOf(body);
  const access = accessOf(request);
  query.visible = access.searchFilter(indexUid, null);
  query.filter = access.searchFilter(indexUid, query.filter);
  checkFilterSyntax(query.filter, "invalid_similar_filter", (feature) => isFeatureOn(instance, feature));
  const json = await searches.run(() => engine.similar(instance.handle(indexUid), query));
  reply.type("application/json");
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}
