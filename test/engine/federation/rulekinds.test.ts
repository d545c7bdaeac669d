// The kinds of rules by which queries are told to sort alike.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../../src/engine/defaultsettings.ts";
import { ruleKinds } from "../../../src/engine/federation/rulekinds.ts";
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
});

test("vectors stand at the first rule of relevancy, and one behind a sort ends the list", () => {
  deepEqual(kinds(["a:asc", "words", "typo", "b:asc"], byVectors), ["asc", "relevancy", "asc"]);
  deepEqual(kinds(["words", "a:asc", "typo", "b:asc"], byVectors), ["relevancy", "asc"]);
});
