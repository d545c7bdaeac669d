// Which search thread gets which indexes of a federated search.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as pause } from "node:timers/promises";
import { writtenAnswer } from "../../../src/engine/federation/answerbytes.ts";
import { emptyAnswer } from "../../../src/engine/federation/asked.ts";
import { groupsOf, joinedAnswers } from "../../../src/engine/federation/groups.ts";
import { Lanes } from "../../../src/engine/federation/lanes.ts";
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
  deepEqual(groups.length, 8);
  for (const group of groups) {
    ok(group.orders.length <= 16);
    ok(group.orders.every((order) => order % 2 === group.thread));
  }
});

test("answers of several calls are one, each index in its place", () => {
  const groups = groupsOf(["a", "b", "a"]);
  const [first, second, third] = ["one", "two", "three"].map(emptyAnswer);
  const lists = [[], []];
  deepEqual(
    joinedAnswers(groups, [
      { answers: [first, third], lists, passed: 1 },
      { answers: [second], lists: [], passed: 2 },
    ]),
    { answers: [first, second, third], lists, passed: 3 },
  );
});

interface FakeThread {
  state?: Caller["state"];
  /** Calls that it has not answered yet. */
  pending?: number;
  /** For how long it has been at one of them. */
  heldMs?: number;
}

/**
 * Numbers of indexes that threads that find nothing get in each call, which of them were started, how many
 * hits they may leave out, and most calls that one had at once.
 */
async function callsOf(given: readonly FakeThread[], count = 5, passed = 0) {
  const calls: number[][] = given.map(() => []);
  const left: number[] = [];
  const open = given.map(() => 0);
  let together = 0;
  const started: number[] = [];
  const nobody = new LocalCaller(() => ({ close: () => {} }));
  const threads = given.map(({ state = "ready", pending = 0, heldMs = 0 }, number): Caller => {
    const call = async (_method: string, [said]: readonly unknown[]) => {
      calls[number].push((said as SparseRequest).indexes.length);
      left.push((said as SparseRequest).passed);
      together = Math.max(together, ++open[number]);
      await pause();
      open[number]--;
      return writtenAnswer({ answers: [], lists: [], passed: 0, refused: null }) as never;
    };
    const start = () => started.push(number);
    return { state, pending, heldMs, start, keep: start, call, close: async () => {} };
  });
  const indexes = Array.from({ length: count }, (_, i) => {
    const queries = [{ position: i, weight: 1, query: searchQueryOf({ q: "a" }, "request", null) }];
    const index = { folder: `f${i}`, indexUid: `i${i}`, version: 1 };
    return { index, queries, facets: null, dropped: [] };
  });
  const frame = { wanted: passed + 20, passed, isPaged: false, distinct: null, isForRemote: false };
  await new PoolEngine(nobody, nobody, threads).searchFederated({ ...frame, indexes });
  return { calls, started, left, together };
}

async function spread(given: readonly FakeThread[], count?: number) {
  const { calls, started } = await callsOf(given, count);
  return { calls, started };
}

test("the threads that have nothing to do share the indexes of a request", async () => {
  deepEqual(await spread([{}, {}]), { calls: [[3], [2]], started: [] });
  deepEqual(await spread([{ pending: 1 }, {}, {}]), { calls: [[], [3], [2]], started: [] });
});

test("when all threads are at work the one with the least gets all indexes in one call", async () => {
  deepEqual(await spread([{ pending: 2 }, { pending: 1 }]), { calls: [[], [5]], started: [] });
});

test("a thread that is at one call for long gets no more while others have less to do", async () => {
  const isLong: FakeThread = { pending: 1, heldMs: 500 };
  deepEqual(await spread([isLong, { pending: 1 }]), { calls: [[], [5]], started: [] });
  deepEqual(await spread([isLong, { pending: 9, heldMs: 30 }]), { calls: [[], [5]], started: [] });
  deepEqual(await spread([isLong, { pending: 100 }]), { calls: [[5], []], started: [] });
});

test("a thread that is being started gets the call when all others are at one for long", async () => {
  const isNew: FakeThread = { state: "started" };
  deepEqual(await spread([{ pending: 1, heldMs: 500 }, isNew]), { calls: [[], [5]], started: [] });
  deepEqual(await spread([{ pending: 1, heldMs: 50 }, isNew]), { calls: [[5], []], started: [] });
  const threads: FakeThread[] = [{ pending: 1, heldMs: 500 }, { ...isNew, pending: 3 }, { state: "none" }];
  deepEqual(await spread(threads), { calls: [[], [5], []], started: [2] });
});

test("for more indexes than there are idle threads another one is started, and not waited for", async () => {
  const none: FakeThread = { state: "none" };
  deepEqual(await spread([{}, none, none]), { calls: [[5], [], []], started: [1] });
  deepEqual(await spread([{}, none], 1), { calls: [[1], []], started: [] });
  deepEqual(await spread([{ pending: 1 }, none]), { calls: [[5], []], started: [1] });
  deepEqual(await spread([{ state: "started" }, none]), { calls: [[5], []], started: [] });
});

test("only a thread that searches all indexes leaves out the hits before the page", async () => {
  deepEqual(await callsOf([{}, {}], 2, 1000), { calls: [[2], []], started: [], left: [1000], together: 1 });
  deepEqual(await callsOf([{}, {}], 2, 100), { calls: [[1], [1]], started: [], left: [0, 0], together: 1 });
  deepEqual(await callsOf([{}], 17, 1000), { calls: [[16, 1]], started: [], left: [0, 0], together: 1 });
  deepEqual(await callsOf([{}, {}], 17, 1000), { calls: [[9], [8]], started: [], left: [0, 0], together: 1 });
});

test("of the calls of a request to one thread the next is made when the last has ended", async () => {
  const lanes = new Lanes<string>();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (thread: string, name: string) =>
    lanes.run(thread, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.push(() => (name === "a2" ? reject(new Error(name)) : resolve(name)));
      });
    });
  const answers = [run("a", "a1"), run("a", "a2"), run("b", "b1"), run("a", "a3")];
  answers[1].catch(() => {});
  deepEqual(begun, ["a1", "b1"]);
  ends[0]();
  await answers[0];
  await pause();
  deepEqual(begun, ["a1", "b1", "a2"]);
  ends[2]();
  await pause();
  deepEqual(begun, ["a1", "b1", "a2", "a3"]);
});

test("a request on its way to a thread has no defaults, and comes out as it was", () => {
  const asked = searchQueryOf({ q: "a", limit: 3, facets: ["b"] }, "request", "query");
  const query = { ...asked, embedding: [0.5, 1], embeddingMs: 3 };
  const index = { folder: "f", indexUid: "i", version: 1 };
  const indexes = [{ index, queries: [{ position: 0, weight: 2, query }], facets: ["*"], dropped: [7] }];
  const request = { wanted: 20, passed: 3, isPaged: true, distinct: "c", isForRemote: false, indexes };
  const sent = sparseRequest(request);
  deepEqual(wholeRequest(JSON.parse(JSON.stringify(sent))), request);
  const names = ["q", "limit", "facets", "requestUid", "queryUid", "embedding", "embeddingMs"];
  deepEqual(Object.keys(sent.indexes[0].queries[0].query).sort(), names.sort());
});
