// Filters, pages and visibility of tasks and batches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { add, create, openHouse, PAGE, rename, settings, settle, swap, uids } from "./setup.ts";

async function sixTasks() {
  const house = await openHouse();
  const { instance } = house;
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
  return house;
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

test("a running batch is found as processing, its tasks are not enqueued", async () => {
  const { instance, engine } = await openHouse();
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
