// Writes that wait while documents move between servers: which ones do, and which run.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import type { Instance } from "../../src/tasks/instance.ts";
import type { Registration } from "../../src/tasks/registration.ts";
import { batched, clear, openFixture, reopen } from "./setup.ts";

const BEFORE = ["a", "b"];
const NOW = ["a", "b", "c"];
const CLEAR = clear("one");

type Marks = Pick<Registration, "sharers" | "isMove" | "network" | "origin">;

async function create(instance: Instance, indexUid: string, marks: Marks = {}): Promise<number> {
  const { taskUid } = await instance.register({
    type: "indexCreation",
    indexUid,
    primaryKey: null,
    ...marks,
  });
  return taskUid;
}

const sentBy = (remoteName: string, taskUid: number) => ({
  network: { origin: { remoteName, taskUid } },
  origin: { remoteName, writeId: `${taskUid}` },
});

/** Uids of the tasks that still wait when there is nothing else to do. */
async function leftOver(instance: Instance): Promise<number[]> {
  const page = { limit: 100, from: null, reverse: true };
  for (;;) {
    const { results } = instance.tasks({ statuses: ["enqueued", "processing"] }, page, null);
    const uids = results.map(({ uid }) => uid);
    if (uids.every((uid) => instance.held().has(uid))) return uids;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test("writes of servers that see the present members wait, all others run", async () => {
  const { instance } = await openFixture({ mayHold: true });
  await instance.hold(NOW);
  equal(instance.held().isAny(), false);
  const waiting = [
    await create(instance, "one", { sharers: NOW }),
    await create(instance, "two", { sharers: NOW, ...sentBy("b", 1) }),
  ];
  await create(instance, "three", { sharers: BEFORE });
  await create(instance, "four");
  await create(instance, "five", { sharers: NOW, isMove: true });
  deepEqual(await leftOver(instance), waiting);
  equal(instance.held().isAny(), true);
  equal(instance.held().hasFormer(), false);
  await instance.hold(null);
  await instance.idle();
  deepEqual(instance.allStats().indexes.size, 5);
});

test("a write that has run where it comes from runs, and so do the earlier ones from there", async () => {
  const { instance } = await openFixture({ mayHold: true });
  await instance.hold(NOW);
  await create(instance, "one", { sharers: NOW, ...sentBy("b", 1) });
  const other = await create(instance, "two", { sharers: NOW, ...sentBy("c", 1) });
  const { network } = sentBy("b", 2);
  await create(instance, "moved", { isMove: true, network });
  deepEqual(await leftOver(instance), [other - 1, other]);
  await create(instance, "three", sentBy("b", 2));
  const later = await create(instance, "four", { sharers: NOW, ...sentBy("b", 3) });
  deepEqual(await leftOver(instance), [other, later]);
});

test("a write that may not join does not keep later writes of its index that may", async () => {
  const { instance } = await openFixture({ mayHold: true });
  await create(instance, "one");
  await instance.idle();
  await instance.hold(NOW);
  const { taskUid } = await instance.register({ ...CLEAR, sharers: NOW });
  await instance.register({ ...CLEAR, isMove: true });
  await instance.register({ ...CLEAR, sharers: BEFORE });
  deepEqual(await leftOver(instance), [taskUid]);
});

test("what is to run before documents move is told from the moves themselves", async () => {
  const { instance } = await openFixture({ mayHold: true, batchTasksMax: 0 });
  await instance.hold(NOW);
  await create(instance, "one", { sharers: NOW });
  await create(instance, "two", { isMove: true });
  equal(instance.held().hasFormer(), false);
  await instance.registerDump();
  equal(instance.held().hasFormer(), false);
  await create(instance, "three", { sharers: BEFORE });
  equal(instance.held().hasFormer(), true);
  equal(instance.held().areMovesWaiting(), false);
  await instance.register({ type: "networkTopologyChange", members: NOW });
  equal(instance.held().areMovesWaiting(), true);
});

test("writes are held after a restart, unless nobody would release them", async () => {
  const fixture = await openFixture({ mayHold: true });
  await fixture.instance.hold(NOW);
  const held = await create(fixture.instance, "one", { sharers: NOW });
  const again = await reopen(fixture, { mayHold: true });
  await create(again.instance, "two", { sharers: BEFORE });
  deepEqual(await leftOver(again.instance), [held]);
  const { instance } = await reopen(again);
  await instance.idle();
  equal(instance.allStats().indexes.size, 2);
});

test("a held write joins no batch of one that runs", async () => {
  const fixture = await openFixture();
  await create(fixture.instance, "one");
  await fixture.instance.idle();
  const queued = await reopen(fixture, { mayHold: true, batchTasksMax: 0 });
  await queued.instance.hold(NOW);
  await queued.instance.register({ ...CLEAR, sharers: BEFORE });
  const { taskUid } = await queued.instance.register({ ...CLEAR, sharers: NOW });
  await queued.instance.register({ ...CLEAR, sharers: BEFORE });
  const { instance } = await reopen(queued, { mayHold: true });
  deepEqual(await leftOver(instance), [taskUid]);
  deepEqual(batched(instance).at(-1), [taskUid - 1, taskUid + 1], "those around it run together");
});

test("a write that has run is held no more when writes are held again", async () => {
  const { instance } = await openFixture({ mayHold: true });
  await instance.hold(NOW);
  const first = await create(instance, "one", { sharers: NOW });
  equal(instance.held().has(first), true);
  await instance.hold(null);
  await instance.idle();
  await instance.hold(NOW);
  const second = await create(instance, "two", { sharers: NOW });
  deepEqual([instance.held().has(first), instance.held().has(second)], [false, true]);
});

test("writes are held from when their members are known, also when they are told again", async () => {
  const { instance } = await openFixture({ mayHold: true });
  const held = instance.held();
  let before = performance.now();
  await instance.hold(NOW);
  ok(held.since >= before, "the moves of these members have time to begin");
  before = held.since;
  const { members } = held;
  await instance.hold([...NOW]);
  equal(held.members, members, "each question tells them, and not each is written to the journal");
  await instance.hold(null);
  await instance.hold([...NOW]);
  equal(held.since, before);
  await instance.hold(BEFORE);
  ok(held.since > before);
});

test("the hold is told of when only held writes are left, and of none else", async () => {
  const { instance } = await openFixture({ mayHold: true });
  let told = 0;
  instance.on("held", () => told++);
  await instance.hold(NOW);
  await create(instance, "one");
  await instance.idle();
  equal(told, 0);
  const held = await create(instance, "two", { sharers: NOW });
  while (told === 0) await new Promise(setImmediate);
  deepEqual(await leftOver(instance), [held]);
});
