// When documents are spread again: whenever they may lie where they do not belong, and no more often.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { hasGiven, noteGiver, noteReturn, noteSpread, spreadDocuments } from "../../src/network/spread.ts";
import { standstillOf } from "../../src/network/standstill.ts";
import type { Network } from "../../src/schemas/network.ts";
import type { InstanceInterface } from "../../src/tasks/instanceinterface.ts";

const remote = { url: "http://none", searchApiKey: null, writeApiKey: null };
const network = (...names: string[]): Network => {
  return { self: "a", sharding: true, remotes: Object.fromEntries(names.map((name) => [name, remote])) };
};

/** What is asked of an instance; tasks have the status that they are given. */
function open() {
  const values = new Map<string, unknown>([["network topology", network("b")]]);
  const statuses: (string | null)[] = [];
  const spread: string[] = [];
  const did: string[] = [];
  const state = {
    isOn: true,
    indexes: ["things"],
    oldestWaiting: null as number | null,
    held: null as string[] | null,
    areMovesWaiting: false,
    since: performance.now(),
  };
  const held = {
    get members() {
      return state.held;
    },
    get since() {
      return state.since;
    },
    areMovesWaiting: () => state.areMovesWaiting,
  };
  const instance = {
    value: (kind: string, key: string) =>
      key === "network" ? state.isOn : (values.get(`${kind} ${key}`) ?? undefined),
    put: async (kind: string, key: string, value: unknown) => void values.set(`${kind} ${key}`, value),
    hold: async (members: string[] | null) => void did.push(`hold ${members}`),
    held: () => held,
    allStats: () => ({ indexes: new Map(state.indexes.map((uid) => [uid, null])) }),
    queueFigures: () => ({ oldestWaiting: state.oldestWaiting }),
    async register({ members }: { members: string[] }) {
      spread.push(members.join());
      did.push(`spread ${members}`);
      return { taskUid: statuses.push("enqueued") - 1 };
    },
    task(uid: number) {
      if (statuses[uid] === null) throw new TarsierError("task_not_found", { taskUid: uid });
      return { status: statuses[uid] };
    },
  };
  return { values, statuses, spread, did, state, instance: instance as unknown as InstanceInterface };
}

test("documents are spread anew as long as no task has succeeded", async () => {
  const { statuses, spread, instance } = open();
  await spreadDocuments(instance);
  for (const [i, status] of ["enqueued", "failed", "processing", "canceled", null].entries()) {
    statuses[statuses.length - 1] = status;
    await spreadDocuments(instance);
    deepEqual(spread.length, [1, 2, 2, 3, 4][i], `${status}`);
  }
  statuses[statuses.length - 1] = "succeeded";
  await spreadDocuments(instance);
  statuses[statuses.length - 1] = null;
  await spreadDocuments(instance);
  deepEqual(spread, Array(4).fill("a,b"), "a task that had succeeded may be deleted");
});

test("of changes that come at the same time the last one is spread", async () => {
  const { values, spread, instance } = open();
  await spreadDocuments(instance);
  values.set("network topology", network("b", "c"));
  const first = spreadDocuments(instance);
  values.set("network topology", network("b"));
  await Promise.all([first, spreadDocuments(instance)]);
  deepEqual(spread, ["a,b", "a,b,c", "a,b"]);
});

test("writes are held before documents are spread, and no more when they are not shared", async () => {
  const { values, did, instance } = open();
  await spreadDocuments(instance);
  deepEqual(did, ["hold a,b", "spread a,b"]);
  values.set("network topology", { ...network("b"), sharding: false });
  await spreadDocuments(instance);
  deepEqual(did.slice(2), ["hold null"]);
  equal(values.get("network spread"), null);
});

test("members that leave are forgotten as such when the network names them no more", async () => {
  const { values, spread, instance } = open();
  values.set("network topology", network("b", "c"));
  values.set("network givers", ["b", "d"]);
  await spreadDocuments(instance);
  deepEqual(values.get("network givers"), ["b"]);
  deepEqual(spread, ["a,c"]);
});

test("a member that leaves is noted once, and gets its documents again when it stays after all", async () => {
  const { values, spread, instance } = open();
  values.set("network topology", network("b", "c"));
  await spreadDocuments(instance);
  deepEqual([await noteGiver(instance, "c"), await noteGiver(instance, "c")], [true, false]);
  await noteReturn(instance, "b");
  deepEqual(values.get("network givers"), ["c"]);
  deepEqual(spread, ["a,b,c"]);
  await noteReturn(instance, "c");
  deepEqual(values.get("network givers"), []);
  deepEqual(spread, ["a,b,c", "a,b,c"]);
});

test("a write by a sender that sees other members has documents spread anew, others have not", async () => {
  const { values, instance } = open();
  values.set("network topology", network("b", "c"));
  await spreadDocuments(instance);
  await noteGiver(instance, "c");
  for (const members of [
    ["a", "b", "c"],
    ["a", "b"],
  ]) {
    await noteSpread(instance, members);
    deepEqual(values.get("network spread"), ["a", "b", "c"]);
  }
  await noteSpread(instance, ["a", "c"]);
  equal(values.get("network spread"), null);
});

test("a server has nothing to give once documents are spread for the members, and none move", async () => {
  const { values, state, instance } = open();
  state.held = ["a", "b"];
  equal(hasGiven(instance), false, "nothing is spread yet");
  await spreadDocuments(instance);
  equal(hasGiven(instance), true);
  state.areMovesWaiting = true;
  equal(hasGiven(instance), false);
  standstillOf(instance).isStuck = true;
  equal(hasGiven(instance), true, "a server that is away keeps documents from moving");
  standstillOf(instance).isStuck = false;
  equal(hasGiven(instance), false);
  state.held = null;
  equal(hasGiven(instance), true, "no writes wait");
  state.held = ["a", "b"];
  state.areMovesWaiting = false;
  values.set("network topology", network("b", "c"));
  equal(hasGiven(instance), false, "the network has changed");
  await spreadDocuments(instance);
  equal(hasGiven(instance), true);
  await noteGiver(instance, "c");
  equal(hasGiven(instance), true, "what a member gives that leaves comes from there");
  values.set("network spread", ["a", "b"]);
  equal(hasGiven(instance), true, "spread without it");
});

test("moves that wait for long are waited for no more", (t) => {
  let now = 1_000_000;
  t.mock.method(performance, "now", () => now);
  const { state, instance } = open();
  state.held = ["a", "b"];
  state.areMovesWaiting = true;
  state.since = now;
  now += 19_000;
  equal(hasGiven(instance), false);
  standstillOf(instance).noteMove();
  now += 19_000;
  equal(hasGiven(instance), false, "they got on");
  now += 2_000;
  equal(hasGiven(instance), true);
  state.since = now;
  equal(hasGiven(instance), false, "others are held for now");
});

test("nothing is held or spread while the feature is off", async () => {
  const { did, state, instance } = open();
  state.isOn = false;
  await spreadDocuments(instance);
  deepEqual(did, ["hold null"]);
  state.isOn = true;
  await spreadDocuments(instance);
  deepEqual(did.slice(1), ["hold a,b", "spread a,b"]);
});

test("without an index there is nothing to spread, unless a write waits that may make one", async () => {
  const { values, spread, state, instance } = open();
  state.indexes = [];
  await spreadDocuments(instance);
  deepEqual(spread, []);
  values.set("network topology", network("b", "c"));
  state.oldestWaiting = 7;
  await spreadDocuments(instance);
  deepEqual(spread, ["a,b,c"]);
});
