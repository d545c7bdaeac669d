// Settings of dumps by other versions, as they are read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "../../src/tasks/dumps/settingsreading.ts";

test("embedders of other versions: what is not known is left out, pooling is spelled out", () => {
  const embedders = { e: { source: "huggingFace", model: "m", newField: 2 }, f: null };
  const expected = { e: { source: "huggingFace", model: "m", pooling: "forceMean" }, f: null };
  assert.deepEqual(readSettings({ embedders }, true), { embedders: expected });
});

test("the largest integers of other languages bound what is read of other versions", () => {
  const patch = (most: number) => {
    const indexingEmbedder = { source: "openAi", documentTemplateMaxBytes: most };
    const chat = { documentTemplateMaxBytes: most, searchParameters: { limit: most } };
    return { embedders: { e: { source: "composite", indexingEmbedder } }, chat };
  };
  assert.deepEqual(readSettings(patch(2 ** 64), false), patch(Number.MAX_SAFE_INTEGER));
  const pagination = (maxTotalHits: number) => ({ pagination: { maxTotalHits } });
  assert.deepEqual(readSettings(pagination(2 ** 64), true), pagination(Number.MAX_SAFE_INTEGER));
});
