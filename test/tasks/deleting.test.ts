// Deletions of tasks, asked for and automatic.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JOURNAL_BYTES_MAX } from "../../src/limits.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { Cleanup } from "../../src/tasks/cleanup.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { Journal } from "../../src/tasks/journal.ts";
import type { TaskKind } from "../../src/tasks/kinds.ts";
import { Payloads } from "../../src/tasks/payloads.ts";
import { Registrar } from "../../src/tasks/registrar.ts";
import type { TaskBody } from "../../src/tasks/task.ts";
import { Clock, momentText } from "../../src/tasks/time.ts";
import { FakeEngine } from "./fakeengine.ts";
import { add, batched, create, openFixture, reopen, runQueued, settle, uids } from "./setup.ts";

test("ended tasks and the batches they leave empty are removed, also after a restart", async () => {
  let fixture = await openFixture();
  await fixture.instance.register(create("ferns"));
  await add(fixture.instance, "ferns", [{ id: 1 }]);
  await fixture.instance.idle();
  await fixture.instance.deleteTasks({ uids: [0, 77] }, null, "?uids=0,77");
  await fixture.instance.idle();
  for (let turn = 0; turn < 2; turn++) {
    const { instance } = fixture;
    assert.deepEqual(instance.task(2, null).details, {
      matchedTasks: 1,
      deletedTasks: 1,
      originalFilter: "?uids=0,77",
    });
    assert.throws(() => instance.task(0, null), { code: "task_not_found" });
    assert.throws(() => instance.batch(0, null), { code: "batch_not_found" });
    assert.deepEqual(batched(instance), [[1], [2]]);
    fixture = await reopen(fixture);
  }
});

test("uids of deleted tasks never come back", async () => {
  const fixture = await openFixture();
  await fixture.instance.register(create("ferns"));
  await fixture.instance.idle();
  await fixture.instance.deleteTasks({ statuses: ["succeeded"] }, null, "?statuses=succeeded");
  await fixture.instance.idle();
  await fixture.instance.deleteTasks({ statuses: ["succeeded"] }, null, "?statuses=succeeded");
  await fixture.instance.idle();
  const { instance } = await reopen(fixture);
  assert.deepEqual(uids(instance), [2]);
  assert.equal((await instance.register(create("mosses"))).taskUid, 3);
});

test("waiting and running tasks are matched and stay", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "slow", [{ id: 1 }]);
  await instance.register(create("mosses"));
  await settle();
  await instance.deleteTasks({ uids: [0, 1] }, null, "?uids=0,1");
  engine.release();
  await instance.idle();
  // By the time the deletion runs, the first task has ended.
  assert.deepEqual(instance.task(2, null).details, {
    matchedTasks: 2,
    deletedTasks: 1,
    originalFilter: "?uids=0,1",
  });
  assert.deepEqual(uids(instance), [1, 2]);
});

test("a batch that keeps some of its tasks stays as it was", async () => {
  const { instance } = await runQueued(async (queue) => {
    await add(queue, "ferns", [{ id: 1 }]);
    await add(queue, "ferns", [{ id: 2 }]);
  });
  await instance.deleteTasks({ uids: [0] }, null, "?uids=0");
  await instance.idle();
  assert.equal(instance.batch(0, null).stats.totalNbTasks, 2);
  assert.deepEqual(uids(instance, { batchUids: [0] }), [1]);
});

test("of overlapping deletions the first one counts a task", async () => {
  const fixture = await openFixture();
  for (const uid of ["a", "b", "c"]) await fixture.instance.register(create(uid));
  await fixture.instance.idle();
  fixture.engine.hold();
  await add(fixture.instance, "slow", [{ id: 1 }]);
  await settle();
  await fixture.instance.deleteTasks({ uids: [0, 1] }, null, "?uids=0,1");
  await fixture.instance.deleteTasks({ uids: [1, 2] }, null, "?uids=1,2");
  fixture.engine.release();
  await fixture.instance.idle();
  assert.equal(fixture.instance.task(4, null).details?.deletedTasks, 2);
  assert.equal(fixture.instance.task(5, null).details?.deletedTasks, 1);
  assert.equal(fixture.instance.task(4, null).batchUid, fixture.instance.task(5, null).batchUid);
});

test("a queue that grew too long is shortened by a deletion of its oldest ended tasks", async () => {
  const { storage, instance } = await openFixture();
  for (const uid of ["a", "b", "c", "d"]) await instance.register(create(uid));
  await instance.idle();
  await instance.close();
  const journal = Journal.open(storage);
  const registrar = new Registrar(journal, new Payloads(storage), new Clock());
  await new Cleanup(journal.state, registrar, 5).run();
  assert.equal(journal.state.tasks.size, 4, "not yet long enough");
  await registrar.register(create("waiting"));
  const cleanup = new Cleanup(journal.state, registrar, 5);
  await Promise.all([cleanup.run(), cleanup.run()]);
  await cleanup.run();
  await journal.close();
  const again = await Instance.open({ storage, engine: new FakeEngine(storage) });
  await again.idle();
  assert.deepEqual(uids(again), [4, 5]);
  const { type, details } = again.task(5, null);
  assert.deepEqual([type, details?.matchedTasks, details?.deletedTasks], ["taskDeletion", 4, 4]);
  assert.match(
    String(details?.originalFilter),
    /^\?beforeEnqueuedAt=\d{4}.*Z&statuses=succeeded,failed,canceled$/,
  );
});

test("a queue is shortened again and again, by what is older than the first that stays", async () => {
  const { instance, storage } = await openFixture();
  for (const uid of ["a", "b", "c"]) await instance.register(create(uid));
  await instance.idle();
  const dates = [0, 1, 2].map((uid) => instance.task(uid, null).enqueuedAt);
  await instance.close();
  const journal = Journal.open(storage);
  const kinds: TaskKind[] = [];
  let isFull = false;
  // The deletions have ended when the next one is due.
  const add = async ({ kind }: TaskBody) => {
    if (isFull) throw new Error("no room");
    kinds.push(kind);
    return { uid: 99 };
  };
  const cleanup = new Cleanup(journal.state, { add } as unknown as Registrar, 3);
  await cleanup.run();
  isFull = true;
  await assert.rejects(cleanup.run(), /no room/);
  isFull = false;
  const { enqueuedAt } = await new Registrar(journal, new Payloads(storage), new Clock()).register(
    create("d"),
  );
  await cleanup.run();
  const told = kinds.map((kind) => kind.type === "taskDeletion" && kind.originalFilter);
  // Of a queue in which all have ended, nothing stays that could say how old.
  assert.deepEqual(told, [
    `?beforeEnqueuedAt=${dates[2]}&statuses=succeeded,failed,canceled`,
    `?beforeEnqueuedAt=${momentText(enqueuedAt)}&statuses=succeeded,failed,canceled`,
  ]);
  await journal.close();
});

test("a long queue in which hardly a task has ended is left as it is", async () => {
  const { storage, instance } = await openFixture();
  await instance.register(create("a"));
  await instance.idle();
  await instance.close();
  const journal = Journal.open(storage);
  const registrar = new Registrar(journal, new Payloads(storage), new Clock());
  for (const uid of ["b", "c"]) await registrar.register(create(uid));
  await new Cleanup(journal.state, registrar, 3).run();
  assert.equal(journal.state.tasks.size, 3);
  await journal.close();
});

test("a full queue takes no more tasks than those that shorten it", async () => {
  const storage = new MemoryStorage();
  const journal = Journal.open(storage);
  const full = Object.create(journal, { bytes: { value: JOURNAL_BYTES_MAX } });
  const registrar = new Registrar(full, new Payloads(storage), new Clock());
  await assert.rejects(registrar.register(create("a")), {
    code: "no_space_left_on_device",
    message: /delete ended tasks/,
  });
  await journal.close();
});
