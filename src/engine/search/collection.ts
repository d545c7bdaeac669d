// Finds the documents that match a search, and the first of them in order. Called by searchanswer.ts and by
// facet searches (../facets/facetsearch.ts).
import type { JsonScanner } from "../../core/json.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import { TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Settings } from "../../schemas/settings.ts";
import { Bitmaps } from "../bitmaps.ts";
import { filteredDocuments } from "../filter/evaluate.ts";
import type { IndexReader } from "../reader.ts";
import { type SearchField, searchFields } from "../searchfields.ts";
import type { Criterion } from "./criterion.ts";
import { Deriver } from "./derive.ts";
import { Distinct, distinctField } from "./distinct.ts";
import { Documents } from "./documents.ts";
import { Driver, type Hit } from "./driver.ts";
import { QUERY_CHARACTERS_MAX, SEARCH_CUTOFF_MS } from "./limits.ts";
import { localesOfQuery } from "./locales.ts";
import { MatchWords } from "./matchwords.ts";
import { type ParsedQuery, parseQuery } from "./parse.ts";
import { type NamedRule, NO_PATHS, type Paths, type Rule } from "./rule.ts";
import { ruleList, semanticRuleList } from "./rulelist.ts";
import { SearchCore } from "./searchcore.ts";
import { checkSortable, parseSort } from "./sorting.ts";
import type { Steps } from "./steps.ts";
import { Vocabulary } from "./vocabulary.ts";
import { queryTokens } from "./written.ts";

/** What a search works with: the reader is up to date, the tokenizer configured for the index. */
export interface SearchTools {
  reader: IndexReader;
  tokenizer: Tokenizer;
  scanner: JsonScanner;
  /** Measures how long the parts of the search take. */
  steps: Steps;
}

/** The parameters that decide what is found. */
export type Asked = Pick<
  SearchQuery,
  | "q"
  | "filter"
  | "sort"
  | "distinct"
  | "matchingStrategy"
  | "attributesToSearchOn"
  | "rankingScoreThreshold"
  | "locales"
  | "showRankingScore"
  | "showRankingScoreDetails"
>;

/** Which hits are wanted, within the number that the settings allow. There may be fewer documents. */
export interface Window {
  /** Hits to skip; below, hits to return. */
  offset: number;
  limit: number;
  /** Page mode: totals are exact. */
  paged: boolean;
  /** Time of performance.now() when the search began. */
  began: number;
}

export interface Collection {
  bitmaps: Bitmaps;
  hits: readonly Hit[];
  /**
   * The documents that count: those that match, less the ones that threshold and distinct are known to drop.
   */
  candidates: Documents;
  total: number;
  /** The criteria that the request sorts by. */
  criteria: readonly Criterion[];
  /** Which words of texts the query matches. */
  words: () => MatchWords;
  /** Time ran out before the hits were fully ranked. */
  isDegraded: boolean;
}

/** Runs a search. */
export function collect(tools: SearchTools, query: Asked, window: Window): Collection {
  const { reader, tokenizer, steps } = tools;
  const { settings } = reader;
  const criteria = parseSort(query.sort, "invalid_search_sort");
  const fields = searchFields(reader.state.fields, settings, query.attributesToSearchOn);
  const distinct = distinctField(settings, query.distinct);
  const search = searchCoreOf(reader, query, fields);
  const { bitmaps, vocabulary } = search;
  const parsed = steps.time("tokenize query", () => parse(tokenizer, query, settings, fields));
  const { terms } = parsed;
  const deriver = new Deriver(settings, search, tokenizer);
  const nodes = steps.time("evaluate query", () => deriver.nodes(terms));
  const universe = universeOf(steps, bitmaps, query);
  for (const word of parsed.negativeWords) bitmaps.andNot(universe, search.word(word));
  for (const phrase of parsed.negativePhrases) bitmaps.andNot(universe, search.phrase(phrase));
  const { matchingStrategy: strategy } = query;
  const hasTerms = nodes.length > 0;
  const matched = steps.time("evaluate query", () =>
    hasTerms ? search.matched(nodes, terms.length, universe, strategy) : universe,
  );
  checkSort(criteria, settings);
  const rules = ruleList(settings, hasTerms, { strategy, criteria, search });
  const paths = hasTerms && rules.length ? search.paths() : NO_PATHS;
  const words = () => new MatchWords(nodes, terms, vocabulary);
  const run = { bitmaps, matched, rules, paths, leading: search, distinct, criteria, words };
  return steps.time(`${hasTerms ? "keyword" : "placeholder"} ranking`, () => rank(run, query, window));
}

/** Bitmap of the documents that pass the filter. */
function universeOf(steps: Steps, bitmaps: Bitmaps, { filter }: Asked): number {
  const allowed = steps.time("evaluate filter", () => {
    return filteredDocuments(bitmaps, filter, "invalid_search_filter");
  });
  return allowed ?? bitmaps.create(bitmaps.reader.live);
}

/** Makes the rule that sorts by vectors. */
type VectorRule = (bitmaps: Bitmaps) => Rule;

/** Runs a search by vectors: words neither match nor rank. */
export function collectByVectors(
  { reader, steps }: SearchTools,
  query: Asked,
  window: Window,
  vectorRule: VectorRule,
): Collection {
  const { settings } = reader;
  const criteria = parseSort(query.sort, "invalid_search_sort");
  // Unknown names are refused here, too, as in a search by words.
  searchFields(reader.state.fields, settings, query.attributesToSearchOn);
  const distinct = distinctField(settings, query.distinct);
  const bitmaps = new Bitmaps(reader);
  const matched = universeOf(steps, bitmaps, query);
  checkSort(criteria, settings);
  const rules = semanticRuleList(vectorRule(bitmaps), settings, criteria, bitmaps);
  const filters = { living: null, tolerant: null, unites: true };
  const words = () => new MatchWords([], [], new Vocabulary(reader, filters));
  const run = { bitmaps, matched, rules, paths: NO_PATHS, leading: null, distinct, criteria, words };
  return steps.time("semantic ranking", () => rank(run, query, window));
}

/** What is to be ranked, and how. */
interface Run extends Pick<Collection, "bitmaps" | "criteria" | "words"> {
  /** Bitmap of the documents that match. */
  matched: number;
  rules: readonly NamedRule[];
  paths: Paths;
  leading: SearchCore | null;
  /** Field whose values are each found once; null: none. */
  distinct: string | null;
}

/** Number of hits that a search has to find, counted from the first one. */
export const wantedHits = ({ offset, limit }: Window, { mostHits }: IndexReader): number =>
  Math.min(offset + limit, mostHits);

function rank(run: Run, query: Asked, window: Window): Collection {
  const { offset, limit, paged, began } = window;
  const { bitmaps, matched, distinct, criteria, words } = run;
  const { reader } = bitmaps;
  const isThorough = paged && query.rankingScoreThreshold !== null;
  const driver = new Driver(bitmaps, run.rules, {
    offset,
    wanted: isThorough ? reader.mostHits : wantedHits(window, reader),
    ranked: query.showRankingScore || query.showRankingScoreDetails,
    threshold: query.rankingScoreThreshold,
    distinct: distinct === null ? null : new Distinct(bitmaps, distinct),
    deadline: began + (reader.settings.searchCutoffMs ?? SEARCH_CUTOFF_MS),
    leading: run.leading,
  });
  const documents = Documents.ofBitmap(bitmaps, matched);
  driver.run(documents, run.paths);
  const remaining = driver.remaining(matched);
  let candidates = remaining === matched ? documents : Documents.ofBitmap(bitmaps, remaining);
  if (paged && distinct !== null) {
    candidates = new Distinct(bitmaps, distinct).first(candidates, candidates.count);
  }
  // Where totals are exact, ranking goes on beyond the page.
  const hits = driver.hits.slice(0, limit);
  const { isDegraded } = driver;
  return { bitmaps, hits, candidates, total: candidates.count, criteria, words, isDegraded };
}

/** @throws TarsierError when the settings do not allow sorting, or not by these fields */
function checkSort(criteria: readonly Criterion[], settings: Settings): void {
  if (criteria.length > 0 && !settings.rankingRules.includes("sort")) {
    const message =
      "You must specify where `sort` is listed in the rankingRules setting " +
      "to use the sort parameter at search time.";
    throw new TarsierError("invalid_search_sort", { message });
  }
  checkSortable(criteria, settings, "invalid_search_sort");
}

function searchCoreOf(reader: IndexReader, query: Asked, fields: readonly SearchField[]): SearchCore {
  const { settings } = reader;
  const names = query.attributesToSearchOn;
  return new SearchCore(new Bitmaps(reader), fields, {
    // Older segments contain words of fields that are never searched.
    restricted: (names !== null && !names.includes("*")) || fields.some(({ neverSearched }) => neverSearched),
    exactNumbers: settings.typoTolerance.disableOnNumbers,
    byAttribute: settings.proximityPrecision === "byAttribute",
    weightMax: weightMax(settings),
  });
}

function parse(
  tokenizer: Tokenizer,
  query: Asked,
  settings: Settings,
  fields: readonly SearchField[],
): ParsedQuery {
  const locales = localesOfQuery(settings, query.locales, fields);
  const tokens = query.q?.trim()
    ? queryTokens(tokenizer, query.q.slice(0, QUERY_CHARACTERS_MAX), locales)
    : [];
  return parseQuery(tokens, settings.prefixSearch !== "disabled");
}

/** Largest possible weight of a field, whether or not any field has it. */
const weightMax = ({ searchableAttributes }: Settings): number =>
  searchableAttributes.includes("*") ? 0 : Math.max(0, searchableAttributes.length - 1);
