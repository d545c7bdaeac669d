// What a change of settings means to the segments there are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import { settingsChange, settingsHash } from "../../src/engine/settingshash.ts";

const before = defaultSettings();
const current = [{ settingsHash: settingsHash(before) }];

test("the same settings leave segments as they are", () => {
  assert.equal(settingsChange(before, { ...before, synonyms: { a: ["b"] } }, current), "none");
  assert.equal(settingsChange(before, before, []), "none");
});

test("columns are made anew without words, words with columns", () => {
  assert.equal(settingsChange(before, { ...before, sortableAttributes: ["a"] }, current), "columns");
  assert.equal(settingsChange(before, { ...before, stopWords: ["a"] }, current), "words");
});

test("a segment whose words were made by other rules is made anew, whatever the change", () => {
  const older = [...current, { settingsHash: "0123456789abcdef" }];
  assert.equal(settingsChange(before, before, older), "words");
  assert.equal(settingsChange(before, { ...before, sortableAttributes: ["a"] }, older), "words");
});
