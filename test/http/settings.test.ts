// The settings routes: what each setting accepts, its code when it does not, and the task that a change
// becomes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import type { SettingsPatch } from "../../src/schemas/settings.ts";
import { INDEX, startFixture } from "./harness.ts";

const url = `/indexes/${INDEX}/settings`;

/** Path, verb, code, values that are accepted, values that are not. */
const TABLE: [path: string, verb: string, code: string, good: unknown[], bad: unknown[]][] = [
  ["displayed-attributes", "PUT", "displayed_attributes", [[], ["a"], ["*"]], ["a", 5, [1], { a: 1 }]],
  ["searchable-attributes", "PUT", "searchable_attributes", [["b", "a"]], ["a", [null], {}]],
  [
    "filterable-attributes",
    "PUT",
    "filterable_attributes",
    [["a", { attributePatterns: ["x*"], features: { filter: { comparison: true } } }]],
    ["a", [5], [{ attributePatterns: "x" }], [{ features: {} }], [{ attributePatterns: [], more: 1 }]],
  ],
  ["sortable-attributes", "PUT", "sortable_attributes", [["_geo"]], ["a", [true]]],
  [
    "ranking-rules",
    "PUT",
    "ranking_rules",
    [[], ["words", "words"], ["a:b:desc", "two words:asc", ":asc"], ["attributeRank", "wordPosition"]],
    [
      "words",
      ["speed"],
      ["a:up"],
      ["asc"],
      ["_geo:asc"],
      ["_geoPoint(1,2):asc"],
      ["attribute", "wordPosition"],
    ],
  ],
  ["stop-words", "PUT", "stop_words", [["the"]], ["the", [1], { the: true }]],
  ["non-separator-tokens", "PUT", "non_separator_tokens", [["@"]], ["@", [1]]],
  ["separator-tokens", "PUT", "separator_tokens", [["|"]], ["|", [1]]],
  ["dictionary", "PUT", "dictionary", [["J. K."]], ["x", [1]]],
  [
    "synonyms",
    "PUT",
    "synonyms",
    [{}, { a: ["b", "c d"] }, { "a\nb": ["c"] }],
    ["x", ["a"], { a: "b" }, { a: [1] }, { "a\nb": 5 }, { "\u2028": "b" }],
  ],
  ["distinct-attribute", "PUT", "distinct_attribute", ["sku"], [5, ["sku"], {}]],
  ["proximity-precision", "PUT", "proximity_precision", ["byWord", "byAttribute"], ["byLine", 5, []]],
  [
    "typo-tolerance",
    "PATCH",
    "typo_tolerance",
    [{}, { enabled: null }, { minWordSizeForTypos: { oneTypo: 0, twoTypos: 255 }, disableOnWords: ["a"] }],
    [
      [],
      { enabled: "no" },
      { minWordSizeForTypos: { oneTypo: 9, twoTypos: 5 } },
      { minWordSizeForTypos: { oneTypo: 256 } },
      { minWordSizeForTypos: { threeTypos: 1 } },
      { unknown: 1 },
    ],
  ],
  [
    "faceting",
    "PATCH",
    "faceting",
    [{ maxValuesPerFacet: 0 }, { sortFacetValuesBy: { "*": "count" } }, { maxValuesPerFacet: null }],
    [
      5,
      { maxValuesPerFacet: -1 },
      { sortFacetValuesBy: { a: "size" } },
      { sortFacetValuesBy: { a: null } },
      { x: 1 },
    ],
  ],
  [
    "pagination",
    "PATCH",
    "pagination",
    [{ maxTotalHits: 1 }],
    [{ maxTotalHits: 0 }, { maxTotalHits: 1.5 }, 5],
  ],
  [
    "embedders",
    "PATCH",
    "embedders",
    [
      { a: null },
      { a: { source: "userProvided", dimensions: 3 } },
      { a: { documentTemplate: "{{doc.name}}" } },
    ],
    [
      [],
      { a: 5 },
      { a: { source: "magic" } },
      { a: { colour: 1 } },
      { a: { documentTemplate: "{{doc.name" } },
      { a: { source: "userProvided" } },
      { a: { source: "userProvided", dimensions: 0 } },
      { a: { source: "userProvided", dimensions: 2, model: "m" } },
      { a: { source: "rest" } },
      { a: { source: "rest", url: "here", request: "{{text}}", response: "{{embedding}}" } },
    ],
  ],
  ["search-cutoff-ms", "PUT", "search_cutoff_ms", [0, 150], [-1, 1.5, "x", []]],
  [
    "localized-attributes",
    "PUT",
    "localized_attributes",
    [[], [{ attributePatterns: ["*_ja"], locales: ["jpn", "fr", "cmn"] }]],
    [
      "x",
      [{ attributePatterns: ["x"] }],
      [{ locales: [] }],
      [{ attributePatterns: ["x"], locales: ["xyz"] }],
    ],
  ],
  ["facet-search", "PUT", "facet_search", [true, false], ["no", 1, []]],
  ["prefix-search", "PUT", "prefix_search", ["indexingTime", "disabled"], ["always", 1]],
  ["foreign-keys", "PUT", "foreign_keys", [], ["x", [{ fieldName: "a" }]]],
  ["chat", "PATCH", "index_chat", [], ["x", []]],
];

for (const [path, verb, code, good, bad] of TABLE) {
  test(`the setting ${path} takes its values and refuses others with its own code`, async () => {
    const { code: ask } = await startFixture();
    for (const value of [...good, null]) {
      assert.deepEqual(await ask(`${verb} ${url}/${path}`, value), [202, null], JSON.stringify(value));
    }
    const name = path.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    for (const value of bad) {
      const refused = [400, `invalid_settings_${code}`];
      assert.deepEqual(await ask(`${verb} ${url}/${path}`, value), refused, JSON.stringify(value));
      assert.deepEqual(await ask(`PATCH ${url}`, { [name]: value }), refused, JSON.stringify(value));
    }
    assert.deepEqual(await ask(`${verb === "PUT" ? "PATCH" : "PUT"} ${url}/${path}`, null), [405, null]);
    assert.deepEqual(await ask(`DELETE ${url}/${path}`), [202, null]);
  });
}

test("what a feature that is off would allow is refused", async () => {
  const { code } = await startFixture();
  const off = [400, "feature_not_enabled"];
  const composite = { source: "composite", searchEmbedder: {}, indexingEmbedder: {} };
  assert.deepEqual(await code(`PATCH ${url}`, { embedders: { a: composite } }), off);
  assert.deepEqual(await code(`PUT ${url}/foreign-keys`, []), off);
  assert.deepEqual(await code(`PATCH ${url}/chat`, {}), off);
});

test("a rest embedder must say where the text goes and where the vector comes from", async () => {
  const { code } = await startFixture();
  const embedder = {
    source: "rest",
    url: "http://localhost",
    request: { input: "x" },
    response: "{{embedding}}",
  };
  assert.deepEqual(await code(`PATCH ${url}`, { embedders: { a: embedder } }), [
    400,
    "vector_embedding_error",
  ]);
});

test("an unknown setting, another root and a bad index uid are refused", async () => {
  const { app, code } = await startFixture();
  assert.deepEqual(await code(`PATCH ${url}`, []), [400, "bad_request"]);
  assert.deepEqual(await code("PATCH /indexes/no%20good/settings", {}), [400, "invalid_index_uid"]);
  const headers = { "content-type": "application/json" };
  const response = await app.inject({ method: "PATCH", url, headers, payload: '{"stopWord":[]}' });
  assert.equal(response.json().code, "bad_request");
  assert.match(response.json().message, /did you mean `stopWords`/);
});

test("the first fault in the order of the body is the one reported", async () => {
  const { code } = await startFixture();
  const refused = (name: string) => [400, `invalid_settings_${name}`];
  assert.deepEqual(await code(`PATCH ${url}`, { synonyms: 1, displayedAttributes: 1 }), refused("synonyms"));
  assert.deepEqual(
    await code(`PATCH ${url}`, { displayedAttributes: 1, synonyms: 1 }),
    refused("displayed_attributes"),
  );
});

test("forbidden values stand in the order of the body, too, before features that are off", async () => {
  const { code } = await startFixture();
  const refused = (name: string) => [400, `invalid_settings_${name}`];
  const sizes = { minWordSizeForTypos: { oneTypo: 9, twoTypos: 3 } };
  const read = (body: object) => code(`PATCH ${url}`, body);
  assert.deepEqual(await read({ rankingRules: ["speed"], synonyms: 1 }), refused("ranking_rules"));
  assert.deepEqual(await read({ synonyms: 1, rankingRules: ["speed"] }), refused("synonyms"));
  assert.deepEqual(await read({ typoTolerance: sizes, pagination: 1 }), refused("typo_tolerance"));
  assert.deepEqual(await read({ pagination: 1, typoTolerance: sizes }), refused("pagination"));
  assert.deepEqual(await read({ chat: {}, rankingRules: ["speed"] }), refused("ranking_rules"));
});

test("a change becomes a task that carries the patch and what details show of it", async () => {
  const fixture = await startFixture();
  const payload = {
    stopWords: ["the", "a", "a"],
    displayedAttributes: null,
    embedders: { far: { source: "openAi", apiKey: "a-very-secret-key-of-somebody" } },
  };
  const response = await fixture.app.inject({ method: "PATCH", url, payload });
  assert.equal(response.statusCode, 202);
  assert.deepEqual(fixture.registrations, [
    {
      type: "settingsUpdate",
      indexUid: INDEX,
      patch: payload,
      shown: {
        displayedAttributes: ["*"],
        stopWords: ["a", "the"],
        embedders: { far: { source: "openAi", apiKey: "a-vXXXXX..." } },
      },
      isDeletion: false,
      allowIndexCreation: true,
    },
  ]);
});

test("the largest integers of other languages bound pages, facets, templates and time", async () => {
  for (const largest of ["9223372036854775807", "18446744073709551615"]) {
    const fixture = await startFixture();
    const headers = { "content-type": "application/json" };
    const change = async (path: string, payload: string) => {
      const answer = await fixture.app.inject({ method: "PATCH", url: `${url}${path}`, payload, headers });
      assert.equal(answer.statusCode, 202);
    };
    const facets = `{"maxValuesPerFacet":${largest},"sortFacetValuesBy":{"a":"count"}}`;
    await change("", `{"stopWords":null,"faceting":${facets},"searchCutoffMs":${largest}}`);
    await change("/pagination", `{"maxTotalHits":${largest}}`);
    const template = `{"source":"openAi","documentTemplateMaxBytes":${largest}}`;
    await change("", `{"embedders":{"whole":${template},"none":null}}`);
    const [many, one, last] = fixture.registrations;
    const most = Number.MAX_SAFE_INTEGER;
    const faceting = { maxValuesPerFacet: most, sortFacetValuesBy: { a: "count" } };
    assert.deepEqual(many.patch, { stopWords: null, faceting, searchCutoffMs: most });
    assert.deepEqual([one.patch, one.shown], Array(2).fill({ pagination: { maxTotalHits: most } }));
    const whole = { source: "openAi", documentTemplateMaxBytes: most };
    assert.deepEqual(last.patch, { embedders: { whole, none: null } });
  }
});

test("a reset names every setting and never creates the index", async () => {
  const fixture = await startFixture();
  await fixture.app.inject({ method: "DELETE", url });
  const [{ patch, shown, isDeletion, allowIndexCreation }] = fixture.registrations;
  assert.equal(Object.keys(shown as object).length, 22);
  assert.deepEqual([(patch as SettingsPatch).chat, (patch as SettingsPatch).foreignKeys], [null, null]);
  assert.deepEqual((shown as Record<string, unknown>).searchableAttributes, ["*"]);
  assert.deepEqual((shown as Record<string, unknown>).rankingRules, null);
  assert.deepEqual([isDeletion, allowIndexCreation], [true, false]);
});

test("reading answers the whole object, or the bare value of one setting", async () => {
  const { app, code } = await startFixture();
  const read = async (path: string) => (await app.inject({ method: "GET", url: `${url}${path}` })).body;
  assert.equal(Object.keys(JSON.parse(await read(""))).length, 20);
  assert.equal(await read("/prefix-search"), '"indexingTime"');
  assert.equal(await read("/distinct-attribute"), "null");
  assert.equal(await read("/facet-search"), "true");
  assert.equal(await read("/pagination"), '{"maxTotalHits":1000}');
  assert.deepEqual(await code("GET /indexes/none/settings/synonyms"), [404, "index_not_found"]);
});

test("settings of features that are not built are shown where the feature is on", async () => {
  const { app, code, engine } = await startFixture();
  const foreignKeys = [{ foreignIndexUid: "cups", fieldName: "cup" }];
  engine.settings = async () => ({ ...defaultSettings(), foreignKeys });
  const read = async (path = "") => (await app.inject({ method: "GET", url: `${url}${path}` })).json();
  assert.equal(Object.keys(await read()).length, 20);
  assert.deepEqual(await read("/foreign-keys"), foreignKeys);
  assert.equal((await read("/chat")).documentTemplateMaxBytes, 400);

  await code("PATCH /experimental-features", { foreignKeys: true, chatCompletions: true });
  const names = Object.keys(await read());
  assert.deepEqual([names.length, names[4], names[21]], [22, "foreignKeys", "chat"]);
  assert.deepEqual((await read()).foreignKeys, foreignKeys);
  assert.deepEqual((await read()).chat.searchParameters, {});
});
