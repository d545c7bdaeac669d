// One search on one index: from the validated request to the JSON bytes of its answer. Called by
// searchthread.ts, in the thread that owns the core.
import { textWithFloats } from "../core/floattext.ts";
import { shortFloat } from "../core/shortfloat.ts";
import type { SearchQuery } from "../schemas/search.ts";
import { facetCounts, facetMembers } from "./facets/distribution.ts";
import { facetFields } from "./facets/fields.ts";
import type { IndexReader } from "./reader.ts";
import type { SearchTools, Window } from "./search/collection.ts";
import { withoutRepeatedEmptyTexts } from "./search/emptytexts.ts";
import { HitWriter } from "./search/hits.ts";
import { type EmbeddingRequest, find } from "./search/semantic.ts";

/** Members of an answer that hold floats. */
const FLOATS: ReadonlySet<string> = new Set(["queryVector"]);

type Page = Pick<Window, "offset" | "limit" | "paged">;

/** An answer whose hits are not fully ranked, because time ran out. */
export interface PartialAnswer {
  partial: Uint8Array;
}

/** Answers a search with JSON, or says what must be embedded first. */
export function search(
  tools: SearchTools,
  query: SearchQuery,
  indexUid: string,
): Uint8Array | PartialAnswer | EmbeddingRequest {
  const { reader } = tools;
  const began = performance.now();
  const page = pageOf(query, reader.settings.pagination.maxTotalHits);
  const whole = find(tools, query, { ...page, began });
  if ("embed" in whole) return whole;
  const found = withoutRepeatedEmptyTexts(tools, query.distinct, whole);
  const fields = facetFields(reader, query.facets);
  const { hits, total, semanticHitCount } = found;
  const writer = new HitWriter(reader, query, tools, found);
  const body = tools.steps.time("format", () => hits.map((hit) => writer.write(hit)));
  // An estimated total is not cut: recorded answers to the relevance queries give totals of up to 496,891.
  const shown = page.paged ? Math.min(total, reader.mostHits) : total;
  const facets =
    fields && tools.steps.time("facet distribution", () => facetMembers(facetCounts(tools, fields, found)));
  const more = {
    ...(semanticHitCount !== null && { semanticHitCount }),
    ...(query.retrieveVectors && found.queryVector && { queryVector: found.queryVector.map(shortFloat) }),
    ...(query.showPerformanceDetails && { performanceDetails: performanceDetails(tools, query, began) }),
  };
  const answer = envelope(reader, query, page, { body, total: shown, facets, more }, began, indexUid);
  return found.isDegraded ? { partial: answer } : answer;
}

/** The time for embedding the query was spent before this thread got it. */
function performanceDetails({ steps }: SearchTools, query: SearchQuery, began: number) {
  const { embeddingMs, queueMs } = query;
  if (embeddingMs > 0) steps.add("embed query", embeddingMs);
  return steps.told(performance.now() - began + embeddingMs, queueMs);
}

function pageOf(query: SearchQuery, most: number): Page {
  if (query.page === null && query.hitsPerPage === null) {
    const offset = Math.min(query.offset, most);
    return { offset, limit: Math.min(query.limit, most - offset), paged: false };
  }
  const size = query.hitsPerPage ?? 20;
  const page = query.page ?? 1;
  const offset = Math.min(Math.max(0, page - 1) * size, most);
  return { offset, limit: page === 0 ? 0 : Math.min(size, most - offset), paged: true };
}

function envelope(
  reader: IndexReader,
  query: SearchQuery,
  page: Page,
  { body, total, facets, more }: { body: string[]; total: number; facets: string | null; more: object },
  began: number,
  indexUid: string,
): Uint8Array {
  const size = query.hitsPerPage ?? 20;
  const totals = page.paged
    ? {
        hitsPerPage: size,
        page: query.page ?? 1,
        totalPages: size ? Math.ceil(total / size) : 0,
        totalHits: total,
      }
    : { limit: query.limit, offset: query.offset, estimatedTotalHits: total };
  const rest: Record<string, unknown> = {
    query: query.q ?? "",
    processingTimeMs: Math.round(performance.now() - began),
    ...totals,
    requestUid: query.requestUid,
    ...(query.queryUid !== null && { metadata: metadataOf(query.queryUid, indexUid, reader) }),
    ...more,
  };
  const counted = facets === null ? "" : `${facets},`;
  // Most answers have no floats here, and JSON.stringify takes half the time.
  const restText = query.retrieveVectors ? textWithFloats(rest, FLOATS) : JSON.stringify(rest);
  return Buffer.from(`{"hits":[${body.join(",")}],${counted}${restText.slice(1)}`);
}

function metadataOf(queryUid: string, indexUid: string, { state }: IndexReader): Record<string, unknown> {
  const { primaryKey } = state;
  return { queryUid, indexUid, ...(primaryKey !== null && { primaryKey }) };
}
