// A server that moves documents, one turn after the other: what it asks the others first, and when it sends
// nothing. The others are answers that are made up here.
import { deepEqual, equal } from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import { ownerOf } from "../../src/engine/shard.ts";
import { movingExecutor } from "../../src/network/moving.ts";
import { ORIGIN_HEADER } from "../../src/network/sharedwrites.ts";
import { standstillOf } from "../../src/network/standstill.ts";
import type { OutboundClient } from "../../src/outbound/client.ts";
import type { BatchContext } from "../../src/tasks/execution.ts";
import type { InstanceInterface } from "../../src/tasks/instanceinterface.ts";
import type { Task } from "../../src/tasks/task.ts";

const MEMBERS = ["a", "b", "c"];
const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null });
/** Documents of the second server, one for each piece. */
const [FIRST, SECOND] = Array.from({ length: 100 }, (_, id) => `${id}`).filter(
  (id) => ownerOf(MEMBERS)(Buffer.from(id)) === "b",
);
const QUESTIONS = ["b delivery", "c delivery", "b ready", "c ready"];
/** What comes before the first piece of an index. */
const BEGINNING = ["b delivery", "c delivery", "b GET", "c GET"];
const PIECE = ["b delivery", "c delivery", "b PUT", "b POST", "deleted here"];

interface Sent {
  method: string;
  headers: Record<string, string>;
  body: string | null;
}

const networkOf = (members: string[]) => {
  const remotes = Object.fromEntries(members.map((name) => [name, remote(name)]));
  return { self: "a", sharding: true, remotes, hasLeft: !members.includes("a") };
};
const taskOf = (uid: number, members = MEMBERS) =>
  ({ uid, kind: { type: "networkTopologyChange", members } }) as unknown as Task;

function openMove(members = MEMBERS) {
  /** Statuses that differ from the usual one, by what is asked: "b ready". */
  const refusals = new Map<string, number>();
  const did: string[] = [];
  const heldUids = new Set<number>();
  const outgoing: { taskUid: number; waiting: string[] }[] = [];
  const state = { hasFormer: false, hasArrived: true, onAsked: (_: string) => {}, onRead: () => {} };
  const held = { hasFormer: () => state.hasFormer, has: (uid: number) => heldUids.has(uid), since: 0 };
  let network = networkOf(members);
  const tell = (names: string[]) => {
    network = networkOf(names);
  };
  const instance = {
    value: (_: string, key: string) => (key === "topology" ? network : undefined),
    outgoing: () => outgoing,
    held: () => held,
    handle: (uid: string) => uid,
    // A part of the move: it waits for nothing, and no move waits for it.
    register: async ({ isMove }: { isMove?: true }) => void did.push(isMove ? "deleted here" : "write"),
    hold: async (names: string[]) => void did.push(`hold ${names}`),
  } as unknown as InstanceInterface;
  const outbound = {
    async request(url: string | URL, { method, headers, body }: Sent) {
      const { needs } = JSON.parse(decodeURIComponent(headers[ORIGIN_HEADER]));
      const asked = `${new URL(url).hostname} ${needs ?? method}`;
      did.push(asked);
      state.onAsked(asked);
      const results = method === "POST" && state.hasArrived ? JSON.parse(body!).ids : null;
      const answer = { results: (results ?? []).map((id: string) => ({ id })), total: 0 };
      const status = refusals.get(asked) ?? (method === "PUT" ? 202 : 200);
      return { status, body: Buffer.from(JSON.stringify(answer)) };
    },
  } as unknown as OutboundClient;
  const entry = { folder: "f", description: { primaryKey: "id", numberOfDocuments: 2 } };
  const context = {
    state: { held, catalog: { uids: () => ["things"], get: () => entry } },
    engine: {
      settings: async () => defaultSettings(),
      async lines(_: string, { from }: { from: number }) {
        state.onRead();
        const id = from === 0 ? FIRST : SECOND;
        return { lines: Buffer.from(`{"id":"${id}"}\n`), next: from === 0 ? 1 : null };
      },
      document: async () => Buffer.from("{}"),
    },
    progress: { enter() {} },
    signal: new AbortController().signal,
  } as unknown as BatchContext;
  const executor = movingExecutor({ instance, outbound });
  /** What is done in one turn, and whether it was the last one. */
  const turn = async (tasks = [taskOf(5, members)]) => {
    did.length = 0;
    const isDone = "ends" in (await executor(tasks, context));
    return { did: did.filter((what) => !what.startsWith("hold")), isDone };
  };
  return { turn, tell, entry, did, state, refusals, outgoing, heldUids, standstill: standstillOf(instance) };
}

test("all hold writes and have done older ones, then a piece goes after the other", async () => {
  const { turn, did } = openMove();
  deepEqual(await turn(), { did: [...QUESTIONS, ...BEGINNING, ...PIECE, ...PIECE], isDone: true });
  equal(did[0], `hold ${MEMBERS}`);
});

test("nobody is asked as long as older writes wait here", async () => {
  const { turn, state } = openMove();
  state.hasFormer = true;
  deepEqual(await turn(), { did: [], isDone: false });
  state.hasFormer = false;
  equal((await turn()).isDone, true);
});

test("an older write that comes while others are asked runs before anything moves", async () => {
  const { turn, state } = openMove();
  state.onAsked = (what) => {
    if (what === "c delivery") state.hasFormer = true;
  };
  deepEqual(await turn(), { did: ["b delivery", "c delivery"], isDone: false });
});

for (const needs of ["delivery", "ready"])
  test(`nothing moves as long as one of the others is asked for its ${needs} in vain`, async () => {
    const { turn, refusals } = openMove();
    refusals.set(`c ${needs}`, 409);
    const { did, isDone } = await turn();
    deepEqual(did, needs === "ready" ? QUESTIONS : ["b delivery", "c delivery"]);
    equal(isDone, false);
    refusals.clear();
    equal((await turn()).isDone, true);
  });

test("that all are ready is asked once, and again when one of them was away", async () => {
  const { turn, state, refusals } = openMove();
  state.hasArrived = false;
  const first = await turn();
  deepEqual(first.did, [...QUESTIONS, ...BEGINNING, "b delivery", "c delivery", "b PUT", "b POST"]);
  deepEqual(await turn(), { did: ["b POST"], isDone: false });
  refusals.set("b POST", 503);
  deepEqual(await turn(), { did: ["b POST"], isDone: false });
  refusals.clear();
  state.hasArrived = true;
  deepEqual(await turn(), { did: [...QUESTIONS, "b POST", "deleted here", ...PIECE], isDone: true });
});

test("no further piece goes when a server that gets none of them sees other members by now", async () => {
  const { turn, state, refusals } = openMove();
  state.onAsked = (what) => {
    if (what === "b PUT") refusals.set("c delivery", 400);
  };
  const { did, isDone } = await turn();
  equal(isDone, false);
  equal(did.filter((what) => what === "b PUT").length, 1);
  equal(did.at(-1), "c delivery");
});

test("while an older write is to be sent to a server, it is only asked for its own", async () => {
  const { turn, outgoing, heldUids } = openMove();
  outgoing.push({ taskUid: 3, waiting: ["c"] });
  const { did, isDone } = await turn();
  deepEqual(did, ["b delivery", "c delivery", "b ready"]);
  equal(isDone, false);
  heldUids.add(3);
  equal((await turn()).isDone, true, "a write that is held comes behind the documents");
});

test("a server that leaves asks for what others have, and gives them no settings", async () => {
  const { turn } = openMove(["b", "c"]);
  const { did, isDone } = await turn();
  equal(isDone, true);
  deepEqual(did.slice(0, QUESTIONS.length), QUESTIONS);
  equal(did.includes("b GET"), false);
});

/** Time stands still but for `pass`. */
function stopClock(t: TestContext): (ms: number) => void {
  let now = 1_000_000;
  t.mock.method(performance, "now", () => now);
  return (ms) => {
    now += ms;
  };
}

/** More than moves may need to get on. */
const LONG_MS = 21_000;

test("writes wait anew from when all others are ready, but only once", async (t) => {
  const pass = stopClock(t);
  const { turn, refusals, standstill } = openMove();
  refusals.set("b GET", 503);
  standstill.isStuck = true;
  equal(standstill.hasStopped(), true);
  await turn();
  deepEqual([standstill.hasStopped(), standstill.isStuck], [false, false]);
  pass(LONG_MS);
  await turn();
  equal(standstill.hasStopped(), true);
});

test("moves get on with each turn that is not spent in waiting", async (t) => {
  const pass = stopClock(t);
  const { turn, state, standstill } = openMove();
  state.onRead = () => pass(LONG_MS);
  equal((await turn()).isDone, false, "other tasks have their turn");
  equal(standstill.hasStopped(), false);
  state.hasArrived = false;
  await turn();
  pass(LONG_MS);
  await turn();
  equal(standstill.hasStopped(), true);
  state.hasArrived = true;
  await turn();
  equal(standstill.hasStopped(), false);
});

test("what has not arrived for long is sent again", async (t) => {
  const pass = stopClock(t);
  const { turn, state } = openMove();
  state.hasArrived = false;
  await turn();
  pass(LONG_MS);
  await turn();
  const { did } = await turn();
  deepEqual(did, ["b delivery", "c delivery", "b PUT", "b POST"]);
});

test("nothing moves for members that are not the present ones any more", async () => {
  const { turn, tell } = openMove();
  tell(["a", "b"]);
  deepEqual(await turn(), { did: [], isDone: true });
});

test("a newer task for the same members has documents looked through once more", async () => {
  const { turn, state } = openMove();
  state.hasArrived = false;
  await turn();
  state.hasArrived = true;
  const tasks = [taskOf(5), taskOf(6)];
  const { did, isDone } = await turn(tasks);
  deepEqual([did[0], isDone], ["b POST", false]);
  deepEqual(await turn(tasks), { did: [...QUESTIONS, ...BEGINNING, ...PIECE, ...PIECE], isDone: true });
});

test("a newer task for other members begins at once from the beginning", async () => {
  const { turn, tell, state } = openMove();
  state.hasArrived = false;
  await turn();
  const members = [...MEMBERS, "d"];
  tell(members);
  const { did } = await turn([taskOf(5), taskOf(6, members)]);
  deepEqual(
    did.slice(0, 6),
    [..."bcd"].map((name) => `${name} delivery`).concat([..."bcd"].map((name) => `${name} ready`)),
  );
});

test("an index that has other documents by now, by a swap, is begun anew", async () => {
  const { turn, entry, state } = openMove();
  state.hasArrived = false;
  await turn();
  entry.folder = "other";
  state.hasArrived = true;
  deepEqual(await turn(), { did: [...BEGINNING, ...PIECE, ...PIECE], isDone: true });
});
