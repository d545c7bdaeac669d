// Searches and reads through a cache that is much smaller than the index answer like those through a large
// one.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SearchThread } from "../../src/engine/searchthread.ts";
import { searchQueryOf } from "../../src/schemas/search.ts";
import { addition, TestIndex } from "./index.ts";

const WHOLE = { fields: null, retrieveVectors: false };

const MEBIBYTE = 1024 * 1024;
const DOCUMENTS = 20_000;
const queries = [
  "common",
  "word7",
  "wrod123 common",
  "w",
  '"common pad"',
  "",
  "word1 word2 word3",
  "-common",
];

/** Text that does not compress well. */
const filler = (i: number): string =>
  Array.from({ length: 25 }, (_, k) => `z${((i * 31 + k) * 2654435761) % 9973}`).join(" ");

describe("a cache much smaller than the index", () => {
  const index = new TestIndex(64 * MEBIBYTE);
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => {
    return `{"id":"document-${i}","text":"word${i % 500} common pad","more":"${filler(i)}"}`;
  });
  for (let part = 0; part < 3; part++)
    index.run([addition(documents.slice((part * DOCUMENTS) / 3, ((part + 1) * DOCUMENTS) / 3))]);
  const handle = { folder: index.folder, indexUid: "i", version: index.state.version };
  const small = new SearchThread(index.storage, MEBIBYTE);
  const large = new SearchThread(index.storage, 128 * MEBIBYTE);

  it("gives the same hits", () => {
    const bytes = index.state.segments.reduce((sum, segment) => sum + segment.bytes, 0);
    assert.ok(bytes > 4 * MEBIBYTE, `an index of ${bytes} bytes`);
    const answer = (thread: SearchThread, q: string) => {
      const query = searchQueryOf({ q, limit: 200, showRankingScore: true }, "request", null);
      const { processingTimeMs, ...rest } = JSON.parse(
        Buffer.from(thread.search(handle, query) as Uint8Array).toString(),
      );
      assert.ok(processingTimeMs >= 0);
      return rest;
    };
    for (const q of [...queries, ...queries]) assert.deepEqual(answer(small, q), answer(large, q), q);
  });

  it("gives the same documents", () => {
    const query = {
      offset: 5000,
      limit: 9000,
      fields: null,
      ids: null,
      retrieveVectors: false,
      filter: null,
      sort: null,
    };
    assert.ok(Buffer.compare(small.documents(handle, query), large.documents(handle, query)) === 0);
    for (let i = 0; i < DOCUMENTS; i += 997) {
      assert.deepEqual(
        small.document(handle, `document-${i}`, WHOLE),
        large.document(handle, `document-${i}`, WHOLE),
      );
    }
  });

  it("is used on after a request that failed in the middle", () => {
    const broken = { ...searchQueryOf({ q: "common" }, "request", null), q: 1 } as never;
    assert.throws(() => small.search(handle, broken));
    const query = searchQueryOf({ q: "common" }, "request", null);
    assert.equal(
      JSON.parse(Buffer.from(small.search(handle, query) as Uint8Array).toString()).hits.length,
      20,
    );
  });
});
