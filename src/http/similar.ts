// GET and POST /indexes/{uid}/similar: documents whose vectors are near those of one document. The engine
// makes the whole answer, as bytes.
import { ratio } from "../schemas/fields.ts";
import {
  bound,
  filter,
  flag,
  number,
  parameter,
  readParameters,
  text,
  texts,
  within,
} from "../schemas/parameters.ts";
import { SimilarBody, SimilarParameters, similarCodes } from "../schemas/similar.ts";
import { checker } from "../schemas/validator.ts";
import type { App, Services } from "./app.ts";
import { operationsOf, sendJson } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

export function addSimilarRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/similar";
  const config = { action: "search" as const };
  app.get(url, { config: { ...config, parameters } }, async (request, reply) => {
    const body = checkParameters(readParameters(request.query, parameters));
    return sendJson(reply, await operationsOf(services, request).similar(indexUidOf(request), body));
  });
  const post = { config: { ...config, ids: "id" as const }, schema: { body: SimilarBody } };
  app.post(url, post, async (request, reply) => {
    const operations = operationsOf(services, request);
    return sendJson(reply, await operations.similar(indexUidOf(request), request.body));
  });
}

const parameters = {
  id: parameter(text, similarCodes.id),
  embedder: parameter(text, similarCodes.embedder),
  offset: parameter(bound, similarCodes.offset),
  limit: parameter(bound, similarCodes.limit),
  filter: parameter(filter, similarCodes.filter),
  attributesToRetrieve: parameter(texts, similarCodes.attributesToRetrieve),
  retrieveVectors: parameter(flag, similarCodes.retrieveVectors),
  showRankingScore: parameter(flag, similarCodes.showRankingScore),
  showRankingScoreDetails: parameter(flag, similarCodes.showRankingScoreDetails),
  showPerformanceDetails: parameter(flag, similarCodes.showPerformanceDetails),
  rankingScoreThreshold: parameter(within(number, ratio), similarCodes.rankingScoreThreshold),
};

const checkParameters = checker(SimilarParameters, "parameter");
