// Japanese words are found by queries that do not say that they are Japanese (src/engine/search/written.ts).
import assert from "node:assert/strict";
import { test } from "node:test";
import { SearchIndex } from "./searchindex.ts";

const TEXTS = [
  "学校に行く",
  "会社で働いています",
  "今日の天気はとても良い",
  "経済が発展している",
  "我们的学校很大",
  "東京のホテル",
];

function found(q: string, more: object = {}): number[] {
  const index = new SearchIndex();
  index.add(TEXTS.map((text, id) => ({ id, text })));
  const { hits } = index.search({ q, ...more });
  index.close();
  return hits.map(({ id }) => id);
}

test("a word of Han is found in Japanese texts as it was written, and in Chinese ones in every form", () => {
  assert.deepEqual(found("学校"), [0, 4]);
  assert.deepEqual(found("學校"), [4]);
  assert.deepEqual(found("天気"), [2]);
  assert.deepEqual(found("東京"), [5]);
});

test("words that are cut otherwise in Chinese are found when they are put together", () => {
  assert.deepEqual(found("会社"), [1]);
  assert.deepEqual(found("経済"), [3]);
});

test("a word that is excluded is so in every text where it would be found", () => {
  assert.deepEqual(found("-学校"), [1, 2, 3, 5]);
});

test("a query whose language is said stands for the forms of that language alone", () => {
  assert.deepEqual(found("学校", { locales: ["jpn"] }), [0]);
  assert.deepEqual(found("学校", { locales: ["cmn"] }), [4]);
});

test("what was found as it was written is highlighted", () => {
  const index = new SearchIndex();
  index.add([{ id: 1, text: TEXTS[0] }]);
  const [hit] = index.search({ q: "学校", attributesToHighlight: ["text"] }).hits;
  index.close();
  assert.deepEqual(hit._formatted, { id: "1", text: "<em>学校</em>に行く" });
});
