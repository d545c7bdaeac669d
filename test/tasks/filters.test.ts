// Filters, pages and visibility of tasks and batches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { packBatchBody } from "../../src/tasks/batchtable.ts";
import { pack } from "../../src/tasks/codec.ts";
import { packRecord, unpackRecord } from "../../src/tasks/records.ts";
import { State } from "../../src/tasks/state.ts";
import { add, create, openFixture, PAGE, rename, reopen, settings, settle, swap, uids } from "./setup.ts";

async function sixTasks() {
  const fixture = await openFixture();
  const { instance } = fixture;
  for (const write of [
    () => instance.register(create("ferns")),
    () => add(instance, "ferns", [{ id: 1 }]),
    () => add(instance, "mosses", [{ name: 1 }]),
    () => instance.register(settings("ferns")),
    () => instance.register(rename("mosses", "lichens")),
    () => instance.register(swap(["ferns", "lichens"])),
  ]) {
    await write();
    await instance.idle();
  }
  return fixture;
}

test("values of a field are alternatives, fields are combined", async () => {
  const { instance } = await sixTasks();
  assert.deepEqual(uids(instance, { uids: [3, 1, 99, 1] }), [1, 3]);
  assert.deepEqual(uids(instance, { statuses: ["failed"] }), [2]);
  assert.deepEqual(uids(instance, { types: ["indexCreation", "settingsUpdate"] }), [0, 3]);
  assert.deepEqual(uids(instance, { batchUids: [0, 2] }), [0, 2]);
  assert.deepEqual(uids(instance, { types: ["documentAdditionOrUpdate"], statuses: ["succeeded"] }), [1]);
  assert.deepEqual(uids(instance, { uids: [] }), []);
  assert.deepEqual(uids(instance, { types: [] }), []);
  assert.deepEqual(uids(instance, { canceledBy: [0] }), []);
  // After the swap; the rename touches its old name too, the swap is a global task.
  assert.deepEqual(uids(instance, { indexUids: ["lichens"] }), [0, 1, 3]);
  assert.deepEqual(uids(instance, { indexUids: ["ferns", "nothing"] }), [2, 4]);
  assert.deepEqual(uids(instance, { indexUids: ["Ferns"] }), []);
});

test("dates exclude their ends", async () => {
  const { instance } = await sixTasks();
  const moment = (uid: number, key: "enqueuedAt" | "startedAt" | "finishedAt") => {
    const text = instance.task(uid, null)[key]!;
    const [seconds, fraction = ""] = text.slice(0, -1).split(".");
    return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, "0"));
  };
  for (const field of ["enqueuedAt", "startedAt", "finishedAt"] as const) {
    assert.deepEqual(uids(instance, { [field]: { after: moment(2, field) } }), [3, 4, 5], field);
    assert.deepEqual(uids(instance, { [field]: { before: moment(2, field) } }), [0, 1], field);
    const inside = { after: moment(1, field), before: moment(4, field) };
    assert.deepEqual(uids(instance, { [field]: inside }), [2, 3], field);
    assert.equal(instance.batches({ [field]: inside }, PAGE, null).total, 2);
  }
});

test("a moment that has not come is before none", async () => {
  const { instance } = await openFixture({ batchTasksMax: 0 });
  await instance.register(create("ferns"));
  for (const field of ["startedAt", "finishedAt"] as const)
    assert.deepEqual(uids(instance, { [field]: { before: Number.MAX_SAFE_INTEGER } }), [], field);
  assert.deepEqual(uids(instance, { enqueuedAt: { before: Number.MAX_SAFE_INTEGER } }), [0]);
});

test("pages walk down from the newest, or up when reversed", async () => {
  const { instance } = await sixTasks();
  const page = (paging: Partial<typeof PAGE>, filter = {}) => {
    const { results, ...rest } = instance.tasks(filter, { ...PAGE, ...paging }, null);
    return { uids: results.map(({ uid }) => uid), ...rest };
  };
  assert.deepEqual(page({ limit: 2 }), { uids: [5, 4], total: 6, limit: 2, from: 5, next: 3 });
  assert.deepEqual(page({ limit: 2, from: 1 }), { uids: [1, 0], total: 6, limit: 2, from: 1, next: null });
  assert.deepEqual(page({ limit: 1, from: 100 }), { uids: [5], total: 6, limit: 1, from: 5, next: 4 });
  assert.deepEqual(page({ limit: 0 }), { uids: [], total: 6, limit: 0, from: null, next: 5 });
  assert.deepEqual(page({ limit: 2, reverse: true }), { uids: [0, 1], total: 6, limit: 2, from: 0, next: 2 });
  assert.deepEqual(page({ limit: 9, reverse: true, from: 4 }).uids, [4, 5]);
  assert.deepEqual(page({ limit: 1 }, { statuses: ["failed"] }), {
    uids: [2],
    total: 1,
    limit: 1,
    from: 2,
    next: null,
  });
});

test("a limited key sees neither global tasks nor tasks that touch a hidden index", async () => {
  const { instance } = await sixTasks();
  const visible = (uid: string) => uid === "lichens";
  const { results, total } = instance.tasks({}, PAGE, visible);
  assert.deepEqual(
    results.map(({ uid }) => uid),
    [3, 1, 0],
  );
  assert.equal(total, 6);
  assert.throws(() => instance.task(4, visible), { code: "task_not_found" });
  assert.deepEqual(
    instance.batches({}, PAGE, visible).results.map(({ uid }) => uid),
    [3, 1, 0],
  );
  assert.throws(() => instance.batch(5, visible), { code: "batch_not_found" });
  assert.deepEqual(
    instance.indexes(0, 20, visible).results.map(({ uid }) => uid),
    ["lichens"],
  );
});

test("batches are chosen by the tasks in them", async () => {
  const { instance } = await sixTasks();
  const found = (filter: object) =>
    instance.batches(filter, { ...PAGE, reverse: true }, null).results.map(({ uid }) => uid);
  assert.deepEqual(found({ uids: [1, 4] }), [1, 4]);
  assert.deepEqual(found({ batchUids: [2] }), [2]);
  assert.deepEqual(found({ statuses: ["failed"] }), [2]);
  assert.deepEqual(found({ statuses: ["enqueued"] }), []);
  assert.deepEqual(found({ types: ["settingsUpdate", "indexCreation"] }), [0, 3]);
  assert.deepEqual(found({ types: ["dumpCreation"] }), []);
  assert.deepEqual(found({ types: [] }), []);
  assert.equal(instance.batches({}, { ...PAGE, limit: 1 }, null).next, 4);
});

test("batches are found by the names that their indexes had then", async () => {
  const fixture = await sixTasks();
  const found = (instance: typeof fixture.instance, ...indexUids: string[]) =>
    instance.batches({ indexUids }, { ...PAGE, reverse: true }, null).results.map(({ uid }) => uid);
  const expected = (instance: typeof fixture.instance) => {
    assert.deepEqual(found(instance, "ferns"), [0, 1, 3]);
    assert.deepEqual(found(instance, "mosses"), [2, 4]);
    assert.deepEqual(found(instance, "lichens"), [4]);
    assert.deepEqual(found(instance, "lichens", "ferns", "nothing"), [0, 1, 3, 4]);
    assert.deepEqual(found(instance, "nothing"), []);
    assert.deepEqual(instance.batch(0, null).stats.indexUids, { ferns: 1 });
  };
  expected(fixture.instance);
  const replayed = await reopen(fixture);
  expected(replayed.instance);
  await replayed.instance.compactQueue();
  expected((await reopen(replayed)).instance);
});

test("batches that an older version wrote are found by the names in their counts", () => {
  const state = new State();
  const stats = { totalNbTasks: 2, status: {}, types: {}, indexUids: { ferns: 1, mosses: 1 } };
  const body = packBatchBody({ details: {}, stats, strategy: "" });
  state.apply(unpackRecord(pack(["batch", 4, 1, 2, 1, 1, body])));
  const names = state.batches.indexesAt(0).map((number) => state.tasks.names.name(number));
  assert.deepEqual(names, ["ferns", "mosses"]);
  const [rewritten] = [...state.snapshot()].filter(({ type }) => type === "batch");
  const again = unpackRecord(packRecord(rewritten));
  assert.deepEqual(again.type === "batch" && again.batch.indexes, names);
});

test("canceled tasks of several indexes share a batch that is found by each of them", async () => {
  const fixture = await openFixture();
  fixture.engine.hold();
  await add(fixture.instance, "slow", [{ id: 1 }]);
  await settle();
  for (const uid of ["ferns", "mosses"]) await fixture.instance.register(create(uid));
  await fixture.instance.cancelTasks({ uids: [1, 2] }, null, "?uids=1,2");
  assert.equal(fixture.instance.batches({ indexUids: ["slow"] }, PAGE, null).results[0].uid, 0);
  fixture.engine.release();
  await fixture.instance.idle();
  await fixture.instance.compactQueue();
  const { instance } = await reopen(fixture);
  for (const uid of ["ferns", "mosses"])
    assert.equal(instance.batches({ indexUids: [uid] }, PAGE, null).results[0].uid, 1);
  await instance.deleteTasks({ statuses: ["canceled", "succeeded"] }, null, "?statuses=canceled,succeeded");
  await instance.idle();
  assert.equal(instance.batches({ indexUids: ["ferns", "slow"] }, PAGE, null).total, 0);
});

test("the batch of a cancelation is found by it, whether it canceled anything or not", async () => {
  const { instance } = await openFixture();
  await instance.register(create("ferns"));
  await instance.idle();
  await instance.cancelTasks({ uids: [0] }, null, "?uids=0");
  await instance.idle();
  const found = (canceledBy: number[]) =>
    instance.batches({ canceledBy }, PAGE, null).results.map(({ uid }) => uid);
  assert.deepEqual(found([1]), [1]);
  assert.deepEqual(found([0, 7]), []);
  assert.deepEqual(uids(instance, { canceledBy: [1] }), []);
});

test("a running batch is found as processing, its tasks are not enqueued", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  await settle();
  await add(instance, "ferns", [{ id: 2 }]);
  assert.deepEqual(uids(instance, { statuses: ["processing"] }), [0]);
  assert.deepEqual(uids(instance, { statuses: ["enqueued"] }), [1]);
  assert.equal(instance.batches({ statuses: ["processing"] }, PAGE, null).results[0].uid, 0);
  assert.equal(instance.batches({ startedAt: { after: 0 } }, PAGE, null).total, 1);
  engine.release();
  await instance.idle();
});

test("a batch shows to each key only what its visible tasks tell", async () => {
  const fixture = await openFixture({ batchTasksMax: 0 });
  await fixture.instance.register(settings("a", { stopWords: ["of"] }));
  await fixture.instance.register(settings("secret", { stopWords: ["payroll"] }));
  await fixture.instance.cancelTasks({ statuses: ["enqueued"] }, null, "?statuses=enqueued");
  const { instance } = await reopen(fixture);
  await instance.idle();
  const whole = instance.batch(0, null);
  assert.deepEqual(Object.keys(whole.stats.indexUids), ["a", "secret"]);
  assert.equal(whole.details.matchedTasks, 2);
  for (const shown of [
    instance.batch(0, (uid) => uid === "a"),
    instance.batches({}, PAGE, (uid) => uid === "a").results[0],
  ]) {
    assert.deepEqual(shown.details, { stopWords: ["of"] });
    const counts = { status: { canceled: 1 }, types: { settingsUpdate: 1 }, indexUids: { a: 1 } };
    assert.deepEqual(shown.stats, { totalNbTasks: 1, ...counts });
    assert.equal(shown.batchStrategy, whole.batchStrategy);
  }
  assert.deepEqual(instance.batches({}, PAGE, () => false).results, []);
});

test("a batch shows a key no name that its index had before", async () => {
  const { instance } = await openFixture();
  for (const uid of ["secret", "seen"]) await instance.register(create(uid));
  await instance.register(swap(["secret", "seen"]));
  await instance.idle();
  const shown = instance.batches({}, PAGE, (uid) => uid === "seen").results;
  assert.equal(shown.length, 1);
  assert.deepEqual(shown[0].stats.indexUids, { seen: 1 });
  assert.doesNotMatch(JSON.stringify(shown), /secret/);
});

test("why a batch was cut is told to a key, unless the words may name an index of another name", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "slow", [{ id: 1 }]);
  await settle();
  for (const uid of ["secret", "secret", "other"]) await instance.register(settings(uid));
  engine.release();
  await instance.idle();
  const told = (name: string) =>
    instance.batches({}, PAGE, (uid) => uid === name).results.map(({ batchStrategy }) => batchStrategy);
  assert.deepEqual(told("secret"), ["batched all enqueued tasks for index `secret`"]);
  await instance.register(rename("secret", "seen"));
  await instance.idle();
  assert.deepEqual(told("seen"), ["unspecified"]);
});

test("a batch shows no former name when tasks of it are gone, and is found by that of today", async () => {
  const { instance, engine } = await openFixture();
  for (const [before, now] of [
    ["secret", "seen"],
    // A name that every object has.
    ["hidden", "toString"],
  ]) {
    engine.hold();
    await add(instance, "slow", [{ id: 1 }]);
    await settle();
    const { taskUid } = await instance.register(settings(before, { stopWords: ["of"] }));
    await instance.register(settings(before, { stopWords: ["in"] }));
    await instance.register(rename(before, now));
    engine.release();
    await instance.idle();
    const visible = (uid: string) => uid === now;
    const telling = () => JSON.stringify(instance.batches({}, PAGE, visible).results);
    assert.doesNotMatch(telling(), new RegExp(before));
    const found = (indexUids: string[]) => instance.batches({ indexUids }, PAGE, visible).results.length;
    assert.deepEqual([found([before]), found([now])], [0, 1]);
    await instance.deleteTasks({ uids: [taskUid] }, visible, "");
    await instance.idle();
    assert.equal(found([now]), 1);
    assert.doesNotMatch(telling(), new RegExp(before));
  }
});

test("a page that is made while tasks go and names move shows nothing that a key may not see", async () => {
  const { instance } = await openFixture();
  await instance.register(create("other"));
  for (const uid of ["seen", "secret", "seen", "secret", "seen"]) {
    await instance.register(settings(uid, { stopWords: [uid] }));
    await instance.idle();
  }
  const visible = (uid: string) => uid === "seen";
  const pages = () => [instance.batchPage({}, PAGE, visible), instance.taskPage({}, PAGE, visible)] as const;
  const told = (made: ReturnType<typeof pages>) =>
    made.map(({ uids, viewOf }) => uids.map((uid) => viewOf(uid)).filter((view) => view !== null));
  const made = pages();
  const before = told(made);
  assert.deepEqual(
    before.map(({ length }) => length),
    [3, 3],
  );
  await instance.deleteTasks({ uids: [0, 1] }, null, "");
  await instance.idle();
  assert.deepEqual(
    told(made),
    before.map((views) => views.slice(0, 2)),
  );
  await instance.register(swap(["seen", "secret"]));
  await instance.idle();
  assert.deepEqual(told(made), [[], []]);
  await instance.deleteTasks({ types: ["settingsUpdate"] }, null, "");
  await instance.idle();
  assert.deepEqual(told(made), [[], []]);
});
