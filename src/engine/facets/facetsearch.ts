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
import { codeCounts, codesIn } from "./counts.ts";
import { facetOrder } from "./distribution.ts";
import { FacetMatches, type FacetNeedle } from "./matches.ts";
import { foldedTexts } from "./searchkeys.ts";
import { Spellings } from "./spelling.ts";
import { commonValues, type FacetValue, firstValues, rangeStream } from "./values.ts";

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
  const values = facetValues(tools, query, found);
  const texts = new Spellings(tools.reader, tools.scanner, query.facetName).of(values, null);
  const facetHits = values.map(({ count }, i) => ({ value: texts[i], count }));
  if (facetOrder(settings, query.facetName) === "count") facetHits.sort(byCount);
  const answer = {
    facetHits,
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

function facetValues(tools: SearchTools, query: FacetSearchQuery, found: Collection): FacetValue[] {
  const { reader, tokenizer } = tools;
  const { settings, share } = reader;
  const name = query.facetName;
  const most = settings.faceting.maxValuesPerFacet;
  const isByCount = facetOrder(settings, name) === "count";
  const all = codeCounts(found.bitmaps, found.candidates, name, isByCount ? "all" : "first");
  if (query.facetQuery === null) {
    if (isByCount) {
      const codes = all.map((counts) => codesIn(counts, counts.column.numbers, counts.column.values));
      return commonValues(
        all.map((counts, i) => ({ counts, codes: codes[i] })),
        most,
      );
    }
    const ranges = all.map((counts) => rangeStream(counts, counts.column.numbers, counts.column.values));
    return firstValues(ranges, most);
  }
  const needle = needleOf(tools, query.facetQuery, query);
  const locales = localesOfField(settings, name);
  const matches = all.map((counts) => {
    const folded = foldedTexts(
      { tokenizer, scratch: share.scratch },
      counts.open.segment,
      counts.column,
      locales,
    );
    return { counts, found: new FacetMatches(share.core, counts, needle, folded) };
  });
  if (isByCount)
    return commonValues(
      matches.map(({ counts, found }) => ({ counts, codes: found.codes() })),
      most,
    );
  return firstValues(
    matches.flatMap(({ found }) => found.streams()),
    most,
  );
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
