// Answers that are kept for the next time the same is asked.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AnswerCache } from "../../src/engine/answercache.ts";
import type { Operation } from "../../src/engine/engine.ts";
import { openLocalEngine, PoolEngine } from "../../src/engine/pool.ts";
import { type Caller, LocalCaller } from "../../src/engine/remote.ts";
import { type SearchFields, searchQueryOf, sparseQuery, wholeQuery } from "../../src/schemas/search.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Storage } from "../../src/storage/storage.ts";

const SEARCH_BYTES = 32 * 1024 * 1024;
const HANDLE = { folder: "i", indexUid: "i", version: 3 };

const query = (body: SearchFields, requestUid = "first", queryUid: string | null = null) =>
  searchQueryOf(body, requestUid, queryUid);

/** A pool whose search thread gives the answers of a list, one after the other. */
function poolOf(answers: (Uint8Array | { partial: Uint8Array })[], cache = new AnswerCache(SEARCH_BYTES)) {
  const nobody: Caller = new LocalCaller(() => ({ close: () => {} }));
  const searcher = new LocalCaller(() => ({ search: () => answers.shift(), close: () => {} }));
  return new PoolEngine(nobody, nobody, [searcher], { answers: cache });
}

/** As search.ts makes it. */
const answerOf = (fields: object, time: number, requestUid = "first"): Buffer =>
  Buffer.from(JSON.stringify({ ...fields, processingTimeMs: time, limit: 20, requestUid }));

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("an answer that is kept", () => {
  it("is given again with the number of the new request and without time", async () => {
    const fields = {
      hits: [{ requestUid: 'x","processingTimeMs":7', processingTimeMs: 8 }],
      query: '"processingTimeMs":9,"requestUid":"y"',
    };
    const pool = poolOf([answerOf(fields, 31)]);
    const first = text(await pool.search(HANDLE, query({ q: "a" })));
    assert.equal(first, text(answerOf(fields, 31)));
    const second = text(await pool.search(HANDLE, query({ q: "a" }, "second")));
    assert.equal(second, text(answerOf(fields, 0, "second")));
  });

  it("belongs to one version of one index and to one query", async () => {
    const kept = answerOf({ hits: [] }, 1);
    const others = [
      [HANDLE, query({ q: "b" })],
      [HANDLE, query({ q: "a", limit: 3 })],
      [HANDLE, query({ q: "a", filter: "tenant = 1" })],
      [{ ...HANDLE, version: 4 }, query({ q: "a" })],
      [{ ...HANDLE, folder: "j" }, query({ q: "a" })],
    ] as const;
    const pool = poolOf([kept, ...others.map((_, i) => answerOf({ hits: [i] }, 1))]);
    await pool.search(HANDLE, query({ q: "a" }));
    for (const [i, [handle, asked]] of others.entries())
      assert.deepEqual(JSON.parse(text(await pool.search(handle, asked))).hits, [i]);
  });

  it("is whole: one that time cut short is not kept", async () => {
    const pool = poolOf([{ partial: answerOf({ hits: [1] }, 1500) }, answerOf({ hits: [2] }, 3)]);
    assert.deepEqual(JSON.parse(text(await pool.search(HANDLE, query({ q: "a" })))).hits, [1]);
    assert.deepEqual(JSON.parse(text(await pool.search(HANDLE, query({ q: "a" })))).hits, [2]);
  });

  it("is of words only, and says nothing of how it was found", () => {
    const cache = new AnswerCache(SEARCH_BYTES);
    const hybrid = { embedder: "e", semanticRatio: 0.5 };
    assert.equal(cache.keyOf(HANDLE, query({ q: "a", hybrid })), null);
    assert.equal(cache.keyOf(HANDLE, query({ q: "a" }, "first", "queryUid")), null);
    assert.equal(cache.keyOf(HANDLE, query({ q: "a", showPerformanceDetails: true })), null);
  });

  it("goes when others that were asked for since need the room", () => {
    const cache = new AnswerCache(SEARCH_BYTES);
    const answer = answerOf({ hits: ["x".repeat(1000)] }, 1);
    const most = Math.ceil(cache.bytesMax / answer.length);
    cache.keep("wanted", answer);
    cache.keep("unwanted", answer);
    for (let i = 0; i < most; i++) {
      cache.keep(`other ${i}`, answer);
      assert.ok(cache.find("wanted", "r"));
    }
    assert.equal(cache.find("unwanted", "r"), null);
    cache.keep("too long", answerOf({ hits: ["x".repeat(cache.bytesMax / 8)] }, 1));
    assert.equal(cache.find("too long", "r"), null);
    assert.ok(cache.find("wanted", "r"));
  });
});

describe("the memory of answers", () => {
  it("is never more than its bound, and what it gives was kept under that very key", () => {
    const use = fc.record({ key: fc.nat({ max: 30 }), bytes: fc.nat({ max: 60_000 }), keeps: fc.boolean() });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 200 }), (uses) => {
        const cache = new AnswerCache(SEARCH_BYTES);
        const kept = new Map<number, string>();
        for (const { key, bytes, keeps } of uses) {
          const answer = answerOf({ hits: ["x".repeat(bytes)] }, 0);
          if (keeps) cache.keep(`${key}`, answer);
          if (keeps) kept.set(key, text(answer));
          const found = cache.find(`${key}`, "first");
          if (found) assert.equal(text(found), kept.get(key));
          const { entries, bytes: taken, bytesMax } = cache.figures;
          assert.ok(taken <= bytesMax && entries <= kept.size && taken > 0 === entries > 0);
        }
      }),
    );
  });
});

describe("a query on its way to a search thread", () => {
  it("is shorter, and whole again when it is there", () => {
    const hybrid = { embedder: "e", semanticRatio: 0.5 };
    const bodies: SearchFields[] = [
      {},
      { q: "", limit: 20, offset: 0, cropMarker: "…", matchingStrategy: "last" },
      { q: "a", limit: 0, page: 1, filter: [["a = 1"], "b = 2"], facets: [], sort: ["c:asc"] },
      { q: "b", hybrid, vector: [0.5, 1], highlightPreTag: "", useNetwork: false, cropLength: 0 },
      { q: "c", showRankingScore: true, attributesToRetrieve: [], locales: ["eng"], media: { a: null } },
    ];
    for (const body of bodies) {
      const asked = { ...query(body, "r", "u"), queueMs: 3 };
      assert.deepEqual(wholeQuery(JSON.parse(JSON.stringify(sparseQuery(asked)))), asked);
    }
    assert.deepEqual(sparseQuery(query({ q: "a", limit: 20 })), { q: "a", requestUid: "first" });
  });
});

describe("an engine that keeps answers", () => {
  it("finds what was added since", async () => {
    const storage = new MemoryStorage();
    const options = { threads: 0, indexingBytes: 16 * 1024 * 1024, searchBytes: SEARCH_BYTES };
    const engine = openLocalEngine(storage, options);
    for (let count = 1; count <= 3; count++) {
      const { index } = await engine.run({
        folder: "i",
        indexUid: "i",
        operations: [addition(storage, count)],
      });
      for (let again = 0; again < 2; again++) {
        const answer = await engine.search({ ...HANDLE, version: index.version }, query({ q: "word" }));
        assert.equal(JSON.parse(text(answer)).hits.length, count);
      }
    }
    await engine.close();
  });
});

function addition(storage: Storage, id: number): Operation {
  const payload = `payload-${id}`;
  storage.createIfAbsent(payload, Buffer.from(`{"id":${id},"text":"word"}\n`));
  const method = "replace";
  return { kind: "add", taskUid: id, payload, method, primaryKey: null, skipCreation: false };
}
