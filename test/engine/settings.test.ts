// Merging of settings patches and their normal forms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareBytes, sortedSet } from "../../src/core/bytes.ts";
import { Core } from "../../src/core/core.ts";
import { Tokenizer } from "../../src/core/tokenizer.ts";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import { maskSecret } from "../../src/engine/secrets.ts";
import { checkMerged, mergeSettings } from "../../src/engine/settings.ts";
import type { Settings, SettingsPatch } from "../../src/schemas/settings.ts";
import { TestIndex } from "./index.ts";

const tokenizer = new Tokenizer(new Core());
const fold = (word: string) => tokenizer.tokenize(word).reduce((all, { lemma }) => all + lemma, "");
const merge = (...patches: SettingsPatch[]) =>
  patches.reduce<Settings>((all, patch) => mergeSettings(all, patch, fold), defaultSettings());

test("absent fields stay, null resets, values replace", () => {
  const settings = merge({ stopWords: ["a"], distinctAttribute: "sku" }, { stopWords: null });
  assert.deepEqual(settings, { ...defaultSettings(), distinctAttribute: "sku" });
});

test("lists of attributes lose repeated names, and a star takes all", () => {
  const settings = merge({ displayedAttributes: ["b", "a", "b"], searchableAttributes: ["a", "*"] });
  assert.deepEqual(settings.displayedAttributes, ["b", "a"]);
  assert.deepEqual(settings.searchableAttributes, ["*"]);
});

test("sets are sorted by bytes, not by UTF-16 units", () => {
  assert.deepEqual(sortedSet(["\u{1F600}", "\uFFFD", "b", "a", "b"]), ["a", "b", "\uFFFD", "\u{1F600}"]);
  assert.ok(compareBytes("a", "ab") < 0);
});

test("typo tolerance merges field by field, sizes one by one", () => {
  const { typoTolerance } = merge(
    { typoTolerance: { enabled: false, minWordSizeForTypos: { oneTypo: 4 }, disableOnWords: ["Élan"] } },
    { typoTolerance: { minWordSizeForTypos: { twoTypos: 10 }, enabled: null } },
  );
  assert.deepEqual(typoTolerance.minWordSizeForTypos, { oneTypo: 4, twoTypos: 10 });
  assert.deepEqual([typoTolerance.enabled, typoTolerance.disableOnWords], [true, ["elan"]]);
  const reset = merge(
    { typoTolerance },
    { typoTolerance: { minWordSizeForTypos: null, disableOnWords: null } },
  );
  assert.deepEqual(reset.typoTolerance, defaultSettings().typoTolerance);
});

test("sizes that only contradict each other once merged are refused", () => {
  const patch = { typoTolerance: { minWordSizeForTypos: { oneTypo: 10 } } };
  assert.throws(() => checkMerged(merge(patch)), { code: "invalid_settings_typo_tolerance" });
});

test("what one change of a batch contradicts, the next may mend", () => {
  const index = new TestIndex();
  const sizes = (minWordSizeForTypos: object | null) => {
    return { kind: "settings" as const, patch: { typoTolerance: { minWordSizeForTypos } } };
  };
  index.run([sizes({ oneTypo: 20 }), sizes({ twoTypos: 30 })]);
  const read = () => (index.state.settings as Settings).typoTolerance.minWordSizeForTypos;
  assert.deepEqual(read(), { oneTypo: 20, twoTypos: 30 });
  index.run([sizes({ twoTypos: 10 }), sizes(null)]);
  assert.deepEqual(read(), { oneTypo: 5, twoTypos: 9 });
  index.close();
});

test("a refused change fails its whole batch, with nothing of it applied", () => {
  const index = new TestIndex();
  const good = (stopWords: string[]) => ({ kind: "settings" as const, patch: { stopWords } });
  const typoTolerance = { minWordSizeForTypos: { oneTypo: 10 } };
  index.run([good(["old"])]);
  for (const batch of [
    [good(["new"]), { kind: "settings" as const, patch: { typoTolerance } }, good(["newer"])],
    [{ kind: "settings" as const, patch: { typoTolerance } }, { kind: "clear" as const }],
  ])
    assert.throws(() => index.run(batch), { code: "invalid_settings_typo_tolerance" });
  assert.deepEqual((index.state.settings as Settings).stopWords, ["old"]);
  index.run([good(["new"])]);
  assert.deepEqual((index.state.settings as Settings).stopWords, ["new"]);
  index.close();
});

test("words without typos are kept as the tokenizer folds them, stop words with case and accents", () => {
  const index = new TestIndex();
  const patch = {
    typoTolerance: { disableOnWords: ["Œuvre", "ĐÀ NẴNG", "Йод", "ß"] },
    stopWords: ["Für", "p\u00e5", "ﬁn\u0007"],
  };
  index.run([{ kind: "settings", patch }]);
  const settings = index.state.settings as Settings;
  assert.deepEqual(settings.typoTolerance.disableOnWords, ["da nang", "oeuvre", "ß", "и\u0306од"]);
  assert.deepEqual(settings.stopWords, ["Fu\u0308r", "fin", "p\u00e5"]);
  index.close();
});

test("facet order is replaced as a whole and keeps an entry for all others", () => {
  const { faceting } = merge(
    { faceting: { sortFacetValuesBy: { "*": "count", a: "alpha" }, maxValuesPerFacet: 3 } },
    { faceting: { sortFacetValuesBy: { b: "count" } } },
  );
  assert.deepEqual(faceting, { maxValuesPerFacet: 3, sortFacetValuesBy: { "*": "alpha", b: "count" } });
  assert.equal(merge({ pagination: { maxTotalHits: 5 } }, { pagination: {} }).pagination.maxTotalHits, 5);
});

test("filterable rules are spelled out, locales have three letters", () => {
  const { filterableAttributes, localizedAttributes } = merge({
    filterableAttributes: ["a", { attributePatterns: ["b*"], features: { filter: { comparison: true } } }],
    localizedAttributes: [{ attributePatterns: ["x"], locales: ["fr", "deu"] }],
  });
  const features = { facetSearch: false, filter: { equality: true, comparison: true } };
  assert.deepEqual(filterableAttributes, ["a", { attributePatterns: ["b*"], features }]);
  assert.deepEqual(localizedAttributes, [{ attributePatterns: ["x"], locales: ["fra", "deu"] }]);
});

test("secrets show less the shorter they are", () => {
  const lengths = [9, 10, 20, 30].map((length) => maskSecret("abcdefghij".repeat(3).slice(0, length)));
  assert.deepEqual(lengths, ["XXX...", "abXXXX...", "abcXXXXX...", "abcdeXXXXXX..."]);
  assert.deepEqual(lengths.map(maskSecret), lengths);
});

test("the chat merges field by field, and what no feature uses is absent until it is set", () => {
  assert.ok(!("chat" in merge({ chat: null }) || "foreignKeys" in merge({ foreignKeys: null })));
  const searchParameters = { hybrid: { embedder: "e" }, limit: 3, sort: ["a:asc"] };
  const { chat } = merge(
    { chat: { description: "teas", documentTemplateMaxBytes: 9, searchParameters } },
    { chat: { documentTemplateMaxBytes: null, searchParameters: { sort: null, distinct: "a" } } },
  );
  assert.deepEqual([chat?.description, chat?.documentTemplateMaxBytes], ["teas", 400]);
  const hybrid = { embedder: "e", semanticRatio: 0.5 };
  assert.deepEqual(chat?.searchParameters, { hybrid, limit: 3, distinct: "a" });
  assert.deepEqual(merge({ chat: { searchParameters } }, { chat: null }), defaultSettings());
  assert.throws(() => merge({ chat: { documentTemplateMaxBytes: 0 } }), {
    code: "invalid_settings_embedders",
  });
});
