// The settings of a new index. Kept apart from the schemas of settings.ts, which a thread that only searches
// does not need.
import type { Settings } from "../schemas/settings.ts";

const MAX_VALUES_PER_FACET_DEFAULT = 100;
const MAX_TOTAL_HITS_DEFAULT = 1000;
const ONE_TYPO_DEFAULT_CHARACTERS = 5;
const TWO_TYPOS_DEFAULT_CHARACTERS = 9;

export function defaultSettings(): Settings {
  return {
    displayedAttributes: ["*"],
    searchableAttributes: ["*"],
    filterableAttributes: [],
    sortableAttributes: [],
    rankingRules: ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"],
    stopWords: [],
    nonSeparatorTokens: [],
    separatorTokens: [],
    dictionary: [],
    synonyms: {},
    distinctAttribute: null,
    proximityPrecision: "byWord",
    typoTolerance: {
      enabled: true,
      minWordSizeForTypos: { oneTypo: ONE_TYPO_DEFAULT_CHARACTERS, twoTypos: TWO_TYPOS_DEFAULT_CHARACTERS },
      disableOnWords: [],
      disableOnAttributes: [],
      disableOnNumbers: false,
    },
    faceting: { maxValuesPerFacet: MAX_VALUES_PER_FACET_DEFAULT, sortFacetValuesBy: { "*": "alpha" } },
    pagination: { maxTotalHits: MAX_TOTAL_HITS_DEFAULT },
    embedders: {},
    searchCutoffMs: null,
    localizedAttributes: null,
    facetSearch: true,
    prefixSearch: "indexingTime",
  };
}
