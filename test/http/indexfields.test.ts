// POST /indexes/{uid}/fields: which fields there are, and what the settings allow with them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import { mergeSettings } from "../../src/engine/settings.ts";
import { INDEX, startFixture } from "./harness.ts";

const url = `/indexes/${INDEX}/fields`;
const off = { enabled: false };
const on = { enabled: true };

async function startWith(patch: Parameters<typeof mergeSettings>[1]) {
  const fixture = await startFixture();
  fixture.engine.settings = async () => mergeSettings(defaultSettings(), patch);
  const list = async (body: object) =>
    (await fixture.app.inject({ method: "POST", url, payload: body })).json();
  const names = async (filter: object) =>
    (await list({ filter })).results.map(({ name }: { name: string }) => name);
  return { ...fixture, list, names };
}

test("every field tells what the settings allow with it", async () => {
  const { list } = await startWith({
    displayedAttributes: ["name"],
    filterableAttributes: ["name", { attributePatterns: ["_geo*"] }],
    sortableAttributes: ["name", "_geo"],
    distinctAttribute: "id",
    rankingRules: ["words", "name.de:desc"],
    localizedAttributes: [{ attributePatterns: ["*.de"], locales: ["de"] }],
    faceting: { sortFacetValuesBy: { name: "count" } },
  });
  const { results, ...page } = await list({ offset: 0, limit: 3 });
  assert.deepEqual(page, { offset: 0, limit: 3, total: 4 });
  const all = { facetSearch: true, equality: true, comparison: true };
  const none = { facetSearch: false, equality: false, comparison: false };
  assert.deepEqual(results, [
    {
      name: "_geo",
      displayed: off,
      searchable: off,
      sortable: on,
      distinct: off,
      rankingRule: off,
      filterable: { ...none, ...on, sortBy: "alpha", equality: true },
      localized: { locales: [] },
    },
    {
      name: "id",
      displayed: off,
      searchable: on,
      sortable: off,
      distinct: on,
      rankingRule: off,
      filterable: { ...none, ...off, sortBy: "alpha" },
      localized: { locales: [] },
    },
    {
      name: "name",
      displayed: on,
      searchable: on,
      sortable: on,
      distinct: off,
      rankingRule: off,
      filterable: { ...all, ...on, sortBy: "count" },
      localized: { locales: [] },
    },
  ]);
  const [german] = (await list({ offset: 3 })).results;
  assert.deepEqual(german.rankingRule, { enabled: true, order: "desc" });
  // Below a field that is shown, everything is.
  assert.deepEqual([german.displayed, german.localized], [on, { locales: ["deu"] }]);
});

test("fields are chosen by patterns and by what is allowed with them", async () => {
  const { names, code } = await startWith({
    searchableAttributes: ["name"],
    sortableAttributes: ["name.de"],
  });
  assert.deepEqual(await names({ attributePatterns: ["na*"] }), ["name", "name.de"]);
  assert.deepEqual(await names({ searchable: true, sortable: false }), ["name"]);
  assert.deepEqual(await names({ searchable: false, displayed: null }), ["_geo", "id"]);
  assert.deepEqual(await names({ filterable: true }), []);
  assert.deepEqual(await code(`POST ${url}`, { filter: { colour: 1 } }), [
    400,
    "invalid_index_fields_filter",
  ]);
  assert.deepEqual(await code(`POST ${url}`, { limit: -1 }), [400, "invalid_index_limit"]);
  assert.deepEqual(await code("POST /indexes/none/fields", {}), [404, "index_not_found"]);
});
