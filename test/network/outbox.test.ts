// The box of writes for other servers: who waits for them, and for whom nobody waits.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { Outbox } from "../../src/network/outbox.ts";
import { ORIGIN_HEADER, type WriteOrigin } from "../../src/network/sharedwrites.ts";
import type { OutboundClient } from "../../src/outbound/client.ts";
import type { Remote } from "../../src/schemas/network.ts";
import type { InstanceInterface } from "../../src/tasks/instanceinterface.ts";
import { type Delivery, type OutgoingWrite, OutgoingWrites } from "../../src/tasks/outgoing.ts";

/** Longer than any test takes: whoever waits so long fails. */
const FOR_EVER = 2 ** 30;
/** Shorter than the longest pause of the box: whatever it is to send at once has been sent by then. */
const ANSWER_MS_MAX = 4_000;
const remote = (url: string) => ({ url, searchApiKey: null, writeApiKey: null });
const NETWORK = { self: "a", sharding: true, remotes: { b: remote("http://b"), c: remote("http://c") } };

const LEFT = { error: "not sent: the remote has left the network" };

const writeOf = (taskUid: number, waiting: string[]): OutgoingWrite => ({
  id: `w${taskUid}`,
  taskUid,
  method: "DELETE",
  path: "/indexes/things",
  contentType: null,
  inline: null,
  payload: null,
  payloadBytes: 0,
  self: "a",
  members: ["a", "b", "c"],
  waiting,
});

/** Servers answer when they are told to. */
function openBox({ slowMs = FOR_EVER, formerMs = FOR_EVER, leavers = {}, waitMsFirst = 1 } = {}) {
  const writes = new OutgoingWrites();
  let network = NETWORK;
  const waiting = new Map<string, (status: number) => void>();
  const sent: string[] = [];
  const origins: WriteOrigin[] = [];
  const held = new Set<number>();
  const state = { isOn: true, isBodyLost: false };
  const outcomes: Delivery["outcome"][] = [];
  const instance = {
    outgoing: () => writes,
    openOutgoing: () => {
      if (state.isBodyLost) throw new Error("the body is lost");
      return null;
    },
    value: (kind: string, key: string) =>
      kind !== "network" ? state.isOn : ({ topology: network, leavers } as Record<string, unknown>)[key],
    held: () => held,
    noteDelivery: async (delivery: Delivery) => {
      outcomes.push(delivery.outcome);
      writes.deliver(delivery);
    },
  } as unknown as InstanceInterface;
  const outbound = {
    request: (url: string | URL, { headers }: { headers: Record<string, string> }) => {
      const { hostname } = new URL(url);
      origins.push(JSON.parse(decodeURIComponent(headers[ORIGIN_HEADER])));
      sent.push(hostname);
      return new Promise((resolve) => {
        const body = Buffer.from('{"taskUid":7}');
        waiting.set(hostname, (status) => resolve({ status, body }));
      });
    },
  } as unknown as OutboundClient;
  const box = new Outbox({
    instance,
    outbound,
    slowMs,
    formerMs,
    waitMsFirst,
    onTrouble: (error) => Promise.reject(error),
  });
  const send = (taskUid: number, waitMs: number, names = ["b", "c"]) => {
    writes.add(writeOf(taskUid, names));
    return box.send(taskUid, waitMs);
  };
  const answer = async (name: string, status = 202) => {
    for (const until = performance.now() + ANSWER_MS_MAX; !waiting.has(name); ) {
      ok(performance.now() < until, `nothing is sent to ${name}`);
      await new Promise(setImmediate);
    }
    waiting.get(name)!(status);
    waiting.delete(name);
  };
  /** Takes all other servers out of the network. */
  const leave = () => {
    box.keep(network.remotes);
    network = { ...NETWORK, remotes: {} as typeof NETWORK.remotes };
  };
  const rename = (self: string) => {
    network = { ...network, self };
  };
  return { box, writes, state, send, answer, leave, rename, sent, origins, held, outcomes };
}

test("a write waits for the servers that are up", async () => {
  const { send, answer, sent } = openBox();
  const first = send(1, FOR_EVER);
  await answer("b");
  await answer("c");
  await first;
  deepEqual(sent, ["b", "c"]);
});

test("nobody waits for a server that kept somebody waiting, and all the same for the others", async () => {
  const { send, answer, sent } = openBox();
  await send(1, 1, ["c"]);
  const second = send(2, FOR_EVER);
  await answer("b");
  await second;
  await answer("c");
  await answer("c");
  deepEqual(sent, ["c", "b", "c"]);
  // It has all there is, but may be as slow again.
  const third = send(3, FOR_EVER);
  await answer("b");
  await third;
});

test("after a while a server that was slow is waited for again", async () => {
  const { send, answer } = openBox({ slowMs: 0 });
  await send(1, 1, ["c"]);
  await answer("c");
  let isDone = false;
  const second = send(2, FOR_EVER).then(() => {
    isDone = true;
  });
  await answer("b");
  await new Promise(setImmediate);
  equal(isDone, false);
  await answer("c");
  await second;
});

for (const [title, name, leavers] of [
  ["", "c", {}],
  [" before a restart", "d", { d: remote("http://d") }],
] as [string, string, Record<string, Remote>][])
  test(`a server that was taken out${title} is sent what waits for it, for a while`, async () => {
    const { send, answer, leave, sent, outcomes } = openBox({ leavers });
    const first = send(1, FOR_EVER, [name]);
    leave();
    await answer(name, 503);
    await first;
    await answer(name);
    deepEqual(sent, [name, name]);
    while (outcomes.length < 2) await new Promise(setImmediate);
    deepEqual(outcomes[1], { task_uid: 7 });
    const late = openBox({ formerMs: 0, leavers });
    const second = late.send(1, FOR_EVER, [name]);
    late.leave();
    await late.answer(name, 503);
    await second;
    deepEqual(late.outcomes, [LEFT]);
  });

test("a write says whether its sender still sees its members, and whether it is held there", async () => {
  const { send, answer, leave, origins, held } = openBox();
  held.add(2);
  for (const uid of [1, 2]) {
    const sent = send(uid, FOR_EVER, ["c"]);
    await answer("c");
    await sent;
  }
  leave();
  const last = send(3, FOR_EVER, ["c"]);
  await answer("c");
  await last;
  deepEqual(
    origins.map(({ isPresent, isHeld }) => [isPresent, isHeld]),
    [
      [true, false],
      [true, true],
      [false, false],
    ],
  );
});

test("the time of a server that was taken out begins once, not with each attempt", async () => {
  const leavers = { d: remote("http://d") };
  const { send, answer, sent, outcomes } = openBox({ formerMs: 100, leavers });
  const first = send(1, FOR_EVER, ["d"]);
  await answer("d", 503);
  await first;
  const hasLeft = () => outcomes.some((one) => "error" in one && one.error === LEFT.error);
  while (!hasLeft() && sent.length < 10) {
    await answer("d", 503);
    await new Promise(setImmediate);
  }
  ok(hasLeft());
});

test("a server that the network names is waited for, however long", async () => {
  const { send, answer, outcomes } = openBox({ formerMs: 0 });
  const first = send(1, FOR_EVER, ["c"]);
  await answer("c", 503);
  await first;
  await answer("c");
  while (outcomes.length < 2) await new Promise(setImmediate);
  deepEqual(outcomes[1], { task_uid: 7 });
});

test("a write is sent under the present name of its sender", async () => {
  const { send, answer, rename, origins } = openBox();
  rename("z");
  const sent = send(1, FOR_EVER, ["c"]);
  await answer("c");
  await sent;
  equal(origins[0].remoteName, "z");
});

/** Lets everything happen that waits for nothing else. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}

test("a server that is away is tried after a pause, or at once for news; a reason is told once", async () => {
  const { box, send, answer, sent, outcomes } = openBox({ waitMsFirst: FOR_EVER });
  const first = send(1, FOR_EVER, ["c"]);
  await answer("c", 503);
  await first;
  for (let tries = 1; tries < 4; tries++) {
    await settled();
    equal(sent.length, tries);
    box.wake();
    await answer("c", 503);
  }
  await settled();
  deepEqual([sent.length, outcomes.length], [4, 1]);
  await box.close();
});

test("nobody waits for a server that is away, nor behind a write for it", { timeout: 10_000 }, async () => {
  const { box, send, answer } = openBox({ waitMsFirst: FOR_EVER });
  const waiting = [send(1, FOR_EVER, ["c"]), send(2, FOR_EVER, ["c"])];
  await answer("c", 503);
  await Promise.all(waiting);
  await send(3, FOR_EVER, ["c"]);
  await box.close();
});

test("a write that comes as a server has got all others is sent once", {
  timeout: 10_000,
}, async () => {
  const { box, writes, send, answer, sent } = openBox();
  const nextFor = writes.nextFor.bind(writes);
  let late: OutgoingWrite | null = writeOf(2, ["c"]);
  writes.nextFor = (name) => {
    const found = nextFor(name);
    if (found === null && late !== null) {
      const write = late;
      late = null;
      queueMicrotask(() => {
        writes.add(write);
        box.wake();
      });
    }
    return found;
  };
  const first = send(1, FOR_EVER, ["c"]);
  await answer("c");
  await first;
  await settled();
  equal(sent.length, 2);
  box.wake();
  await settled();
  equal(sent.length, 2);
  await answer("c");
  await settled();
  equal(writes.size, 0);
});

test("what is not sent says why, and stays where it may be sent later", async () => {
  const { box, writes, state, send, answer, sent, outcomes } = openBox({ waitMsFirst: FOR_EVER });
  await send(1, FOR_EVER, ["stranger"]);
  state.isBodyLost = true;
  await send(2, FOR_EVER, ["c"]);
  deepEqual(outcomes, [LEFT, { error: "not sent: the body is lost" }]);
  equal(writes.size, 0);
  state.isBodyLost = false;
  state.isOn = false;
  await send(3, ANSWER_MS_MAX, ["c"]);
  deepEqual(outcomes[2], { error: "waiting to be sent: the feature `network` is off" });
  deepEqual([writes.size, sent], [1, []]);
  state.isOn = true;
  box.wake();
  await answer("c");
  await settled();
  equal(writes.size, 0);
});

test("what fails while the box is closed is not noted: it stays for the next start", async () => {
  const { box, writes, send, answer, outcomes } = openBox();
  await send(1, 1, ["c"]);
  const closed = box.close();
  await answer("c", 503);
  await closed;
  deepEqual([outcomes, writes.size], [[], 1]);
});
