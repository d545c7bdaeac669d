// One search on one index: from the validated request to the JSON bytes of its answer. Called by local.ts, in
// the thread that owns the core.
import type { JsonScanner } from "../../core/json.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import { TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Settings } from "../../schemas/settings.ts";
import { filteredDocuments } from "../filter/evaluate.ts";
import type { IndexReader } from "../reader.ts";
import { Bitmaps } from "./bitmaps.ts";
import { Deriver, type Node } from "./derive.ts";
import { Documents } from "./documents.ts";
import { Driver, type Hit } from "./driver.ts";
import { type SearchField, searchFields } from "./fields.ts";
import { coveringPaths, Items } from "./graph.ts";
import { HitWriter } from "./hits.ts";
import { QUERY_CHARACTERS_MAX, SEARCH_CUTOFF_MS } from "./limits.ts";
import { localesOfQuery } from "./locales.ts";
import { Lookups } from "./lookups.ts";
import { Matching } from "./matching.ts";
import { MatchWords } from "./matchwords.ts";
import { Occurrences } from "./occurrences.ts";
import { type ParsedQuery, parseQuery } from "./parse.ts";
import { type MatchingStrategy, removalOf } from "./removal.ts";
import { ruleList } from "./rulelist.ts";
import { type Criterion, checkSortable, parseSort } from "./sorting.ts";
import { type Ranges, Vocabulary } from "./vocabulary.ts";
import { matchedDocuments, type Query } from "./words.ts";

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
  /** Bytes of lists that the words of a query may have. */
  readBytesMax: number;
}

/** Answers a search with JSON; null when its words have more bytes than they may. */
export function search(tools: SearchTools, query: SearchQuery, indexUid: string): Uint8Array | null {
  const { reader } = tools;
  const began = performance.now();
  const { settings } = reader;
  refuseUnbuilt(query);
  const page = pageOf(query, settings.pagination.maxTotalHits);
  const found = collect(tools, query, page, began);
  if (!found) return null;
  const { hits, total, words } = found;
  const writer = new HitWriter(reader, query, tools, words);
  const body = hits.map((hit) => writer.write(hit));
  const shown = page.paged ? Math.min(total, settings.pagination.maxTotalHits) : total;
  return envelope(reader, query, page, { body, total: shown }, began, indexUid);
}

/** Parameters whose behaviour is not there yet are refused, not ignored: a wrong answer would be worse. */
function refuseUnbuilt(query: SearchQuery): void {
  const unbuilt = (["distinct", "facets", "hybrid", "vector", "media"] as const).filter(
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

/** The hits up to the end of the page, and how many documents match; null: see search. */
function collect(
  { reader, tokenizer, readBytesMax }: SearchTools,
  query: SearchQuery,
  page: Page,
  began: number,
): { hits: readonly Hit[]; total: number; words: () => MatchWords } | null {
  const { settings } = reader;
  const criteria = parseSort(query.sort, "invalid_search_sort");
  const fields = searchFields(reader.state.fields, settings, query.attributesToSearchOn);
  const lookups = lookupsOf(reader, query, fields);
  const { bitmaps } = lookups;
  const parsed = parse(tokenizer, query, settings, fields);
  const nodes = new Deriver(settings, lookups, tokenizer).nodes(parsed.terms);
  if (readBytesMax !== Infinity && listBytes(lookups, nodes, parsed) > readBytesMax) return null;
  const allowed = filteredDocuments(bitmaps, query.filter, "invalid_search_filter");
  const universe = allowed ?? bitmaps.create(reader.live);
  for (const word of parsed.negativeWords) bitmaps.andNot(universe, lookups.word(word));
  for (const phrase of parsed.negativePhrases) bitmaps.andNot(universe, lookups.phrase(phrase));
  const matching = new Matching(lookups);
  const graph = nodes.length ? graphOf(matching, nodes, parsed.terms.length, query.matchingStrategy) : null;
  const matched = graph ? matchedDocuments(matching, graph, universe) : universe;
  const ranking = { occurrences: new Occurrences(matching), weightMax: weightMax(settings) };
  checkSort(criteria, settings);
  const rules = ruleList(ranking, graph, settings, { strategy: query.matchingStrategy, criteria, bitmaps });
  const isThorough = page.paged && query.rankingScoreThreshold !== null;
  const driver = new Driver(rules, {
    wanted: isThorough ? settings.pagination.maxTotalHits : page.offset + page.limit,
    ranked: query.showRankingScore || query.showRankingScoreDetails,
    threshold: query.rankingScoreThreshold,
    deadline: began + (settings.searchCutoffMs ?? SEARCH_CUTOFF_MS),
    ranking,
  });
  const documents = Documents.ofBitmap(bitmaps, matched);
  driver.run(documents, graph && rules.length ? coveringPaths(graph.items, nodes, graph.terms) : []);
  return {
    hits: driver.hits.slice(page.offset, page.offset + page.limit),
    total: documents.count - driver.refused,
    words: () => new MatchWords(nodes, parsed.terms, lookups.vocabulary),
  };
}

/** Bytes of the lists of all words that a query stands for. */
function listBytes(lookups: Lookups, nodes: readonly Node[], parsed: ParsedQuery): number {
  let bytes = 0;
  const add = (ranges: Ranges | undefined) => {
    if (ranges) bytes += lookups.bytes(ranges);
  };
  const addWord = (text: string | null) => add((text && lookups.vocabulary.find(text)?.ranges) || undefined);
  for (const { exact, prefix, one, two, phrase, split, synonyms } of nodes) {
    add(prefix?.ranges ?? exact?.ranges);
    for (const word of [...one, ...two]) add(word.ranges);
    for (const some of [phrase, split, ...synonyms]) some?.slots.forEach(addWord);
  }
  parsed.negativeWords.forEach(addWord);
  for (const { slots } of parsed.negativePhrases) slots.forEach(addWord);
  return bytes;
}

/** @throws TarsierError when the settings do not let sort, or not by these fields */
function checkSort(criteria: readonly Criterion[], settings: Settings): void {
  if (criteria.length > 0 && !settings.rankingRules.includes("sort")) {
    const message =
      "You must specify where `sort` is listed in the rankingRules setting " +
      "to use the sort parameter at search time.";
    throw new TarsierError("invalid_search_sort", { message });
  }
  checkSortable(criteria, settings, "invalid_search_sort");
}

function lookupsOf(reader: IndexReader, query: SearchQuery, fields: readonly SearchField[]): Lookups {
  const { typoTolerance, proximityPrecision } = reader.settings;
  const options = {
    restricted: query.attributesToSearchOn !== null && !query.attributesToSearchOn.includes("*"),
    exactNumbers: typoTolerance.disableOnNumbers,
    byAttribute: proximityPrecision === "byAttribute",
  };
  const hasExact = options.exactNumbers || fields.some(({ exact }) => exact);
  const hasDead = reader.segments.some(({ tombstones }) => tombstones !== 0);
  const living = hasDead ? (segment: number, ordinal: number) => lookups.lives(segment, ordinal) : null;
  const tolerant = hasExact
    ? (segment: number, ordinal: number) => lookups.isTolerant(segment, ordinal)
    : living;
  const unites = !options.exactNumbers;
  const vocabulary = new Vocabulary(reader.segments, { living, tolerant, unites });
  const lookups: Lookups = new Lookups(new Bitmaps(reader), vocabulary, fields, options);
  return lookups;
}

function parse(
  tokenizer: Tokenizer,
  query: SearchQuery,
  settings: Settings,
  fields: readonly SearchField[],
): ParsedQuery {
  const locales = localesOfQuery(settings, query.locales, fields);
  const tokens = query.q?.trim() ? tokenizer.tokenize(query.q.slice(0, QUERY_CHARACTERS_MAX), locales) : [];
  return parseQuery(tokens, settings.prefixSearch !== "disabled");
}

function graphOf(
  matching: Matching,
  nodes: readonly Node[],
  terms: number,
  strategy: MatchingStrategy,
): Query {
  const items = new Items();
  return { nodes, items, terms, removal: removalOf(matching, items, nodes, terms, strategy) };
}

/** Largest weight of a field, whether there is such a field or not. */
const weightMax = ({ searchableAttributes }: Settings): number =>
  searchableAttributes.includes("*") ? 0 : Math.max(0, searchableAttributes.length - 1);

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
  };
  if (query.includeMetadata) rest["metadata"] = metadata(reader, query, indexUid);
  return Buffer.from(`{"hits":[${body.join(",")}],${JSON.stringify(rest).slice(1)}`);
}

function metadata(reader: IndexReader, query: SearchQuery, indexUid: string): Record<string, unknown> {
  return { queryUid: query.requestUid, indexUid, primaryKey: reader.state.primaryKey };
}
