// What a server answers to others that are about to move documents, or wait for its own moves.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ORIGIN_HEADER, type WriteOrigin } from "../../src/network/sharedwrites.ts";
import { checkMover } from "../../src/operations/movers.ts";
import { FULL_ACCESS, type OperationServices, type Requester } from "../../src/operations/services.ts";

const MEMBERS = ["a", "b", "c"];
const remote = { url: "http://none", searchApiKey: null, writeApiKey: null };
const networkOf = (names: readonly string[], self = "b") => ({
  self,
  sharding: true,
  remotes: Object.fromEntries(names.map((name) => [name, remote])),
});

/** The server `b`, which is asked by `a`. Its clock runs ahead: who is refused need not wait for it. */
function openAsked(t: TestContext) {
  let now = performance.now();
  t.mock.method(performance, "now", () => {
    now += 100;
    return now;
  });
  const values = new Map<string, unknown>([
    ["experimentalFeatures network", true],
    ["network topology", networkOf(MEMBERS)],
    ["network spread", MEMBERS],
  ]);
  const did: string[] = [];
  const heldUids = new Set<number>();
  const outgoing: { taskUid: number; waiting: string[] }[] = [];
  const state = { hasFormer: false, areMovesWaiting: false, onWake: () => {} };
  let members: readonly string[] | null = null;
  const held = {
    get members() {
      return members;
    },
    has: (uid: number) => heldUids.has(uid),
    hasFormer: () => state.hasFormer,
    areMovesWaiting: () => state.areMovesWaiting,
    since: now,
  };
  const instance = {
    value: (kind: string, key: string) =>
      key === "network" ? true : (values.get(`${kind} ${key}`) ?? undefined),
    put: async (kind: string, key: string, value: unknown) => void values.set(`${kind} ${key}`, value),
    held: () => held,
    async hold(names: readonly string[] | null) {
      members = names;
      did.push(`hold ${names}`);
    },
    outgoing: () => outgoing,
    allStats: () => ({ indexes: new Map([["things", null]]) }),
    async register(task: { members: string[] }) {
      did.push(`spread ${task.members}`);
      return { taskUid: 1 };
    },
    task: () => ({ status: "enqueued" }),
  };
  const wake = (what: string) => () => {
    did.push(what);
    state.onWake();
  };
  const services = {
    instance,
    outbox: { wake: wake("send") },
    holdRelease: { wake: wake("release") },
  } as unknown as OperationServices;
  const ask = (needs: WriteOrigin["needs"] | null, shard = MEMBERS, remoteName = "a") => {
    const origin: WriteOrigin = { remoteName, taskUid: 1, shard: { self: "b", members: shard } };
    const header = encodeURIComponent(JSON.stringify(needs === null ? origin : { ...origin, needs }));
    return checkMover(services, { access: FULL_ACCESS, writeOrigin: header } as Requester);
  };
  return { ask, values, did, outgoing, heldUids, state };
}

const NOT_YET = { code: "network_documents_moving" };
const OTHERS = { code: "invalid_network_remotes" };

test("writes are held from the first question on, and not by who asks what has come", async (t) => {
  const { ask, did } = openAsked(t);
  await ask(null);
  deepEqual(did, []);
  await ask("delivery");
  deepEqual(did, [`hold ${MEMBERS}`]);
});

test("older writes are sent to all owners before documents move here; held ones are not", async (t) => {
  const { ask, did, outgoing, heldUids } = openAsked(t);
  for (const waiting of ["a", "c"]) {
    outgoing.push({ taskUid: 7, waiting: [waiting] });
    await rejects(ask("delivery"), NOT_YET, waiting);
    deepEqual(did.splice(0), [`hold ${MEMBERS}`, "send"]);
    heldUids.add(7);
    await ask("delivery");
    deepEqual(did.splice(0), [`hold ${MEMBERS}`]);
    heldUids.clear();
    outgoing.length = 0;
  }
  outgoing.push({ taskUid: 7, waiting: ["d"] });
  await ask("delivery");
});

test("what waits for a member that leaves is sent before its documents come", async (t) => {
  const { ask, outgoing } = openAsked(t);
  outgoing.push({ taskUid: 7, waiting: ["a"] });
  await rejects(ask("delivery", ["b", "c"]), NOT_YET);
});

test("the answer comes as soon as older writes are sent", async (t) => {
  const { ask, outgoing, state } = openAsked(t);
  outgoing.push({ taskUid: 7, waiting: ["c"] });
  state.onWake = () => setImmediate(() => outgoing.pop());
  await ask("delivery");
});

test("older writes are done before documents move here", async (t) => {
  const { ask, state } = openAsked(t);
  await ask("ready");
  state.hasFormer = true;
  await ask("delivery");
  await rejects(ask("ready"), NOT_YET);
});

test("who waits for the documents of this server has it send its writes and ask on its own", async (t) => {
  const { ask, did, state } = openAsked(t);
  await ask("delivery");
  did.length = 0;
  await ask("given");
  deepEqual(did, ["send", "release"], "and holds no writes");
  state.areMovesWaiting = true;
  await rejects(ask("given"), NOT_YET);
});

for (const needs of ["delivery", "ready", "given"] as const)
  test(`who sees other members is refused when it asks for ${needs}, and so is a stranger`, async (t) => {
    const { ask, did } = openAsked(t);
    await rejects(ask(needs, ["a", "b"]), OTHERS);
    await rejects(ask(needs, [...MEMBERS, "d"]), OTHERS);
    await rejects(ask(needs, [...MEMBERS, "d"], "d"), OTHERS);
    await rejects(ask(needs, MEMBERS, "b"), OTHERS, "nor has it asked itself");
    deepEqual(did, []);
  });

test("a server that leaves takes no documents", async (t) => {
  const { ask, values } = openAsked(t);
  values.set("network topology", { ...networkOf(["a", "c"]), hasLeft: true });
  await rejects(ask("delivery", ["a", "c"]), OTHERS);
});

test("documents that move with a member that leaves as an owner move anew, once", async (t) => {
  const { ask, values, did, state } = openAsked(t);
  state.areMovesWaiting = true;
  await ask("delivery", ["b", "c"]);
  deepEqual(values.get("network givers"), ["a"]);
  deepEqual(did, ["hold b,c", "hold b,c", "spread b,c"]);
  did.length = 0;
  await ask("delivery", ["b", "c"]);
  deepEqual(did, ["hold b,c"]);
});

test("nothing moves anew for one that leaves if nothing is to move, nor for one that is out", async (t) => {
  const { ask, values, did, state } = openAsked(t);
  await ask("delivery", ["b", "c"]);
  deepEqual(did, ["hold b,c"]);
  state.areMovesWaiting = true;
  await ask("delivery", ["b", "c"], "d");
  deepEqual(values.get("network givers"), ["a"]);
  deepEqual(did, ["hold b,c", "hold b,c"]);
});

test("a member that stays after all is an owner again", async (t) => {
  const { ask, values } = openAsked(t);
  await ask("delivery", ["b", "c"]);
  await ask(null);
  deepEqual(values.get("network givers"), []);
});

test("a header that cannot be read is refused", async (t) => {
  const { ask } = openAsked(t);
  await rejects(ask("all" as "ready"), { code: "bad_request", message: new RegExp(ORIGIN_HEADER) });
  equal(await ask(null), undefined);
});

test("a member that leaves may be counted by others, or not", async (t) => {
  const { ask } = openAsked(t);
  await rejects(ask("ready", ["b", "c"], "c"), OTHERS);
  await ask("delivery", ["b", "c"]);
  await ask("ready", ["b", "c"], "c");
  await ask("ready", MEMBERS, "c");
});
