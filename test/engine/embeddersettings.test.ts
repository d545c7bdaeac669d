// The embedders setting: what a patch may say, what it makes of the settings, and what is shown of them.
import { deepEqual, doesNotThrow, equal, ok, rejects, throws } from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { checkEmbedderPatches } from "../../src/engine/embedderchecks.ts";
import { mergeEmbedders, shownEmbedder, shownEmbedderPatch } from "../../src/engine/embeddersettings.ts";
import { templateCheckFor } from "../../src/engine/embeddertemplates.ts";
import { checkSettingsPatch } from "../../src/engine/settingscheck.ts";
import {
  type EmbedderPatch,
  type EmbedderSettings,
  type EmbeddersPatch,
  SOURCES,
} from "../../src/schemas/embedders.ts";

const rest = {
  source: "rest",
  url: "http://a.example",
  request: { in: "{{text}}" },
  response: ["{{embedding}}"],
} satisfies EmbedderPatch;
const value = (text: unknown) => ({ value: text });
const fragments = {
  ...rest,
  request: "{{fragment}}",
  dimensions: 3,
  indexingFragments: { b: value("{{ doc.b }}"), a: value("{{ doc.a }}") },
  searchFragments: { q: value("{{ q }}") },
} satisfies EmbedderPatch;
const composite = {
  source: "composite",
  searchEmbedder: rest,
  indexingEmbedder: rest,
} satisfies EmbedderPatch;

const merge = (...patches: (EmbedderPatch | null)[]) =>
  patches.reduce<Record<string, EmbedderSettings>>((all, patch) => mergeEmbedders({ e: patch }, all), {});

type Code = "invalid_settings_embedders" | "vector_embedding_error";
const SETTINGS = "invalid_settings_embedders";
const EMBEDDING = "vector_embedding_error";

describe("a patch is refused by itself", () => {
  const cases: [name: string, patch: EmbedderPatch, code: Code, message: RegExp][] = [
    [
      "with a field of another source",
      { source: "userProvided", dimensions: 2, url: "http://a" },
      SETTINGS,
      /`\.embedders\.e\.url`.*`userProvided` takes `source`.*`url` is a field of `openAi`, `ollama`, `rest`/,
    ],
    [
      "with a request that is none, although the url is missing",
      { source: "rest", request: 42, response: 42 },
      EMBEDDING,
      /request/,
    ],
    [
      "without a request, whatever the response is",
      { source: "rest", url: "http://a", response: "{{text}}" },
      SETTINGS,
      /request/,
    ],
    [
      "with a field of another source that is reset",
      { source: "userProvided", dimensions: 2, url: null },
      SETTINGS,
      /url/,
    ],
    [
      "without what its source needs",
      { source: "rest", url: "http://a" },
      SETTINGS,
      /`\.embedders\.e\.request`/,
    ],
    [
      "with null for what its source needs",
      { source: "userProvided", dimensions: null },
      SETTINGS,
      /dimensions/,
    ],
    ["with an address that is not absolute", { url: "a/b" }, SETTINGS, /absolute/],
    ["with an unknown model", { source: "openAi", model: "gpt" }, SETTINGS, /`text-embedding-ada-002`/],
    [
      "with a model by the name of an inherited property",
      { source: "openAi", model: "toString" },
      SETTINGS,
      /model/,
    ],
    [
      "with other dimensions than the model has",
      { source: "openAi", model: "text-embedding-ada-002", dimensions: 3 },
      SETTINGS,
      /1536/,
    ],
    [
      "with more dimensions than the model has",
      { source: "openAi", model: "text-embedding-3-large", dimensions: 3073 },
      SETTINGS,
      /at most 3072/,
    ],
    ["with a request without input", { request: { in: "text" } }, EMBEDDING, /`{{text}}` was not found/],
    ["with a response without vector", { response: [] }, EMBEDDING, /`{{embedding}}`/],
    [
      "with many inputs and one vector",
      { ...rest, request: ["{{text}}", "{{..}}"] },
      EMBEDDING,
      /`request` holds several/,
    ],
    [
      "with many vectors of one input",
      { ...rest, response: ["{{embedding}}", "{{..}}"] },
      EMBEDDING,
      /`response` holds several/,
    ],
    ["with a template and fragments", { ...fragments, documentTemplate: "x" }, EMBEDDING, /not both/],
    [
      "with fragments and a request for texts",
      { ...fragments, request: rest.request },
      EMBEDDING,
      /`{{fragment}}`/,
    ],
    [
      "with a half without source",
      { ...composite, searchEmbedder: { url: "http://a" } },
      SETTINGS,
      /`\.embedders\.e\.searchEmbedder\.source`/,
    ],
    [
      "with a half of a source that has no model",
      { ...composite, searchEmbedder: { source: "userProvided", dimensions: 2 } },
      SETTINGS,
      /`huggingFace`/,
    ],
    [
      "with a half that lacks something",
      { ...composite, indexingEmbedder: { source: "rest" } },
      SETTINGS,
      /indexingEmbedder\.url/,
    ],
    [
      "with a template to search",
      { ...composite, searchEmbedder: { ...rest, documentTemplate: "x" } },
      SETTINGS,
      /outside of `searchEmbedder`/,
    ],
    [
      "with indexing fragments to search",
      { ...composite, searchEmbedder: fragments },
      SETTINGS,
      /indexingFragments/,
    ],
    [
      "with search fragments to index",
      { ...composite, indexingEmbedder: fragments },
      SETTINGS,
      /searchFragments/,
    ],
    [
      "with a quantised half",
      { ...composite, indexingEmbedder: { ...rest, binaryQuantized: true } },
      SETTINGS,
      /binaryQuantized/,
    ],
  ];
  for (const [name, patch, code, message] of cases) {
    test(name, () => throws(() => checkEmbedderPatches({ e: patch }), { code, message }));
  }
});

test("a patch without its source is not asked for more", () => {
  const patches: EmbedderPatch[] = [
    { request: "{{fragment}}" },
    { request: "{{text}}" },
    { url: "http://a" },
    { dimensions: null, model: "gpt" },
    { searchEmbedder: { apiKey: "k" } },
  ];
  for (const patch of patches) doesNotThrow(() => checkEmbedderPatches({ e: patch, other: null }));
});

describe("settings are refused for what a patch makes of them", () => {
  const cases: [name: string, patches: EmbedderPatch[], code: Code][] = [
    ["a reset field that is needed", [rest, { url: null }], SETTINGS],
    ["a field of another source", [rest, { model: "m" }], SETTINGS],
    ["a field of another source that is reset", [rest, { model: null }], SETTINGS],
    [
      "a model that cannot have the dimensions",
      [{ dimensions: 1536 }, { model: "text-embedding-3-large", dimensions: 3073 }],
      SETTINGS,
    ],
    [
      "a place that ollama does not have",
      [{ source: "ollama", model: "m", url: "http://a/embed" }],
      EMBEDDING,
    ],
    [
      "quantised vectors that shall be restored",
      [{ ...rest, binaryQuantized: true }, { binaryQuantized: false }],
      SETTINGS,
    ],
    [
      "quantised vectors that shall be forgotten",
      [{ ...rest, binaryQuantized: true }, { binaryQuantized: null }],
      SETTINGS,
    ],
    ["fragments to index only", [{ ...fragments, searchFragments: {} }], EMBEDDING],
    ["fragments to search only", [fragments, { indexingFragments: null }], EMBEDDING],
    ["fragments that are all removed", [fragments, { searchFragments: { q: null } }], EMBEDDING],
    ["fragments without dimensions", [fragments, { dimensions: null }], EMBEDDING],
    ["fragments and a request for texts", [fragments, { request: "{{text}}" }], EMBEDDING],
    ["no fragments and a request for them", [rest, { request: "{{fragment}}" }], EMBEDDING],
    ["a response that no longer fits", [rest, { response: ["{{embedding}}", "{{..}}"] }], EMBEDDING],
    ["a half without source", [{ ...composite, searchEmbedder: { url: "http://a" } }], SETTINGS],
  ];
  for (const [name, patches, code] of cases) {
    test(name, () => throws(() => merge(...patches), { code }));
  }

  test("quantised vectors to be restored, with the value that was found", () => {
    const patches = [{ ...rest, binaryQuantized: true }, { binaryQuantized: false }];
    throws(() => merge(...patches), { code: SETTINGS, message: /but found false/ });
  });

  test("more letters than a query can carry", () => {
    const headers = { long: "x".repeat(600_000) };
    throws(() => merge({ ...rest, headers }), { code: SETTINGS, message: /\.embedders\.\w+`: .*letters/ });
  });

  test("too many embedders, or fragments", () => {
    const many = Object.fromEntries(
      Array.from({ length: 256 }, (_, index) => [`n${index}`, value("{{ doc.a }}")]),
    );
    const embedders = Object.fromEntries(Object.keys(many).map((name) => [name, rest]));
    throws(() => mergeEmbedders(embedders, {}), { code: SETTINGS, message: /at most 255 embedders/ });
    throws(() => merge({ ...fragments, indexingFragments: many }), {
      code: SETTINGS,
      message: /255 fragments/,
    });
  });
});

describe("a patch", () => {
  test("changes fields one by one, null resets, and removes embedders", () => {
    const [one] = [merge({ ...rest, apiKey: "k" }, { url: "http://b" })];
    deepEqual(one.e, { ...rest, apiKey: "k", url: "http://b" });
    deepEqual(mergeEmbedders({ e: { apiKey: null } }, one).e, { ...rest, url: "http://b" });
    deepEqual(mergeEmbedders({ e: null, ghost: null }, one), {});
    deepEqual(merge({}).e, { source: "openAi" });
  });

  test("with another source keeps the template only", () => {
    const kept = { documentTemplate: "x", documentTemplateMaxBytes: 9 };
    const before = { ...rest, ...kept, apiKey: "k", dimensions: 3 };
    deepEqual(merge(before, { source: "openAi" }).e, { source: "openAi", ...kept });
    deepEqual(merge(before, { source: "userProvided", dimensions: 2 }).e, {
      source: "userProvided",
      dimensions: 2,
    });
    deepEqual(merge(before, composite).e, composite);
  });

  test("adds, changes and removes fragments by name, and the last one removes them all", () => {
    const patch = {
      indexingFragments: { a: null, c: value("{{ doc.c }}") },
      searchFragments: { q: value("x") },
    };
    const { indexingFragments, searchFragments } = merge(fragments, patch).e;
    deepEqual(Object.entries(indexingFragments ?? {}), [
      ["b", value("{{ doc.b }}")],
      ["c", value("{{ doc.c }}")],
    ]);
    deepEqual(searchFragments, { q: value("x") });
    const without = { indexingFragments: { a: null, b: null }, searchFragments: null, request: "{{text}}" };
    deepEqual(merge(fragments, without).e, { ...rest, request: "{{text}}", dimensions: 3 });
  });

  test("changes the halves of a composite embedder field by field", () => {
    const changed = merge(composite, { searchEmbedder: { apiKey: "k" } }).e;
    deepEqual(changed, { ...composite, searchEmbedder: { ...rest, apiKey: "k" } });
    const other = merge(composite, { searchEmbedder: { source: "openAi" } }).e;
    deepEqual(other.searchEmbedder, { source: "openAi" });
  });

  test("may name embedders as it likes", () => {
    const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", ""));
    fc.assert(
      fc.property(name, (name) => {
        const merged = mergeEmbedders(Object.fromEntries([[name, rest]]), {});
        deepEqual(Object.entries(merged), [[name, rest]]);
      }),
    );
  });
});

describe("what is shown", () => {
  test("has the defaults of the source, and no secrets", () => {
    const shown = shownEmbedder(merge({ ...rest, apiKey: "0123456789" }).e);
    deepEqual([shown.apiKey, shown.headers, shown.documentTemplateMaxBytes], ["01XXXX...", {}, 400]);
    ok(!("dimensions" in shown));
    deepEqual(shownEmbedder({ source: "huggingFace", model: "m" }).revision, undefined);
    ok(shownEmbedder({ source: "huggingFace" }).revision);
    equal(shownEmbedder({ source: "openAi" }).model, "text-embedding-3-small");
  });

  test("has no template where there are fragments", () => {
    deepEqual(Object.keys(shownEmbedder(merge(fragments).e)), [
      "source",
      "dimensions",
      "url",
      "indexingFragments",
      "searchFragments",
      "request",
      "response",
      "headers",
    ]);
  });

  test("has the secrets of halves neither in settings nor in details", () => {
    const patch = {
      ...composite,
      searchEmbedder: { ...rest, apiKey: "0123456789" },
      indexingEmbedder: { ...rest, apiKey: "9876543210" },
    };
    for (const shown of [shownEmbedder(merge(patch).e), shownEmbedderPatch(patch)]) {
      const text = JSON.stringify(shown);
      ok(text.includes("01XXXX...") && text.includes("98XXXX..."), text);
      ok(!text.includes("0123456789") && !text.includes("9876543210"));
    }
    const { searchEmbedder, indexingEmbedder } = shownEmbedder(merge(patch).e);
    ok(
      !("documentTemplate" in (searchEmbedder as object)) &&
        "documentTemplate" in (indexingEmbedder as object),
    );
  });
});

describe("experimental features", () => {
  const gate = (patch: EmbedderPatch, ...on: string[]) =>
    checkSettingsPatch({ embedders: { e: patch } }, (feature) => on.includes(feature));
  const off = { code: "feature_not_enabled" };

  test("guard fragments, and composite embedders", () => {
    throws(() => gate(fragments), off);
    throws(() => gate({ searchFragments: {} }), off);
    throws(() => gate(composite, "multimodal"), off);
    throws(() => gate({ indexingEmbedder: { source: "openAi" } }), off);
    const half = {
      ...rest,
      request: "{{fragment}}",
      dimensions: 2,
      searchFragments: fragments.searchFragments,
    };
    throws(() => gate({ ...composite, searchEmbedder: half }, "compositeEmbedders"), off);
    doesNotThrow(() => gate({ ...composite, searchEmbedder: half }, "compositeEmbedders", "multimodal"));
    doesNotThrow(() => gate(fragments, "multimodal"));
  });

  test("do not guard a reset", () => {
    doesNotThrow(() => gate({ indexingFragments: null, searchFragments: null, searchEmbedder: null }));
  });
});

test("templates are read before a patch is accepted", async () => {
  const bad = "{{ doc.a";
  const refused = (patch: EmbedderPatch, code: Code) => rejects(checkWithTemplates({ e: patch }), { code });
  await refused({ documentTemplate: bad }, SETTINGS);
  await refused({ documentTemplate: "{{ title }}" }, SETTINGS);
  await refused({ indexingFragments: { a: value([{ x: bad }]) } }, EMBEDDING);
  await refused({ searchFragments: { a: value(bad) } }, EMBEDDING);
  await refused({ indexingEmbedder: { documentTemplate: bad } }, SETTINGS);
  await checkWithTemplates({ e: { ...fragments, documentTemplate: null }, f: null });
});

describe("a patch with two mistakes is refused for", () => {
  const [template, text] = ["{{ doc.a", { in: "text" }];
  const cases: [name: string, patch: EmbedderPatch, code: Code, message: RegExp][] = [
    ["its template before its url", { documentTemplate: template, url: "a/b" }, SETTINGS, /Template/],
    ["its template before its request", { documentTemplate: template, request: text }, SETTINGS, /Template/],
    ["its url before its request", { url: "a/b", request: text }, SETTINGS, /url/],
    [
      "its request before a field of another source",
      { source: "openAi", request: text },
      EMBEDDING,
      /`{{text}}` was not found/,
    ],
    [
      "its template and fragments before a field of another source",
      { ...fragments, source: "openAi", documentTemplate: "x" },
      EMBEDDING,
      /not both/,
    ],
    [
      "a field of another source before its model",
      { source: "openAi", model: "gpt", pooling: "forceCls" },
      SETTINGS,
      /pooling/,
    ],
    [
      "its request for fragments that it resets before what is missing",
      { source: "rest", request: "{{fragment}}", indexingFragments: null },
      EMBEDDING,
      /`{{text}}`/,
    ],
  ];
  for (const [name, patch, code, message] of cases) {
    test(name, () => rejects(checkWithTemplates({ e: patch }), { code, message }));
  }
});

async function checkWithTemplates(patches: EmbeddersPatch): Promise<void> {
  checkEmbedderPatches(patches, await templateCheckFor(patches));
}

test("every source can be set, and set again", () => {
  const patches: Record<(typeof SOURCES)[number], EmbedderPatch> = {
    openAi: {},
    huggingFace: {},
    ollama: { model: "m" },
    userProvided: { dimensions: 1 },
    rest,
    composite,
  };
  for (const from of SOURCES) {
    for (const to of SOURCES) {
      const { e } = merge({ ...patches[from], source: from }, { ...patches[to], source: to });
      equal(e.source, to);
      deepEqual(mergeEmbedders({ e: {} }, { e }), { e });
    }
  }
});
