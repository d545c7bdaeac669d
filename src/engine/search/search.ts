// One search on one index: from the validated request to the JSON bytes of its answer. Called by local.ts, in the thread
// that owns the core.
import type { JsonScanner } from "../../core/json.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import { TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { IndexReader } from "../reader.ts";
import { Deriver, type Node } from "./derive.ts";
import { type SearchField, searchFields } from "./fields.ts";
import { HitWriter } from "./hits.ts";
import { Matching } from "./matching.ts";
import { parseQuery } from "./parse.ts";
import { type Bucket, matched, typoBuckets, wordsBuckets } from "./rank.ts";
import { removalSteps } from "./removal.ts";
import { localesOfQuery } from "./locales.ts";
import { Vocabulary } from "./vocabulary.ts";

/** A document of the page with what the rules said of it. */
export interface Hit {
  docid: number;
  ranks: Bucket["ranks"];
}

interface Page {
  /** Hits to skip, hits to return. */
  offset: number;
  limit: number;
  /** Page mode: totals are exact. */
  paged: boolean;
}

/** What a search works with: the reader is fresh, the tokenizer configured for the index. */
export interface SearchTools {
  reader: IndexReader;
  tokenizer: Tokenizer;
  scanner: JsonScanner;
}

/** Answers a search with JSON. */
export function search({ reader, tokenizer, scanner }: SearchTools, query: SearchQuery, indexUid: string): Uint8Array {
  const began = performance.now();
  const { settings } = reader;
  refuseUnbuilt(query);
  const page = pageOf(query, settings.pagination.maxTotalHits);
  const { hits, total } = collect(reader, tokenizer, query, page.offset + page.limit);
  const writer = new HitWriter(reader, query, scanner);
  const body = hits.slice(page.offset).map((hit) => writer.write(hit));
  const shown = page.paged ? Math.min(total, settings.pagination.maxTotalHits) : total;
  return envelope(reader, query, page, { body, total: shown }, began, indexUid);
}

/** Parameters whose behaviour is not there yet are refused, not ignored: a wrong answer would be worse. */
function refuseUnbuilt(query: SearchQuery): void {
  const unbuilt = (["filter", "sort", "distinct", "facets", "hybrid", "vector", "media"] as const).filter(
    (name) => query[name] !== null && (!Array.isArray(query[name]) || (query[name] as unknown[]).length > 0),
  );
  if (unbuilt.length) {
    throw new TarsierError("feature_not_enabled", {
      message: `Search parameter \`${unbuilt[0]}\` is not available in this version.`,
    });
  }
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

/** The first `wanted` hits, and how many documents match. */
function collect(
  reader: IndexReader,
  tokenizer: Tokenizer,
  query: SearchQuery,
  wanted: number,
): { hits: Hit[]; total: number } {
  const { settings } = reader;
  const fields = searchFields(reader.state.fields, settings, query.attributesToSearchOn);
  const restricted = query.attributesToSearchOn !== null && !query.attributesToSearchOn.includes("*");
  const exactNumbers = settings.typoTolerance.disableOnNumbers;
  const isTolerant = exactNumbers || fields.some(({ exact }) => exact);
  const vocabulary: Vocabulary = new Vocabulary(
    reader.segments,
    isTolerant ? (segment, ordinal) => matching.isTolerant(segment, ordinal) : null,
  );
  const matching = new Matching(reader, vocabulary, fields, { restricted, exactNumbers });
  const { nodes, terms, universe } = prepare(reader, tokenizer, query, { fields, vocabulary, matching });
  if (!nodes.length) {
    const hits = matching.list(universe, wanted).map((docid) => ({ docid, ranks: [] }));
    return { hits, total: matching.count(universe) };
  }
  const steps = removalSteps(matching, nodes, terms, query.matchingStrategy);
  const all = matched(matching, nodes, steps[steps.length - 1], universe);
  const hits: Hit[] = [];
  for (const { bitmap, ranks } of buckets(matching, nodes, steps, all)) {
    if (hits.length >= wanted) break;
    for (const docid of matching.list(bitmap, wanted - hits.length)) hits.push({ docid, ranks });
  }
  return { hits, total: matching.count(all) };
}

interface Parts {
  fields: readonly SearchField[];
  vocabulary: Vocabulary;
  matching: Matching;
}

/** The nodes of the query, and the documents that it may choose from. */
function prepare(
  reader: IndexReader,
  tokenizer: Tokenizer,
  query: SearchQuery,
  { fields, vocabulary, matching }: Parts,
): { nodes: Node[]; terms: number; universe: number } {
  const { settings } = reader;
  const locales = localesOfQuery(settings, query.locales, fields);
  const tokens = query.q?.trim() ? tokenizer.tokenize(query.q, locales) : [];
  const parsed = parseQuery(tokens, settings.prefixSearch !== "disabled");
  const universe = matching.bitmap(reader.live);
  for (const word of parsed.negativeWords) matching.andNot(universe, matching.wordDocuments(word));
  for (const phrase of parsed.negativePhrases) matching.andNot(universe, matching.phraseDocuments(phrase));
  const nodes = new Deriver(settings, vocabulary, matching, tokenizer).nodes(parsed.terms);
  return { nodes, terms: parsed.terms.length, universe };
}

function* buckets(
  matching: Matching,
  nodes: readonly Node[],
  steps: readonly (readonly boolean[])[],
  universe: number,
): Generator<Bucket> {
  for (const words of wordsBuckets(matching, nodes, steps, universe)) {
    const rank = words.kept.filter(Boolean).length;
    for (const { bitmap, typos, most } of typoBuckets(matching, nodes, words.kept, words.bitmap)) {
      yield {
        bitmap,
        ranks: [
          { rule: "words", rank, max: words.kept.length },
          { rule: "typo", rank: most + 1 - typos, max: most + 1 },
        ],
      };
    }
  }
}

function envelope(
  reader: IndexReader,
  query: SearchQuery,
  page: Page,
  { body, total }: { body: string[]; total: number },
  began: number,
  indexUid: string,
): Uint8Array {
  const size = query.hitsPerPage ?? 20;
  const totals = page.paged
    ? { hitsPerPage: size, page: query.page ?? 1, totalPages: size ? Math.ceil(total / size) : 0, totalHits: total }
    : { limit: query.limit, offset: query.offset, estimatedTotalHits: total };
  const rest: Record<string, unknown> = {
    query: query.q ?? "",
    processingTimeMs: Math.round(performance.now() - began),
    ...totals,
    requestUid: query.requestUid,
  };
  if (query.includeMetadata) rest["metadata"] = metadata(reader, query, indexUid);
  return Buffer.from(`{"hits":[${body.join(",")}],${JSON.stringify(rest).slice(1)}`);
}

function metadata(reader: IndexReader, query: SearchQuery, indexUid: string): Record<string, unknown> {
  return { queryUid: query.requestUid, indexUid, primaryKey: reader.state.primaryKey };
}
