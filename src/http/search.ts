// GET and POST /indexes/{uid}/search. The parameters of GET are made into a body; the engine makes the whole
// answer, as bytes.
import * as Type from "typebox";
import { TarsierError } from "../errors.ts";
import { ratio } from "../schemas/fields.ts";
import { LOCALES } from "../schemas/locales.ts";
import {
  bound,
  filter,
  flag,
  listOf,
  number,
  parameter,
  readParameters,
  sort,
  text,
  texts,
  within,
} from "../schemas/parameters.ts";
import { SearchBody, searchCodes, searchFields } from "../schemas/search.ts";
import { checker } from "../schemas/validator.ts";
import type { App, Services } from "./app.ts";
import { operationsOf, sendJson } from "./operations.ts";
import { indexUidOf } from "./paths.ts";

export function addSearchRoutes(app: App, services: Services): void {
  const url = "/indexes/:indexUid/search";
  app.get(url, { config: { action: "search", parameters } }, async (request, reply) => {
    const given = readParameters(request.query, parameters);
    const indexUid = indexUidOf(request);
    return sendJson(reply, await operationsOf(services, request).search(indexUid, bodyOf(given)));
  });
  app.post(url, { config: { action: "search" }, schema: { body: SearchBody } }, async (request, reply) => {
    const operations = operationsOf(services, request);
    return sendJson(reply, await operations.search(indexUidOf(request), request.body));
  });
}

const kinds = {
  q: text,
  offset: bound,
  limit: bound,
  page: bound,
  hitsPerPage: bound,
  attributesToRetrieve: texts,
  attributesToCrop: texts,
  cropLength: bound,
  cropMarker: text,
  attributesToHighlight: texts,
  highlightPreTag: text,
  highlightPostTag: text,
  showMatchesPosition: flag,
  filter,
  sort,
  distinct: text,
  facets: texts,
  matchingStrategy: within(text, searchFields.matchingStrategy),
  attributesToSearchOn: texts,
  rankingScoreThreshold: within(number, ratio),
  locales: listOf(within(text, Type.Enum([...LOCALES]))),
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
  hybridSemanticRatio: parameter(within(number, ratio), "invalid_search_semantic_ratio"),
  personalizeUserContext: parameter(text, "invalid_search_personalize_user_context"),
};

const checkBody = checker(SearchBody, "parameter");

/** The body that parameters stand for. Its schema checks the values that have no kind of parameter. */
function bodyOf(given: ReturnType<typeof readParameters<typeof parameters>>): SearchBody {
  const { hybridEmbedder, hybridSemanticRatio: semanticRatio, personalizeUserContext, ...body } = given;
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
