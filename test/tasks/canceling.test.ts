// Cancelations: of waiting, running and ended tasks.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  batched,
  create,
  openFixture,
  reopen,
  runQueued,
  settings,
  settle,
  statuses,
  uids,
} from "./setup.ts";

test("waiting tasks are canceled and share the batch and the dates of the cancelation", async () => {
  const { instance, engine, storage } = await openFixture();
  engine.hold();
  await add(instance, "slow", [{ id: 1 }]);
  await add(instance, "ferns", [{ id: 1 }]);
  await instance.register(create("mosses", "id"));
  await instance.register(settings("ferns"));
  await instance.cancelTasks({ uids: [1, 2] }, null, "?uids=1,2");
  engine.release();
  await instance.idle();
  const canceled = instance.task(1, null);
  const cancelation = instance.task(4, null);
  assert.deepEqual(cancelation.details, { matchedTasks: 2, canceledTasks: 2, originalFilter: "?uids=1,2" });
  assert.deepEqual([canceled.status, canceled.canceledBy, canceled.error], ["canceled", 4, null]);
  assert.deepEqual(canceled.details, { receivedDocuments: 1, indexedDocuments: 0 });
  for (const key of ["batchUid", "startedAt", "finishedAt", "duration"] as const) {
    assert.equal(canceled[key], cancelation[key]);
  }
  assert.deepEqual(instance.task(2, null).details, { primaryKey: "id" });
  assert.equal(instance.batch(cancelation.batchUid!, null).stats.totalNbTasks, 3);
  assert.deepEqual(instance.batch(cancelation.batchUid!, null).stats.status, { succeeded: 1, canceled: 2 });
  assert.deepEqual(uids(instance, { canceledBy: [4] }), [1, 2]);
  assert.deepEqual(batched(instance), [[0], [1, 2, 4], [3]]);
  assert.throws(() => instance.index("mosses"), { code: "index_not_found" });
  assert.deepEqual(storage.list("payloads"), []);
});

test("those that end together are told in the order of their numbers", async () => {
  const fixture = await openFixture({ batchTasksMax: 0 });
  for (const uid of ["a", "b"]) await fixture.instance.register(create(uid));
  await fixture.instance.cancelTasks({ uids: [0, 1] }, null, "?uids=0,1");
  const { instance } = await reopen(fixture);
  const told: number[][] = [];
  instance.on("finished", (tasks) => told.push(tasks.map(({ uid }) => uid)));
  await instance.idle();
  assert.deepEqual(told, [[0, 1, 2]]);
});

test("a canceled task is not run by a batch of those around it", async () => {
  const { instance } = await runQueued(async (queue) => {
    for (const id of [1, 2, 3]) await add(queue, "ferns", [{ id }]);
    await queue.cancelTasks({ uids: [1] }, null, "?uids=1");
  });
  assert.deepEqual(batched(instance), [
    [1, 3],
    [0, 2],
  ]);
  assert.deepEqual(statuses(instance), ["0 succeeded", "1 canceled", "2 succeeded", "3 succeeded"]);
  assert.equal(instance.stats("ferns").description.numberOfDocuments, 2);
});

test("a running batch is stopped, its uid goes to the cancelation, the index it created stays", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  await settle();
  assert.equal(instance.task(0, null).status, "processing");
  await instance.cancelTasks({ statuses: ["processing", "enqueued"] }, null, "?statuses=processing,enqueued");
  await instance.idle();
  assert.deepEqual(statuses(instance), ["0 canceled", "1 succeeded"]);
  assert.deepEqual(instance.task(1, null).details?.canceledTasks, 1);
  assert.equal(instance.task(0, null).startedAt, instance.task(1, null).startedAt);
  assert.deepEqual(batched(instance), [[0, 1]]);
  assert.equal(instance.stats("ferns").description.numberOfDocuments, 0);
});

test("a task that was stopped beside the canceled one runs again", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "other", [{ id: 1 }]);
  await add(instance, "ferns", [{ id: 1 }]);
  await add(instance, "ferns", [{ id: 2 }]);
  engine.release();
  await settle();
  await instance.idle();
  engine.hold();
  await add(instance, "ferns", [{ id: 3 }]);
  await settle();
  await add(instance, "ferns", [{ id: 4 }]);
  await instance.cancelTasks({ uids: [3] }, null, "?uids=3");
  engine.release();
  await instance.idle();
  assert.deepEqual(statuses(instance).slice(3), ["3 canceled", "4 succeeded", "5 succeeded"]);
  assert.equal(instance.stats("ferns").description.numberOfDocuments, 3);
});

test("ended tasks are matched and not canceled; matching nothing succeeds", async () => {
  const { instance } = await openFixture();
  await instance.register(create("ferns"));
  await instance.idle();
  await instance.cancelTasks({ uids: [0, 77] }, null, "?uids=0,77");
  await instance.cancelTasks({ indexUids: ["nothing"] }, null, "?indexUids=nothing");
  await instance.idle();
  assert.deepEqual(instance.task(1, null).details, {
    matchedTasks: 1,
    canceledTasks: 0,
    originalFilter: "?uids=0,77",
  });
  assert.equal(instance.task(2, null).details?.matchedTasks, 0);
  assert.equal(instance.task(0, null).status, "succeeded");
});

test("a cancelation that waits can itself be canceled by a later one", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "slow", [{ id: 1 }]);
  await add(instance, "ferns", [{ id: 1 }]);
  await settle();
  await instance.cancelTasks({ uids: [1] }, null, "?uids=1");
  await instance.cancelTasks({ types: ["taskCancelation"] }, null, "?types=taskCancelation");
  engine.release();
  await instance.idle();
  assert.deepEqual(statuses(instance), ["0 succeeded", "1 succeeded", "2 canceled", "3 succeeded"]);
});

test("a limited key matches only the tasks it can see", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "slow", [{ id: 1 }]);
  await add(instance, "ferns", [{ id: 1 }]);
  await settle();
  await instance.cancelTasks(
    { statuses: ["enqueued", "processing"] },
    (uid) => uid === "ferns",
    "?statuses=*",
  );
  engine.release();
  await instance.idle();
  assert.deepEqual(statuses(instance), ["0 succeeded", "1 canceled", "2 succeeded"]);
});
