// The end of the hold on writes: when no server has documents to move, or one keeps them all from moving.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { Release } from "../../src/network/release.ts";
import { ORIGIN_HEADER } from "../../src/network/sharedwrites.ts";
import { standstillOf } from "../../src/network/standstill.ts";
import type { OutboundClient } from "../../src/outbound/client.ts";
import type { InstanceInterface } from "../../src/tasks/instanceinterface.ts";

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null });
const NETWORK = { self: "a", sharding: true, remotes: { a: remote("a"), b: remote("b"), c: remote("c") } };
const MEMBERS = ["a", "b", "c"];

type Answer = "given" | "moving" | "refused" | "away" | number;

const ANSWERS = {
  given: { status: 404, body: Buffer.from("{}") },
  moving: { status: 409, body: Buffer.from('{"code":"network_documents_moving"}') },
  refused: { status: 400, body: Buffer.from('{"code":"invalid_network_remotes"}') },
};

/** A write is held; `answers`: of the other servers, the last one again and again. */
function openRelease(
  answers: Record<string, Answer[]>,
  times = {},
  leavers = {},
  members: readonly string[] | null = MEMBERS,
) {
  const values = new Map<string, unknown>([
    ["topology", NETWORK],
    ["spread", MEMBERS],
    ["leavers", leavers],
  ]);
  const asked: string[] = [];
  const requests: { path: string; origin: unknown; body: unknown }[] = [];
  const state = {
    members,
    mustMove: false,
    /** Whether a write is held, and how often that was asked. */
    isAny: true,
    checks: 0,
    index: "things" as string | null,
    onAsked: () => {},
    beforeAnswer: new Map<string, Promise<void>>(),
    /** For whom writes were held when they were released. */
    releasedFrom: null as readonly string[] | null,
  };
  let tellHeld = () => {};
  const held = {
    get members() {
      return state.members;
    },
    since: 0,
    isAny() {
      state.checks++;
      return state.isAny && state.members !== null;
    },
    areMovesWaiting: () => state.mustMove,
  };
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const instance = {
    value: (_: string, key: string) => values.get(key),
    put: async (_: string, key: string, value: unknown) => void values.set(key, value ?? undefined),
    on: (_: string, listener: () => void) => {
      tellHeld = listener;
    },
    indexes: () => ({ results: state.index === null ? [] : [{ uid: state.index }], total: 0 }),
    held: () => held,
    hold: async (members: string[] | null) => {
      state.releasedFrom = state.members;
      state.members = members;
      release();
    },
  } as unknown as InstanceInterface;
  const outbound = {
    request: async (url: string | URL, sent: { headers: Record<string, string>; body: string }) => {
      const { hostname: name, pathname: path } = new URL(url);
      asked.push(name);
      const origin: unknown = JSON.parse(decodeURIComponent(sent.headers[ORIGIN_HEADER]));
      requests.push({ path, origin, body: JSON.parse(sent.body) });
      state.onAsked();
      await state.beforeAnswer.get(name);
      const own = answers[name];
      const answer = own.length > 1 ? own.shift()! : own[0];
      if (answer === "away") throw new Error("connection refused");
      return typeof answer === "number" ? { status: answer, body: Buffer.from("{}") } : ANSWERS[answer];
    },
  } as unknown as OutboundClient;
  const onTrouble = (error: Error) => Promise.reject(error);
  const waits = new Release({
    instance,
    outbound,
    onTrouble,
    waitMsMax: 2 ** 30,
    ...times,
  });
  return { instance, waits, released, asked, requests, state, values, tellHeld };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Several questions later. */
const LATER_MS = 300;

test("writes are released when all others have given what they had", async () => {
  const { waits, released, asked, state } = openRelease({ b: ["moving", "given"], c: ["given"] });
  await released;
  equal(state.members, null);
  equal(asked.filter((name) => name === "b").length, 2);
  await waits.close();
});

for (const [title, answers] of [
  ["one moves documents", { b: ["moving"], c: ["given"] }],
  ["one that was there is away for a moment", { b: ["given", "away"], c: ["moving"] }],
  ["one has not been told of the members yet", { b: ["refused"], c: ["given"] }],
] as [string, Record<string, Answer[]>][])
  test(`writes are held as long as ${title}`, async () => {
    const { waits, state } = openRelease(answers);
    await pause(LATER_MS);
    deepEqual(state.members, MEMBERS);
    await waits.close();
  });

test("writes are held as long as documents are to move from here", async () => {
  const { waits, released, state } = openRelease({ b: ["moving", "given"], c: ["given"] });
  state.mustMove = true;
  await pause(LATER_MS);
  deepEqual(state.members, MEMBERS);
  state.mustMove = false;
  await released;
  await waits.close();
});

for (const [title, answers, times] of [
  ["has never been there", { b: ["away"], c: ["given"] }, {}],
  ["stays away", { b: ["moving", "away"], c: ["given"] }, { waitMsMax: 100 }],
  ["is not told of the members", { b: ["refused"], c: ["moving", "given"] }, { waitMsMax: 100 }],
] as [string, Record<string, Answer[]>, object][])
  test(`writes do not wait for a server that ${title}: no documents move then`, async () => {
    const { waits, released, state } = openRelease(answers, times);
    state.mustMove = true;
    await released;
    equal(state.members, null);
    await waits.close();
  });

test("where a server is away, the others release their writes together", async () => {
  const { instance, waits, released, state } = openRelease({ b: ["away"], c: ["moving"] });
  await pause(LATER_MS);
  deepEqual([state.members, standstillOf(instance).isStuck], [MEMBERS, true]);
  state.members = null;
  const one = openRelease({ b: ["away"], c: ["moving", "given"] });
  await one.released;
  await Promise.all([waits.close(), one.waits.close()]);
  void released;
});

test("a server that was taken out is waited for, once", async () => {
  const leavers = { d: remote("d") };
  const { waits, released, asked, values } = openRelease(
    { b: ["given"], c: ["given"], d: ["moving", "given"] },
    {},
    leavers,
  );
  await released;
  equal(asked.filter((name) => name === "d").length, 2);
  equal(values.get("leavers"), undefined);
  await waits.close();
});

test("where a server is away, writes that are held again wait no longer", async () => {
  const away: Answer[] = ["given", "away"];
  const { waits, released, state } = openRelease({ b: away, c: ["given"] }, { waitMsMax: LATER_MS });
  state.mustMove = true;
  await released;
  for (const members of [MEMBERS, ["a", "b"]]) {
    state.members = members;
    const began = performance.now();
    waits.wake();
    while (state.members !== null) await pause(1);
    ok(performance.now() - began < LATER_MS);
  }
  await waits.close();
});

test("a change of the members is a hold of its own", async () => {
  const { waits, state } = openRelease({ b: ["refused"], c: ["given"] }, { waitMsMax: 2 * LATER_MS });
  await pause(LATER_MS);
  state.members = ["a", "b"];
  await pause((3 * LATER_MS) / 2);
  deepEqual(state.members, ["a", "b"], "the time for the members before does not count");
  while (state.members !== null) await pause(1);
  await waits.close();
});

test("this server does not ask itself", async () => {
  const { waits, released, asked } = openRelease({ b: ["given"], c: ["given"] });
  await released;
  deepEqual([...new Set(asked)].sort(), ["b", "c"]);
  await waits.close();
});

test("others are asked by their names for the members whose writes are held, with any index", async () => {
  const { waits, released, requests, state } = openRelease({ b: ["moving", "given"], c: ["given"] });
  state.index = null;
  await released;
  await waits.close();
  const [first] = requests;
  const origin = { remoteName: "a", taskUid: 0, shard: { self: "b", members: MEMBERS }, needs: "given" };
  deepEqual(first.origin, origin);
  deepEqual(first.body, { limit: 0, useNetwork: false });
  const uids = requests.map(({ path }) => path.split("/")[2]);
  deepEqual(uids, ["things", "things", "-", "-"]);
  equal(first.path, "/indexes/things/documents/fetch");
});

test("writes that are held for other members by the time of the answers are not released", async () => {
  const { waits, released, state, asked } = openRelease({ b: ["given"], c: ["given"] });
  state.members = ["a", "b"];
  await released;
  deepEqual(state.releasedFrom, ["a", "b"], "the answers were about other members");
  equal(asked.filter((name) => name === "b").length, 2);
  await waits.close();
});

test("nothing is released when no write is held any more by the time of the answers", async () => {
  const { waits, state } = openRelease({ b: ["given"], c: ["given"] });
  state.isAny = false;
  await until(() => state.checks > 0);
  await waits.close();
  deepEqual(state.members, MEMBERS);
});

test("writes are released once they are held and nothing else is to do", async () => {
  const { waits, released, state, tellHeld } = openRelease({ b: ["given"], c: ["given"] }, {}, {}, null);
  await new Promise(setImmediate);
  state.members = MEMBERS;
  tellHeld();
  await released;
  await waits.close();
});

for (const status of [401, 403, 413, 503])
  test(`a server that answers ${status} counts as away, not as one that sees other members`, async () => {
    const { waits, released } = openRelease({ b: [status], c: ["given"] }, { waitMsMax: 1 });
    await released;
    await waits.close();
  });

test("the time for which a server may be away begins anew when it has answered", async (t) => {
  // Time passes with the questions only.
  let count = 0;
  t.mock.method(performance, "now", () => count * 50);
  const away: Answer[] = Array(4).fill("away");
  const { waits, released, asked, state } = openRelease(
    { b: ["moving", ...away, "moving", ...away, "given"], c: ["given"] },
    { waitMsMax: 250 },
  );
  state.onAsked = () => {
    count = asked.filter((name) => name === "b").length;
  };
  await released;
  equal(asked.filter((name) => name === "b").length, 11);
  equal(state.members, null);
  await waits.close();
});

test("moves are told to be stuck no more once the server is back", async () => {
  const { instance, waits, state } = openRelease({ b: ["away", "moving"], c: ["moving"] });
  await until(() => standstillOf(instance).isStuck);
  await until(() => !standstillOf(instance).isStuck);
  deepEqual(state.members, MEMBERS);
  await waits.close();
});

test("moves that are kept from it are told to be stuck at once: others may wait for that", async () => {
  const answers: Record<string, Answer[]> = { b: ["away"], c: ["given"] };
  const { instance, waits, released, state, tellHeld } = openRelease(answers, {}, {}, null);
  const { promise, tell } = signal();
  // As a server that asks this one before it answers.
  state.beforeAnswer.set("c", promise);
  await new Promise(setImmediate);
  state.members = MEMBERS;
  tellHeld();
  await until(() => standstillOf(instance).isStuck);
  tell();
  await released;
  await waits.close();
});

test("whether moves are stuck is found out anew for other members", async () => {
  const { instance, waits, state } = openRelease({ b: ["refused"], c: ["moving"] }, { waitMsMax: 1 });
  await until(() => standstillOf(instance).isStuck);
  const { promise, tell } = signal();
  state.beforeAnswer.set("b", promise);
  state.members = ["a", "b"];
  await until(() => !standstillOf(instance).isStuck);
  tell();
  await waits.close();
});

function signal(): { promise: Promise<void>; tell: () => void } {
  let tell = () => {};
  const promise = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { promise, tell };
}

/** Fails where it would be waited for without end. */
async function until(isMet: () => boolean): Promise<void> {
  for (const end = performance.now() + 5_000; !isMet(); await pause(1)) ok(performance.now() < end);
}
