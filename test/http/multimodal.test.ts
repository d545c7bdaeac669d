// The workflow of texts and images in one index, over HTTP and against an embedding server of this test: from
// the feature's switch to searches by words and by an image; what batches tell of the calls; failing servers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, setupOf, startProvider } from "../embedders/server.ts";
import { type Fixture, openFixture } from "../network/fixture.ts";

interface Found {
  hits: { id: number; _vectors?: Record<string, { embeddings: number[][] }> }[];
  semanticHitCount?: number;
}

interface Batch {
  stats: { embedderRequests?: { total: number; failed: number; lastError?: string } };
}

const DIMENSIONS = 3;
const WORDS: Record<string, number[]> = {
  "a red barn": [1, 0, 0],
  "a green field": [0, 1, 0],
  "a blue lake": [0, 0, 1],
  barn: [1, 0.2, 0],
  "image/png red": [0.9, 0, 0.1],
  "image/png blue": [0, 0.1, 0.9],
};

/** `{"input": {"text": ...}}` or `{"input": {"image": {"mime": ..., "data": ...}}}`. */
const embedAny: Answer = ({ body }) => {
  const { input } = body as { input: { text?: string; image?: { mime: string; data: string } } };
  const known = WORDS[input.text ?? `${input.image?.mime} ${input.image?.data}`];
  assert.ok(known, JSON.stringify(body));
  return { embedding: known };
};

const embedderAt = (url: string) => ({
  source: "rest",
  url,
  dimensions: DIMENSIONS,
  request: { input: "{{fragment}}" },
  response: { embedding: "{{embedding}}" },
  indexingFragments: {
    text: { value: { text: "{{doc.caption}}" } },
    picture: { value: { image: { mime: "{{doc.mime}}", data: "{{doc.data}}" } } },
  },
  searchFragments: {
    words: { value: { text: "{{q}}" } },
    picture: { value: { image: { mime: "{{media.image.mime}}", data: "{{media.image.data}}" } } },
  },
});

const DOCUMENTS = [
  { id: 1, caption: "a red barn", mime: "image/png", data: "red" },
  { id: 2, caption: "a green field" },
  { id: 3, caption: "a blue lake", mime: "image/png", data: "blue" },
];

async function openMultimodal(answer: Answer, t: Parameters<typeof startProvider>[0]) {
  const { url, options, received } = await startProvider(t, answer);
  const fixture = await openFixture({}, setupOf(options));
  t.after(() => fixture.close());
  await fixture.ask("PATCH /experimental-features", { multimodal: true });
  return { fixture, url, received };
}

const newestBatch = async (fixture: Fixture): Promise<Batch> =>
  (await fixture.ask<{ results: Batch[] }>("GET /batches?limit=1")).results[0];

test("documents with texts and images are found by words and by an image", async (t) => {
  const { fixture, url, received } = await openMultimodal(embedAny, t);
  await fixture.fill("places", DOCUMENTS, { embedders: { e: embedderAt(url) } });
  assert.equal(received.length, 5);
  assert.deepEqual((await newestBatch(fixture)).stats.embedderRequests, { total: 5, failed: 0 });

  const search = (body: object) =>
    fixture.ask<Found>("POST /indexes/places/search", { hybrid: { embedder: "e" }, ...body });
  const byImage = await search({
    media: { image: { mime: "image/png", data: "blue" } },
    retrieveVectors: true,
  });
  assert.deepEqual(
    byImage.hits.map(({ id }) => id),
    [3, 2, 1],
  );
  assert.equal(byImage.semanticHitCount, 3);
  assert.deepEqual(
    byImage.hits.map(({ _vectors }) => _vectors?.e.embeddings.length),
    [2, 1, 2],
  );
  const byWords = await search({ q: "barn", hybrid: { embedder: "e", semanticRatio: 0.9 } });
  assert.equal(byWords.hits[0].id, 1);
  assert.ok((byWords.semanticHitCount ?? 0) > 0);
  const both = { q: "barn", media: { image: { mime: "image/png", data: "blue" } } };
  await fixture.ask(
    "POST /indexes/places/search",
    { hybrid: { embedder: "e", semanticRatio: 1 }, ...both },
    400,
  );

  // Only the fragment that changed is embedded again.
  const before = received.length;
  await fixture.ask("PUT /indexes/places/documents", [{ id: 2, caption: "a blue lake", other: 1 }], 202);
  await fixture.ask("PUT /indexes/places/documents", [{ id: 1, other: 1 }], 202);
  await fixture.instance.idle();
  assert.equal(received.length, before + 1);
});

test("batches tell the calls of embedders that fail, while they run and when they failed", async (t) => {
  let release = () => {};
  const door = new Promise<void>((open) => {
    release = open;
  });
  const failing: Answer = async (_received, response, count) => {
    if (count > 1) await door;
    response.writeHead(count > 1 ? 403 : 500).end(count > 1 ? "no more" : "not yet");
  };
  const { fixture, url } = await openMultimodal(failing, t);
  await fixture.ask("PATCH /indexes/places/settings", { embedders: { e: embedderAt(url) } }, 202);
  await fixture.instance.idle();
  await fixture.ask(
    "POST /indexes/places/documents?primaryKey=id",
    [{ id: 2, caption: "a green field" }],
    202,
  );
  const calls = async () => (await newestBatch(fixture)).stats.embedderRequests;
  // The second attempt is not answered before that is told.
  while ((await calls())?.failed !== 1) await new Promise((resolve) => setTimeout(resolve, 20));
  release();
  await fixture.instance.idle();
  const ended = await calls();
  assert.deepEqual([ended?.total, ended?.failed], [2, 2]);
  assert.match(ended?.lastError ?? "", /no more/);
});
