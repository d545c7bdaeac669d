// What is embedded again after a change of the settings.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { reembeddingFor } from "../../src/embedders/change.ts";
import { DOCUMENT_TEMPLATE_DEFAULT } from "../../src/embedders/defaults.ts";
import type { EmbedderSettings } from "../../src/schemas/embedders.ts";

const openAi: EmbedderSettings = { source: "openAi" };
const rest: EmbedderSettings = { source: "rest", url: "http://a", request: { a: "{{text}}" }, response: 1 };
const value = (text: string) => ({ value: { text } });
const fragments: EmbedderSettings = {
  ...rest,
  indexingFragments: { a: value("1"), b: value("2") },
  searchFragments: { a: value("{{q}}") },
};
const composite: EmbedderSettings = { source: "composite", searchEmbedder: openAi, indexingEmbedder: rest };

type Case = [name: string, before: EmbedderSettings, change: Partial<EmbedderSettings>, kind: string];

const cases: Case[] = [
  ["another source", openAi, { source: "huggingFace" }, "full"],
  ["another model", openAi, { model: "text-embedding-3-large" }, "full"],
  ["the default model by its name", openAi, { model: "text-embedding-3-small" }, "none"],
  ["dimensions of openAi", openAi, { dimensions: 3 }, "full"],
  ["dimensions of rest", rest, { dimensions: 3 }, "none"],
  ["address of openAi", openAi, { url: "http://b" }, "none"],
  ["address of rest", rest, { url: "http://b" }, "full"],
  ["another request", rest, { request: { b: "{{text}}" } }, "full"],
  ["another response", rest, { response: 2 }, "full"],
  ["a pooling", { source: "huggingFace" }, { pooling: "forceCls" }, "full"],
  [
    "the default model of huggingFace by its name",
    { source: "huggingFace" },
    { model: "BAAI/bge-base-en-v1.5" },
    "full",
  ],
  ["another template", rest, { documentTemplate: "x" }, "prompts"],
  ["the default template", rest, { documentTemplate: DOCUMENT_TEMPLATE_DEFAULT }, "none"],
  ["longer texts", rest, { documentTemplateMaxBytes: 401 }, "prompts"],
  ["shorter texts", rest, { documentTemplateMaxBytes: 399 }, "none"],
  [
    "key, headers and distribution",
    rest,
    { apiKey: "k", headers: { a: "b" }, distribution: { mean: 0.5, sigma: 0.1 } },
    "none",
  ],
  ["quantised vectors", rest, { binaryQuantized: true }, "none"],
  ["fragments for a template", rest, fragments, "full"],
  ["search fragments", fragments, { searchFragments: { b: value("{{q}}") } }, "none"],
  ["the searching half", composite, { searchEmbedder: { source: "openAi", model: "m" } }, "none"],
  ["the indexing half", composite, { indexingEmbedder: { ...rest, response: 2 } }, "full"],
  [
    "the template of the indexing half",
    composite,
    { indexingEmbedder: { ...rest, documentTemplate: "x" } },
    "prompts",
  ],
];

for (const [name, before, change, kind] of cases) {
  test(`${name}: ${kind}`, () => deepEqual(reembeddingFor(before, { ...before, ...change }).kind, kind));
}

test("a new embedder embeds everything", () => {
  deepEqual(reembeddingFor(undefined, rest), { kind: "full" });
});

test("fragments are embedded again one by one", () => {
  const after = { ...fragments, indexingFragments: { a: value("1"), b: value("3"), c: value("4") } };
  deepEqual(reembeddingFor(fragments, after), { kind: "fragments", changed: ["b", "c"], removed: [] });
  deepEqual(reembeddingFor(after, fragments), { kind: "fragments", changed: ["b"], removed: ["c"] });
});
