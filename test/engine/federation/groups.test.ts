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
import type { Caller } from "../../../src/engine/remote.ts";
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

/** A thread that finds nothing; `pending`: calls that it has not answered yet. */
function threadOf(pending: number) {
  const calls: number[] = [];
  const call = async (_method: string, [said]: readonly unknown[]) => {
    const { indexes } = wholeRequest(said as SparseRequest);
    calls.push(indexes.length);
    return writtenAnswer({ answers: [], lists: [], refused: null });
  };
  const caller = { pending, state: "ready", start: () => {}, call, close: async () => {} };
  return { calls, caller: caller as unknown as Caller };
}

async function callsOf(pendings: readonly number[]): Promise<number[][]> {
  const threads = pendings.map(threadOf);
  const nobody = threadOf(0).caller;
  const pool = new PoolEngine(
    nobody,
    nobody,
    threads.map(({ caller }) => caller),
  );
  const handle = (i: number) => ({ folder: `f${i}`, indexUid: `i${i}`, version: 1 });
  const indexes = Array.from({ length: 5 }, (_, i) => {
    const queries = [{ position: i, weight: 1, query: searchQueryOf({ q: "a" }, "request", null) }];
    return { index: handle(i), queries, facets: null, dropped: [] };
  });
  await pool.searchFederated({ wanted: 20, isPaged: false, distinct: null, isForRemote: false, indexes });
  return threads.map(({ calls }) => calls);
}

test("the threads that have nothing to do share the indexes of a request", async () => {
  deepEqual(await callsOf([0, 0]), [[3], [2]]);
  deepEqual(await callsOf([1, 0, 0]), [[], [3], [2]]);
});

test("when all threads are at work the one with the least gets all indexes in one call", async () => {
  deepEqual(await callsOf([2, 1]), [[], [5]]);
});

test("a request on its way to a thread comes out as it was", () => {
  const query = searchQueryOf({ q: "a", limit: 3, facets: ["b"] }, "request", null);
  const index = { folder: "f", indexUid: "i", version: 1 };
  const indexes = [{ index, queries: [{ position: 0, weight: 2, query }], facets: ["*"], dropped: [7] }];
  const request = { wanted: 20, isPaged: true, distinct: "c", isForRemote: false, indexes };
  deepEqual(wholeRequest(JSON.parse(JSON.stringify(sparseRequest(request)))), request);
});
