// Random texts, settings and queries of a few words that resemble each other: for tests that compare rankings
// with the naive ranker.
import fc from "fast-check";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import type { TestQuery } from "./naiveranker.ts";
import { rankingRules } from "./searchindex.ts";

const words = [
  ..."sun flower sunflower the to quick brown fox holiday summer sommer holidya".split(" "),
  ..."beautiful beautigul net work network netwrok networking a of 42 3 1999".split(" "),
  ..."dog lazy sum sunny quickbrown thesun xyz".split(" "),
];
const word = fc.constantFrom(...words);
const joint = fc.constantFrom(" ", " ", " ", " ", " ", "-", ", ", ". ", "! ", "'");
export const text = (most: number) =>
  fc
    .array(fc.tuple(word, joint), { minLength: 1, maxLength: most })
    .map((parts) => parts.flat().slice(0, -1).join(""));

export const fields = {
  title: text(5),
  body: fc.oneof({ weight: 9, arbitrary: text(12) }, { weight: 1, arbitrary: text(40) }),
  tags: fc.array(text(2), { minLength: 1, maxLength: 3 }),
};
export const settings: fc.Arbitrary<SettingsPatch> = fc.record(
  {
    searchableAttributes: fc.constantFrom<string[]>(
      ["title", "body"],
      ["title", "body", "tags"],
      ["body", "tags", "title", "x"],
    ),
    rankingRules: fc.oneof(
      fc.constant<string[]>(["words", "typo", "proximity", "attribute", "exactness"]),
      fc.shuffledSubarray(rankingRules),
      fc.shuffledSubarray(rankingRules),
    ),
    typoTolerance: fc.constantFrom<NonNullable<SettingsPatch["typoTolerance"]>>(
      { enabled: false },
      { minWordSizeForTypos: { oneTypo: 3, twoTypos: 5 } },
      { disableOnAttributes: ["body"] },
      { disableOnWords: ["summer", "network"] },
      { disableOnNumbers: true, minWordSizeForTypos: { oneTypo: 1, twoTypos: 3 } },
    ),
    stopWords: fc.constantFrom<string[]>(["the", "to"], ["a", "sun"]),
    synonyms: fc.constantFrom<Record<string, string[]>>(
      { sun: ["summer holiday"], "quick brown": ["fox", "lazy dog"] },
      { network: ["net work"] },
    ),
    proximityPrecision: fc.constantFrom("byAttribute" as const, "byWord" as const),
    prefixSearch: fc.constantFrom("disabled" as const, "indexingTime" as const),
  },
  { requiredKeys: [] },
);

const queryWord = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 2, arbitrary: fc.tuple(word, fc.nat(6)).map(([word, cut]) => word.slice(0, 1 + cut)) },
  { weight: 1, arbitrary: fc.tuple(word, word).map((pair) => pair.join("")) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`) },
  { weight: 1, arbitrary: word.map((word) => `-${word}`) },
);
const q = fc
  .array(fc.tuple(queryWord, fc.constantFrom(" ", " ", " ", ", ", "-")), { minLength: 1, maxLength: 4 })
  .chain((parts) => fc.constantFrom(parts.flat().slice(0, -1).join(""), parts.flat().join("")));
export const query: fc.Arbitrary<TestQuery> = fc.record(
  {
    q,
    matchingStrategy: fc.constantFrom("last" as const, "all" as const, "frequency" as const),
    attributesToSearchOn: fc.constantFrom(["title"], ["title", "body"]),
    rankingScoreThreshold: fc.constantFrom(0.3, 0.6, 0.9),
    limit: fc.constantFrom(1, 3, 20),
    offset: fc.constantFrom(0, 2),
    distinct: fc.constant("tags" as const),
  },
  { requiredKeys: ["q"] },
);
