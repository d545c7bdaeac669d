// The kinds of rules by which queries are told to sort alike.
import { deepEqual, doesNotThrow, throws } from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../../src/engine/defaultsettings.ts";
import { RuleAgreement, ruleKinds } from "../../../src/engine/federation/rulekinds.ts";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { searchQueryOf } from "../../../src/schemas/search.ts";

const kinds = (rankingRules: string[], body: SearchBody) =>
  ruleKinds({ ...defaultSettings(), rankingRules }, searchQueryOf(body, "request", null), []);

const byVectors: SearchBody = { vector: [1], hybrid: { embedder: "e", semanticRatio: 1 } };

test("rules of relevancy in a row are one, and a query without words has none", () => {
  const rules = ["words", "typo", "a:asc", "proximity", "a:desc", "b:desc"];
  deepEqual(kinds(rules, { q: "x" }), ["relevancy", "asc", "relevancy", "desc"]);
  deepEqual(kinds(rules, { q: " " }), ["asc", "desc"]);
});

test("where all words must match, the rule that counts them does not run", () => {
  deepEqual(kinds(["words", "a:asc"], { q: "x" }), ["relevancy", "asc"]);
  deepEqual(kinds(["words", "a:asc"], { q: "x", matchingStrategy: "all" }), ["asc"]);
  deepEqual(kinds(["typo", "a:asc", "words"], { q: "x" }), ["relevancy", "asc"]);
});

test("vectors stand at the first rule of relevancy, and one behind a sort ends the list", () => {
  deepEqual(kinds(["a:asc", "words", "typo", "b:asc"], byVectors), ["asc", "relevancy", "asc"]);
  deepEqual(kinds(["words", "a:asc", "typo", "b:asc"], byVectors), ["relevancy", "asc"]);
});

test("every query must agree with the one that has most rules, whatever is between them", () => {
  const lists = [["relevancy"], ["relevancy", "asc"], ["relevancy"], ["relevancy", "desc"]] as const;
  const agreement = new RuleAgreement();
  const add = (position: number) => agreement.add({ position, kinds: lists[position] });
  doesNotThrow(() => [0, 1, 2].map(add));
  throws(() => add(3), {
    code: "invalid_multi_search_query_ranking_rules",
    message: /queries\[3\].*kind `asc` as rule #1, as in `\.queries\[1\]`.*kind `desc`/,
  });
});
