// The body of POST similar, and SimilarQuery, what the engine gets. GET uses the same codes.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { ErrorCode } from "../errors.ts";
import {
  filter,
  flag,
  late,
  optional,
  pageBound,
  pageBoundOf,
  ratio,
  strictObject,
  text,
  texts,
} from "./fields.ts";
import { LIMIT_DEFAULT } from "./search.ts";

/** Field -> code of a bad value. */
export const similarCodes = {
  id: "invalid_similar_id",
  embedder: "invalid_similar_embedder",
  offset: "invalid_similar_offset",
  limit: "invalid_similar_limit",
  filter: "invalid_similar_filter",
  attributesToRetrieve: "invalid_similar_attributes_to_retrieve",
  retrieveVectors: "invalid_similar_retrieve_vectors",
  showRankingScore: "invalid_similar_show_ranking_score",
  showRankingScoreDetails: "invalid_similar_show_ranking_score_details",
  showPerformanceDetails: "invalid_similar_show_performance_details",
  rankingScoreThreshold: "invalid_similar_ranking_score_threshold",
} satisfies Record<string, ErrorCode>;

const fields = {
  offset: Type.Optional(pageBound),
  limit: Type.Optional(pageBound),
  filter: optional(filter),
  attributesToRetrieve: optional(texts),
  retrieveVectors: Type.Optional(flag),
  showRankingScore: Type.Optional(flag),
  showRankingScoreDetails: Type.Optional(flag),
  showPerformanceDetails: Type.Optional(flag),
  rankingScoreThreshold: optional(ratio),
};

const codes = {
  "x-codes": similarCodes,
  "x-missing": { id: "bad_request", embedder: "bad_request" },
} as const;
const idKind = Type.Union([text, Type.Integer()]);
const id = late(idKind);

/** What is looked at when the embedder and the filter are known to be right. */
export const SimilarId = strictObject({ id: idKind }, { "x-codes": similarCodes });

export const SimilarBody = strictObject({ id, embedder: text, ...fields }, codes);
/** What a query string stands for. */
export const SimilarParameters = strictObject({ id, embedder: Type.Optional(text), ...fields }, codes);
export type SimilarParameters = Static<typeof SimilarParameters>;

/** Null: embedder the one called `default`, attributesToRetrieve all displayed, else off. */
export type SimilarQuery = Required<Omit<SimilarParameters, "id" | "embedder">> & {
  id: string;
  embedder: string | null;
  /** What the key lets see: other documents are as if they were not there. */
  visible: Static<typeof filter> | null;
  /** What it took to wait for a turn; told by `showPerformanceDetails`. */
  queueMs: number;
};

/** Fills in the defaults of a validated body. */
export function similarQueryOf(body: SimilarParameters): SimilarQuery {
  return {
    // What is neither is refused by the one who looks at it (SimilarId).
    id: typeof body.id === "string" || typeof body.id === "number" ? String(body.id) : "",
    embedder: body.embedder ?? null,
    offset: pageBoundOf(body.offset ?? 0),
    limit: pageBoundOf(body.limit ?? LIMIT_DEFAULT),
    filter: body.filter ?? null,
    attributesToRetrieve: body.attributesToRetrieve ?? null,
    retrieveVectors: body.retrieveVectors ?? false,
    showRankingScore: body.showRankingScore ?? false,
    showRankingScoreDetails: body.showRankingScoreDetails ?? false,
    showPerformanceDetails: body.showPerformanceDetails ?? false,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
    visible: null,
    queueMs: 0,
  };
}
