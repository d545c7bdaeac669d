// GET and POST similar: what is refused, and what the engine is given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { INDEX, startFixture } from "./harness.ts";

const url = `/indexes/${INDEX}/similar`;

/** Body, code. */
const WRONG: [body: object, code: string][] = [
  [{ embedder: "e" }, "bad_request"],
  [{ id: 1 }, "bad_request"],
  ...[null, [1], {}, true, 1.5, { toString: 1 }, [{ toString: 1 }]].map((id): [object, string] => [
    { id, embedder: "e" },
    "invalid_similar_id",
  ]),
  [{ id: 1, embedder: 3 }, "invalid_similar_embedder"],
  [{ id: 1, embedder: "e", limit: -1 }, "invalid_similar_limit"],
  [{ id: 1, embedder: "e", filter: "a >" }, "invalid_similar_filter"],
  [{ id: 1, embedder: "e", rankingScoreThreshold: 2 }, "invalid_similar_ranking_score_threshold"],
  [{ id: 1, embedder: "e", q: "x" }, "bad_request"],
];

for (const [body, expected] of WRONG) {
  test(`similar documents with ${JSON.stringify(body)} are refused`, async () => {
    const { code } = await startFixture();
    assert.deepEqual(await code(`POST ${url}`, body), [400, expected]);
  });
}

test("both routes hand the same on, the embedder of GET may be left out", async () => {
  const { code, calls } = await startFixture();
  const body = { id: 7, embedder: "e", limit: 3, filter: "a = 1" };
  assert.deepEqual(await code(`POST ${url}`, body), [200, null]);
  assert.deepEqual(await code(`GET ${url}?id=7&limit=3&filter=a%20%3D%201`), [200, null]);
  const [posted, got] = calls.filter(([name]) => name === "similar").map(([, , query]) => query as object);
  assert.deepEqual(got, { ...posted, embedder: null });
  assert.deepEqual(
    { ...posted },
    { ...posted, id: "7", limit: 3, offset: 0, filter: "a = 1", visible: null },
  );
});
