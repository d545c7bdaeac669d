// Searches by keywords, by vectors, or by both: decides which kind a request is, and finds its hits. A query
// that has to be embedded first is handed back: the caller embeds it and asks again
// (engine/queryvectors.ts). Called by engine/searchanswer.ts and ../federation/indexsearch.ts.
import { distributionOf } from "../../embedders/defaults.ts";
import { TarsierError } from "../../errors.ts";
import type { EmbedderSettings } from "../../schemas/embedders.ts";
import { nameList } from "../../schemas/phrases.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { IndexReader } from "../reader.ts";
import { NearestSearch } from "../vectors/nearest.ts";
import {
  type Collection,
  collect,
  collectByVectors,
  type SearchTools,
  type Window,
  wantedHits,
} from "./collection.ts";
import type { Criterion } from "./criterion.ts";
import { isGoodEnough, mayBeGoodEnough, mergeHybrid, weightsOf } from "./hybrid.ts";
import { hasRelevancyRule } from "./rulelist.ts";
import { parseSort } from "./sorting.ts";
import { vectorSortRule } from "./vectorsort.ts";

/** A query that must be embedded before its search can go on. */
export interface EmbeddingRequest {
  embed: {
    name: string;
    settings: EmbedderSettings;
    /** Length of the vectors in the index. */
    dimensions: number;
    q: string | null;
    media: unknown;
  };
  cutoffMs: number | null;
}

export interface Found extends Collection {
  /** Number of hits found by vectors; null in a search by keywords. */
  semanticHitCount: number | null;
  /** The vector that was searched for; null: there was none. */
  queryVector: readonly number[] | null;
}

type Asked = Pick<SearchQuery, "q" | "media" | "vector" | "hybrid">;

export function searchKind({ q, media, vector, hybrid }: Asked): "keyword" | "semantic" | "hybrid" {
  const hasWords = q !== null && q.trim() !== "";
  if (!hybrid || hybrid.semanticRatio === 0) return "keyword";
  if (media === null && !hasWords && vector === null) return "keyword";
  return hybrid.semanticRatio < 1 && hasWords ? "hybrid" : "semantic";
}

/** @throws TarsierError for a request that the index cannot answer */
export function find(tools: SearchTools, query: SearchQuery, window: Window): Found | EmbeddingRequest {
  const { reader } = tools;
  const kind = searchKind(query);
  checkSearch(reader, query);
  if (kind === "keyword") {
    return { ...collect(tools, query, window), semanticHitCount: null, queryVector: null };
  }
  const embedder = embedderOf(reader, query.hybrid!.embedder);
  const vector = vectorOf(reader, query);
  if (kind === "hybrid") return findByBoth(tools, query, window, { embedder, vector });
  if (query.embedding && "code" in query.embedding) {
    const { code, message } = query.embedding;
    throw new TarsierError(code, { message });
  }
  if (!vector) return requestFor(reader, query, embedder);
  const found = byVectors(tools, query, window, vector);
  const semanticHitCount = hasRelevancyRule(reader.settings) ? found.hits.length : 0;
  return { ...found, semanticHitCount, queryVector: vector };
}

/**
 * Checks everything that can be refused before a query is embedded: its embedder and vector, then its
 * sorting.
 * @throws TarsierError
 */
export function checkSearch(reader: IndexReader, query: SearchQuery): Criterion[] {
  if (searchKind(query) !== "keyword") vectorOf(reader, query);
  return parseSort(query.sort, "invalid_search_sort");
}

function findByBoth(
  tools: SearchTools,
  query: SearchQuery,
  window: Window,
  { embedder, vector }: { embedder: EmbedderSettings; vector: readonly number[] | null },
): Found | EmbeddingRequest {
  const { reader } = tools;
  const weights = weightsOf(query.hybrid!.semanticRatio);
  const hasFailed = query.embedding !== null && "code" in query.embedding;
  const mustEmbed = !vector && !hasFailed && embedder.source !== "userProvided";
  const whole = { ...window, offset: 0, limit: window.offset + window.limit };
  const mayBeEnough = whole.limit <= reader.mostHits && mayBeGoodEnough(weights);
  if (mustEmbed && !mayBeEnough) return requestFor(reader, query, embedder);
  const ranked = { ...query, showRankingScoreDetails: true };
  const byWords = collect(tools, ranked, whole);
  const isEnough = isGoodEnough(byWords.hits, whole.limit, weights);
  if (isEnough || (!vector && !mustEmbed)) {
    return { ...byWords, hits: byWords.hits.slice(window.offset), semanticHitCount: 0, queryVector: null };
  }
  if (!vector) return requestFor(reader, query, embedder);
  const merged = mergeHybrid(byWords, byVectors(tools, ranked, whole, vector), { query, window, weights });
  return { ...merged, queryVector: vector };
}

/** @throws TarsierError of `code` for a name that is no embedder of the index */
export function embedderOf(
  { settings }: IndexReader,
  name: string,
  code: "invalid_search_embedder" | "invalid_similar_embedder" = "invalid_search_embedder",
): EmbedderSettings {
  if (Object.hasOwn(settings.embedders, name)) return settings.embedders[name];
  const known = Object.keys(settings.embedders);
  const expected = known.length > 0 ? nameList(known) : "an embedder of the index, which has none";
  throw new TarsierError(code, { place: "The embedder", expected, found: `\`${name}\`` });
}

/** The given vector, or the one made of the query, unless the embedder has changed since then. */
function vectorOf(reader: IndexReader, { vector, embedding, hybrid }: SearchQuery): readonly number[] | null {
  const embedder = hybrid!.embedder;
  const isOfNow =
    Array.isArray(embedding) && embedding.length === reader.state.embedders[embedder]?.dimensions;
  return checkVector(reader, { embedder, vector: vector ?? (isOfNow ? embedding : null) });
}

/**
 * The vector, if it fits that embedder.
 * @throws TarsierError
 */
export function checkVector<Vector extends readonly number[] | null>(
  reader: IndexReader,
  { embedder, vector: given }: { embedder: string; vector: Vector },
): Vector {
  embedderOf(reader, embedder);
  const { dimensions } = reader.state.embedders[embedder];
  if (given && given.length !== dimensions) {
    const place = `The vector for embedder \`${embedder}\``;
    throw new TarsierError("invalid_vector_dimensions", { place, expected: dimensions, found: given.length });
  }
  const tooLarge = given ? given.findIndex((component) => !Number.isFinite(Math.fround(component))) : -1;
  if (tooLarge >= 0) {
    throw new TarsierError("invalid_search_vector", {
      place: `\`vector[${tooLarge}]\``,
      expected: "a number of 32 bits",
      found: `${given![tooLarge]}`,
    });
  }
  return given;
}

function requestFor(
  { settings, state }: IndexReader,
  { q, media, hybrid }: SearchQuery,
  embedder: EmbedderSettings,
): EmbeddingRequest {
  const name = hybrid!.embedder;
  const embed = { name, settings: embedder, dimensions: state.embedders[name].dimensions, q, media };
  return { embed, cutoffMs: settings.searchCutoffMs };
}

function byVectors(
  tools: SearchTools,
  query: SearchQuery,
  window: Window,
  vector: readonly number[],
): Collection {
  const { reader } = tools;
  const { embedder } = query.hybrid!;
  const search = new NearestSearch(reader, { embedder, vector: Float32Array.from(vector), slot: null });
  const distribution = distributionOf(embedderOf(reader, embedder));
  const wanted = wantedHits(window, reader);
  return collectByVectors(tools, query, window, (bitmaps) =>
    vectorSortRule(bitmaps, search, distribution, wanted),
  );
}
