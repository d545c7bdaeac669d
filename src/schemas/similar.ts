// The body of POST similar, and SimilarQuery, which the engine gets. GET uses the same codes.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { ErrorCode } from "../errors.ts";
import { bound, boundOf, filter, flag, late, optional, ratio, strictObject, text, texts } from "./fields.ts";
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
  offset: Type.Optional(bound),
  limit: Type.Optional(bound),
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

/** Checked after the embedder and the filter. */
export const SimilarId = strictObject({ id: idKind }, { "x-codes": similarCodes });

export const SimilarBody = strictObject({ id, embedder: text, ...fields }, codes);
/** The parameters of GET, once they are read. */
export const SimilarParameters = strictObject({ id, embedder: Type.Optional(text), ...fields }, codes);
export type SimilarParameters = Static<typeof SimilarParameters>;

/** Null means: for embedder the one named `default`; for attributesToRetrieve all displayed; else off. */
export type SimilarQuery = Required<Omit<SimilarParameters, "id" | "embedder">> & {
  id: string;
  embedder: string | null;
  /** Filter of the documents that the key may see: others are treated as if they did not exist. */
  visible: Static<typeof filter> | null;
  /** Time spent on waiting for a turn; shown by `showPerformanceDetails`. */
  queueMs: number;
};

/** Fills in the defaults of a validated body. */
export function similarQueryOf(body: SimilarParameters): SimilarQuery {
  return {
    // Anything else is refused later, by the check against SimilarId.
    id: typeof body.id === "string" || typeof body.id === "number" ? String(body.id) : "",
    embedder: body.embedder ?? null,
    offset: boundOf(body.offset ?? 0),
    limit: boundOf(body.limit ?? LIMIT_DEFAULT),
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
