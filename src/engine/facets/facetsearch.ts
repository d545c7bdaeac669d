// A facet search: finds the values of one field that begin with a text, allowing for typos, and how many of a
// search's documents have each. Called by ../searchthread.ts.
import { sortedSet } from "../../core/bytes.ts";
import type { Tokenizer } from "../../core/tokenizer.ts";
import { TarsierError } from "../../errors.ts";
import type { FacetSearchQuery } from "../../schemas/facetsearch.ts";
import type { Settings } from "../../schemas/settings.ts";
import { shownNames } from "../displayed.ts";
import { covers } from "../fieldnames.ts";
import { filterFeatures, patternsOf } from "../filter/attributes.ts";
import { remembered } from "../remembered.ts";
import { type Collection, collect, type SearchTools } from "../search/collection.ts";
import { distinctField } from "../search/distinct.ts";
import { QUERY_CHARACTERS_MAX } from "../search/limits.ts";
import { localesOfField } from "../search/locales.ts";
import { checkVector } from "../search/semantic.ts";
import { commonHits, type FacetHit } from "./commonhits.ts";
import { type CodeCounts, codeCounts, codesIn } from "./counts.ts";
import { facetOrder } from "./distribution.ts";
import { FacetMatches, type FacetNeedle, type SegmentMatches } from "./matches.ts";
import { foldedTexts } from "./searchkeys.ts";
import { Spellings } from "./spelling.ts";
import { type FacetValue, firstValues, rangeStream } from "./values.ts";

/**
 * Number of hits of the search whose documents are counted, where that number affects which documents count.
 */
const HITS = 20;

/** Answers a facet search with JSON. @throws TarsierError */
export function facetSearch(tools: SearchTools, query: FacetSearchQuery, indexUid: string): Uint8Array {
  const began = performance.now();
  const { settings } = tools.reader;
  if (query.semantic) checkVector(tools.reader, query.semantic);
  if (!settings.facetSearch) throw new TarsierError("facet_search_disabled", { indexUid });
  checkFacet(query.facetName, settings);
  const isCut = query.rankingScoreThreshold !== null || distinctField(settings, null) !== null;
  // An exhaustive count is taken from a page without hits.
  const limit = isCut && !query.exhaustiveFacetCount ? HITS : 0;
  const window = { offset: 0, limit, paged: query.exhaustiveFacetCount, began };
  const asked = {
    ...query,
    sort: null,
    distinct: null,
    showRankingScore: false,
    showRankingScoreDetails: false,
  };
  const found = collect(tools, asked, window);
  const answer = {
    facetHits: facetHits(tools, query, found),
    facetQuery: query.facetQuery,
    processingTimeMs: Math.round(performance.now() - began),
  };
  return Buffer.from(JSON.stringify(answer));
}

function checkFacet(name: string, settings: Settings): void {
  const features = filterFeatures(settings, name);
  if (features?.facetSearch) return;
  const { filterableAttributes } = settings;
  const all = sortedSet(
    filterableAttributes
      .filter((entry) => typeof entry === "string" || entry.features.facetSearch)
      .flatMap((entry) => patternsOf(entry)),
  );
  const available = all.length
    ? `Available facet-searchable attribute patterns are: ${shownNames(settings, all)}.`
    : "This index does not have configured facet-searchable attributes.";
  const reason = features
    ? ` It matched rule #${features.rule} in \`filterableAttributes\`, which does not enable facet search: ` +
      "enable `facetSearch` in that rule, or prepend another rule with it."
    : "";
  const message = `Attribute \`${name}\` is not facet-searchable. ${available}${reason}`;
  throw new TarsierError("invalid_facet_search_facet_name", { message });
}

function facetHits(tools: SearchTools, query: FacetSearchQuery, found: Collection): FacetHit[] {
  const { reader, scanner } = tools;
  const { settings } = reader;
  const { facetName: name } = query;
  const most = settings.faceting.maxValuesPerFacet;
  const isByCount = facetOrder(settings, name) === "count";
  const all = codeCounts(found.bitmaps, found.candidates, name, isByCount ? "all" : "first");
  const segments = matchesOf(tools, query, all);
  const hitsOf = (values: readonly FacetValue[]): FacetHit[] => {
    const texts = new Spellings(reader, scanner, name).of(values, null);
    return values.map(({ count }, i) => ({ value: texts[i], count }));
  };
  if (isByCount) {
    const sets = segments.map((matches) => ({ counts: matches.counts, codes: matches.codes() }));
    const orderOf = ({ places: [{ counts, code }] }: FacetValue) =>
      segments.find((matches) => matches.counts === counts)!.orderOf(code);
    return commonHits(sets, most, { hitsOf, orderOf });
  }
  const streams = segments.flatMap((matches) => matches.streams());
  return hitsOf(firstValues(streams, most));
}

function matchesOf(
  tools: SearchTools,
  query: FacetSearchQuery,
  all: readonly CodeCounts[],
): SegmentMatches[] {
  if (query.facetQuery === null) return all.map(allMatches);
  const needle = needleOf(tools, query, query.facetQuery);
  const { reader, tokenizer } = tools;
  const { settings, share } = reader;
  const locales = localesOfField(settings, query.facetName);
  return all.map((counts) => {
    const { open, column } = counts;
    const folded = foldedTexts({ tokenizer, share }, open.segment, column, locales);
    return new FacetMatches(share, counts, needle, folded);
  });
}

/** All texts of a segment. */
function allMatches(counts: CodeCounts): SegmentMatches {
  const { column } = counts;
  const { numbers, values } = column;
  return {
    counts,
    streams: () => [rangeStream(counts, numbers, values)],
    codes: () => codesIn(counts, numbers, values),
    orderOf: (code) => column.term(code),
  };
}

/**
 * The text that values must begin with. Its length in bytes decides how many typos are allowed; no letter is
 * special.
 */
function needleOf({ reader, tokenizer }: SearchTools, query: FacetSearchQuery, raw: string): FacetNeedle {
  const { settings } = reader;
  const { enabled, minWordSizeForTypos, disableOnAttributes } = settings.typoTolerance;
  const text = tokenizer.fold(raw.slice(0, QUERY_CHARACTERS_MAX), localesOfFacetQuery(settings, query));
  const isExact = disableOnAttributes.some((entry) => covers(entry, query.facetName));
  if (!enabled || isExact) return { text, budget: 0 };
  if (exactTexts(settings, tokenizer).has(text)) return { text, budget: null };
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  const bytes = Buffer.byteLength(text);
  return { text, budget: bytes < oneTypo ? 0 : bytes < twoTypos ? 1 : 2 };
}

/** Texts for which no typos are allowed, by settings. */
const exactTextSets = new WeakMap<Settings, Set<string>>();

function exactTexts(settings: Settings, tokenizer: Tokenizer): Set<string> {
  const { disableOnWords } = settings.typoTolerance;
  return remembered(
    exactTextSets,
    settings,
    () => new Set(disableOnWords.map((word) => tokenizer.fold(word))),
  );
}

/** The locales of the request, or of the field when it names none. */
function localesOfFacetQuery(
  settings: Settings,
  { facetName, locales }: FacetSearchQuery,
): string[] | undefined {
  const own = localesOfField(settings, facetName);
  if (!locales?.length) return own;
  return own?.filter((locale) => (locales as string[]).includes(locale));
}
