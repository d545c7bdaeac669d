// Finds documents whose vectors are near those of one document. Called by ../searchthread.ts.
import { distributionOf } from "../../embedders/defaults.ts";
import { TarsierError } from "../../errors.ts";
import { DOCUMENT_ID_EXPECTED, isDocumentId } from "../../schemas/documentid.ts";
import { searchQueryOf } from "../../schemas/search.ts";
import type { SimilarQuery } from "../../schemas/similar.ts";
import { Bitmaps } from "../bitmaps.ts";
import { filteredDocuments } from "../filter/evaluate.ts";
import type { IndexReader } from "../reader.ts";
import { type NearDocument, NearestSearch } from "../vectors/nearest.ts";
import { similarityOf } from "../vectors/similarity.ts";
import type { SearchTools } from "./collection.ts";
import type { Hit } from "./driver.ts";
import { HitWriter } from "./hits.ts";
import { mergedScore } from "./scores.ts";
import { embedderOf } from "./semantic.ts";
import { rankOf } from "./vectorsort.ts";

/** Embedder of a request that names none. */
const EMBEDDER_DEFAULT = "default";

/** Answers a request with JSON. @throws TarsierError */
export function similar({ reader, ...tools }: SearchTools, query: SimilarQuery): Uint8Array {
  const began = performance.now();
  const name = embedderName(reader, query);
  const settings = embedderOf(reader, name, "invalid_similar_embedder");
  const { mostHits } = reader;
  const bitmaps = new Bitmaps(reader);
  const { steps } = tools;
  const docid = targetOf(reader, query.id);
  const visible = filteredDocuments(bitmaps, query.visible, "invalid_similar_filter");
  if (visible !== null && !bitmaps.has(visible, docid)) throw notFound(query.id);
  const allowed = steps.time("evaluate filter", () =>
    filteredDocuments(bitmaps, query.filter, "invalid_similar_filter"),
  );
  const candidates = allowed ?? bitmaps.create(reader.live);
  bitmaps.remove(candidates, [docid]);
  const offset = Math.min(query.offset, mostHits);
  const wanted = offset + Math.min(query.limit, mostHits - offset);
  const distribution = distributionOf(settings);
  const near = steps.time("semantic ranking", () =>
    nearDocuments(reader, name, { docid, candidates, wanted }),
  );
  const all = near.map(({ docid, distance }): Hit => {
    return { docid, ranks: [rankOf(similarityOf(distance, distribution))] };
  });
  const threshold = query.rankingScoreThreshold ?? 0;
  // The threshold only applies to the page: documents before it count whatever their scores are.
  const page = all.slice(offset, wanted);
  const end = page.findIndex(({ ranks }) => mergedScore(ranks) < threshold);
  const hits = end < 0 ? page : page.slice(0, end);
  const { attributesToRetrieve, retrieveVectors, showRankingScore, showRankingScoreDetails } = query;
  const shown = { attributesToRetrieve, retrieveVectors, showRankingScore, showRankingScoreDetails };
  const none = () => {
    throw new Error("hits of no query are not formatted");
  };
  const found = { criteria: [], words: none };
  const writer = new HitWriter(reader, searchQueryOf(shown, "", null), tools, found);
  const body = steps.time("format", () => hits.map((hit) => writer.write(hit)).join(","));
  const total = end < 0 ? Math.min(bitmaps.count(candidates), mostHits) : offset + end;
  const rest = {
    id: query.id,
    processingTimeMs: Math.round(performance.now() - began),
    limit: query.limit,
    offset: query.offset,
    estimatedTotalHits: total,
    ...(query.showPerformanceDetails && {
      performanceDetails: steps.told(performance.now() - began, query.queueMs),
    }),
  };
  return Buffer.from(`{"hits":[${body}],${JSON.stringify(rest).slice(1)}`);
}

function embedderName({ settings }: IndexReader, { embedder }: SimilarQuery): string {
  if (embedder !== null) return embedder;
  if (Object.hasOwn(settings.embedders, EMBEDDER_DEFAULT)) return EMBEDDER_DEFAULT;
  const message = `Missing parameter \`embedder\`: the index has no embedder called \`${EMBEDDER_DEFAULT}\``;
  throw new TarsierError("bad_request", { message });
}

function targetOf(reader: IndexReader, id: string): number {
  if (!isDocumentId(id)) {
    const facts = { place: "`id`", expected: DOCUMENT_ID_EXPECTED, found: `\`${id}\`` };
    throw new TarsierError("invalid_similar_id", facts);
  }
  const docid = reader.docidOf(id);
  if (docid < 0) throw notFound(id);
  return docid;
}

const notFound = (id: string): TarsierError => new TarsierError("not_found_similar_id", { documentId: id });

/** Compares each vector of the target with vectors of its slot. Nearest first, each document once. */
function nearDocuments(
  reader: IndexReader,
  embedder: string,
  { docid, candidates, wanted }: { docid: number; candidates: number; wanted: number },
): NearDocument[] {
  const { segment } = reader.find(docid)!;
  const target = segment.vectorsOf(docid).find((vectors) => vectors.embedder === embedder);
  // As in a search: vectors of another length than the embedder has now are no longer found.
  if (target?.dimensions !== reader.state.embedders[embedder].dimensions) return [];
  const { dimensions, slots, values } = target;
  const best = new Map<number, number>();
  slots.forEach((slot, i) => {
    const vector = values.slice(i * dimensions, (i + 1) * dimensions);
    const search = new NearestSearch(reader, { embedder, vector, slot });
    for (const { docid, distance } of search.nearest(candidates, wanted).documents) {
      if (distance < (best.get(docid) ?? Number.POSITIVE_INFINITY)) best.set(docid, distance);
    }
  });
  const documents = [...best].map(([docid, distance]) => ({ docid, distance }));
  return documents.sort((a, b) => a.distance - b.distance || a.docid - b.docid);
}
