// A facet search: the values of one field that begin with a text, typos forgiven, with how many of the
// documents of a search have each. Called by ../searchthread.ts.

import { compareBytes, sortedSet } from "../../core/bytes.ts";
import { TarsierError } from "../../errors.ts";
import type { FacetSearchQuery } from "../../schemas/facetsearch.ts";
import type { Settings } from "../../schemas/settings.ts";
import { filterFeatures, patternsOf } from "../filter/attributes.ts";
import { type Collection, collect, type SearchTools } from "../search/collection.ts";
import { shownNames } from "../search/displayed.ts";
import { distinctField } from "../search/distinct.ts";
import { covers } from "../search/fieldnames.ts";
import { localesOfField } from "../search/locales.ts";
import { checkVector } from "../search/semantic.ts";
import { type CodeCounts, codeCounts, codesIn } from "./counts.ts";
import { facetOrder } from "./distribution.ts";
import { FacetMatches, type FacetNeedle } from "./matches.ts";
import { foldedTexts } from "./searchkeys.ts";
import { Spellings } from "./spelling.ts";
import { commonValues, type FacetValue, firstValues, rangeStream, type ValueStream } from "./values.ts";

/** Of values up to this number all are spelled: it is seen in their texts which are left out. */
const SPELLED_VALUES_MAX = 1000;

/** The search whose documents are counted shows as many hits, as far as that changes what counts. */
const HITS = 20;

/** Answers a facet search with JSON. @throws TarsierError */
export function facetSearch(tools: SearchTools, query: FacetSearchQuery, indexUid: string): Uint8Array {
  const began = performance.now();
  const { settings } = tools.reader;
  if (!settings.facetSearch) throw new TarsierError("facet_search_disabled", { indexUid });
  checkFacet(query.facetName, settings);
  const isCut = query.rankingScoreThreshold !== null || distinctField(settings, null) !== null;
  // An exhaustive count is that of a page without hits.
  const limit = isCut && !query.exhaustiveFacetCount ? HITS : 0;
  const window = { offset: 0, limit, paged: query.exhaustiveFacetCount, began };
  const asked = {
    ...query,
    ...{ sort: null, distinct: null, showRankingScore: false, showRankingScoreDetails: false },
  };
  if (query.semantic) checkVector(tools.reader, query.semantic);
  const found = collect(tools, asked, window);
  const answer = {
    facetHits: facetHits(tools, query, found),
    facetQuery: query.facetQuery,
    processingTimeMs: Math.round(performance.now() - began),
  };
  return Buffer.from(JSON.stringify(answer));
}

interface FacetHit {
  value: string;
  count: number;
}

/** Unlike in distributions, of equal counts the one comes first that is shown with the greater text. */
const byCount = (a: FacetHit, b: FacetHit): number => b.count - a.count || compareBytes(b.value, a.value);

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
  const matches = matchesOf(tools, query, all);
  const spelled = (values: readonly FacetValue[]): FacetHit[] => {
    const texts = new Spellings(reader, scanner, name).of(values, null);
    return values.map(({ count }, i) => ({ value: texts[i], count }));
  };
  const streams = () => matches.flatMap((match) => match.streams());
  if (!isByCount) return spelled(firstValues(streams(), most));
  const texts = all.reduce((sum, { column }) => sum + column.values - column.numbers, 0);
  if (texts <= SPELLED_VALUES_MAX) return mostCommon(spelled(firstValues(streams(), texts)), most);
  const sets = matches.map(({ counts, codes }) => ({ counts, codes: codes() }));
  return spelled(commonValues(sets, most)).sort(byCount);
}

/** The values of one segment that are asked for. */
interface Matches {
  counts: CodeCounts;
  /** In order. */
  streams: () => ValueStream[];
  /** Descending. */
  codes: () => Iterable<number>;
}

function matchesOf(tools: SearchTools, query: FacetSearchQuery, all: readonly CodeCounts[]): Matches[] {
  if (query.facetQuery === null) {
    return all.map((counts) => {
      const { numbers, values } = counts.column;
      const streams = () => [rangeStream(counts, numbers, values)];
      return { counts, streams, codes: () => codesIn(counts, numbers, values) };
    });
  }
  const { reader, tokenizer } = tools;
  const { settings, share } = reader;
  const needle = needleOf(tools, query.facetQuery, query);
  const locales = localesOfField(settings, query.facetName);
  return all.map((counts) => {
    const { open, column } = counts;
    const { scratch } = share;
    const folded = foldedTexts({ tokenizer, scratch }, open.segment, column, locales);
    const found = new FacetMatches(share.core, counts, needle, folded);
    return { counts, streams: () => found.streams(), codes: () => found.codes() };
  });
}

/**
 * The `most` most frequent of some values, which come in order. What is left out of equally frequent ones
 * depends on how they are spelled: a value takes the place of the last one so far.
 */
function mostCommon(values: readonly FacetHit[], most: number): FacetHit[] {
  const kept: FacetHit[] = [];
  for (const value of values) {
    if (kept.length === most) {
      if (most === 0 || value.count < kept[most - 1].count) continue;
      kept.pop();
    }
    const place = kept.findIndex((other) => byCount(value, other) < 0);
    kept.splice(place < 0 ? kept.length : place, 0, value);
  }
  return kept;
}

/** The text that values begin with. Its bytes tell how many typos are forgiven; no letter is special. */
function needleOf({ reader, tokenizer }: SearchTools, raw: string, query: FacetSearchQuery): FacetNeedle {
  const { settings } = reader;
  const { enabled, minWordSizeForTypos, disableOnAttributes, disableOnWords } = settings.typoTolerance;
  const text = tokenizer.fold(raw, localesOfFacetQuery(settings, query));
  const isExact = disableOnAttributes.some((entry) => covers(entry, query.facetName));
  if (!enabled || isExact) return { text, budget: 0 };
  if (disableOnWords.some((word) => tokenizer.fold(word) === text)) return { text, budget: null };
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  const bytes = Buffer.byteLength(text);
  return { text, budget: bytes < oneTypo ? 0 : bytes < twoTypos ? 1 : 2 };
}

/** Locales of the field, those that the request names where it names some. */
function localesOfFacetQuery(
  settings: Settings,
  { facetName, locales }: FacetSearchQuery,
): string[] | undefined {
  const own = localesOfField(settings, facetName);
  if (!locales?.length) return own;
  return own?.filter((locale) => (locales as string[]).includes(locale));
}
