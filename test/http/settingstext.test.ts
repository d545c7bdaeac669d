// Distributions of embedders are floats, and nothing else in settings is, whatever users call things.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { settingsText, settingText } from "../../src/http/settingstext.ts";

const own = {
  distribution: { mean: 1, sigma: 0.5 },
  dimensions: 384,
  request: { distribution: { mean: 1 } },
};

test("means and deviations are floats, those of a composite's parts, too", () => {
  const embedders = {
    distribution: own,
    both: { searchEmbedder: own, indexingEmbedder: { distribution: null } },
  };
  const text =
    '{"distribution":{"mean":1.0,"sigma":0.5},"dimensions":384,"request":{"distribution":{"mean":1}}}';
  const both = `{"searchEmbedder":${text},"indexingEmbedder":{"distribution":null}}`;
  const all = `{"distribution":${text},"both":${both}}`;
  equal(settingText("embedders", embedders), all);
  const settings = { embedders, pagination: { maxTotalHits: 1 }, dictionary: [], distinctAttribute: null };
  const rest = '"pagination":{"maxTotalHits":1},"dictionary":[],"distinctAttribute":null';
  equal(settingsText(settings), `{"embedders":${all},${rest}}`);
});

test("any setting is the JSON that it was", () => {
  for (const value of [null, "id", 850, ["a"], { mean: [1], sigma: [1] }]) {
    equal(settingText("synonyms", value), JSON.stringify(value));
  }
});
