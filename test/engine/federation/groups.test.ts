// Which search thread gets which indexes of a federated search.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { writtenAnswer } from "../../../src/engine/federation/answerbytes.ts";
import { groupsOf } from "../../../src/engine/federation/groups.ts";
import {
  type SparseRequest,
  sparseRequest,
  wholeRequest,
} from "../../../src/engine/federation/sparserequest.ts";
import { PoolEngine } from "../../../src/engine/pool.ts";
import { type Caller, LocalCaller } from "../../../src/engine/remote.ts";
import { searchQueryOf } from "../../../src/schemas/search.ts";

test("a thread gets all of its indexes in one call", () => {
  deepEqual(groupsOf(["a", "b", "a", "b", "a"]), [
    { thread: "a", orders: [0, 2, 4] },
    { thread: "b", orders: [1, 3] },
  ]);
  deepEqual(groupsOf([]), []);
});

test("of many indexes a thread gets several calls, each index in one of them", () => {
  const groups = groupsOf(Array.from({ length: 100 }, (_, i) => i % 2));
  const orders = groups.flatMap((group) => group.orders).sort((a, b) => a - b);
  deepEqual(
    orders,
    Array.from({ length: 100 }, (_, i) => i),
  );
  for (const group of groups) {
    ok(group.orders.length <= 16);
    ok(group.orders.every((order) => order % 2 === group.thread));
  }
});

interface FakeThread {
  state?: Caller["state"];
  /** Calls that it has not answered yet. */
  pending?: number;
}

/** Numbers of indexes that threads that find nothing get in each call, and which of them were started. */
async function callsOf(given: readonly FakeThread[], count = 5) {
  const calls: number[][] = given.map(() => []);
  const started: number[] = [];
  const nobody = new LocalCaller(() => ({ close: () => {} }));
  const threads = given.map(({ state = "ready", pending = 0 }, number): Caller => {
    const call = async (_method: string, [said]: readonly unknown[]) => {
      calls[number].push((said as SparseRequest).indexes.length);
      return writtenAnswer({ answers: [], lists: [], refused: null }) as never;
    };
    const start = () => started.push(number);
    return { state, pending, start, keep: start, call, close: async () => {} };
  });
  const indexes = Array.from({ length: count }, (_, i) => {
    const queries = [{ position: i, weight: 1, query: searchQueryOf({ q: "a" }, "request", null) }];
    const index = { folder: `f${i}`, indexUid: `i${i}`, version: 1 };
    return { index, queries, facets: null, dropped: [] };
  });
  const frame = { wanted: 20, isPaged: false, distinct: null, isForRemote: false };
  await new PoolEngine(nobody, nobody, threads).searchFederated({ ...frame, indexes });
  return { calls, started };
}

test("the threads that have nothing to do share the indexes of a request", async () => {
  deepEqual(await callsOf([{}, {}]), { calls: [[3], [2]], started: [] });
  deepEqual(await callsOf([{ pending: 1 }, {}, {}]), { calls: [[], [3], [2]], started: [] });
});

test("when all threads are at work the one with the least gets all indexes in one call", async () => {
  deepEqual(await callsOf([{ pending: 2 }, { pending: 1 }]), { calls: [[], [5]], started: [] });
});

test("for more indexes than there are idle threads another one is started, and not waited for", async () => {
  const none: FakeThread = { state: "none" };
  deepEqual(await callsOf([{}, none, none]), { calls: [[5], [], []], started: [1] });
  deepEqual(await callsOf([{}, none], 1), { calls: [[1], []], started: [] });
  deepEqual(await callsOf([{ pending: 1 }, none]), { calls: [[5], []], started: [1] });
  deepEqual(await callsOf([{ state: "started" }, none]), { calls: [[5], []], started: [] });
});

test("a request on its way to a thread has no defaults, and comes out as it was", () => {
  const asked = searchQueryOf({ q: "a", limit: 3, facets: ["b"] }, "request", "query");
  const query = { ...asked, embedding: [0.5, 1], embeddingMs: 3 };
  const index = { folder: "f", indexUid: "i", version: 1 };
  const indexes = [{ index, queries: [{ position: 0, weight: 2, query }], facets: ["*"], dropped: [7] }];
  const request = { wanted: 20, isPaged: true, distinct: "c", isForRemote: false, indexes };
  const sent = sparseRequest(request);
  deepEqual(wholeRequest(JSON.parse(JSON.stringify(sent))), request);
  const names = ["q", "limit", "facets", "requestUid", "queryUid", "embedding", "embeddingMs"];
  deepEqual(Object.keys(sent.indexes[0].queries[0].query).sort(), names.sort());
});
