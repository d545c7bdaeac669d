// In which order batches run, and what each tells about why it holds what it holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseBatch } from "../../src/tasks/choice.ts";
import type { Executor } from "../../src/tasks/execution.ts";
import { succeeded } from "../../src/tasks/execution.ts";
import { Journal } from "../../src/tasks/journal.ts";
import {
  add,
  batched,
  clear,
  create,
  deleteIds,
  openFixture,
  remove,
  reopen,
  runQueued,
  settings,
  swap,
} from "./setup.ts";

test("cancelations run latest first, then deletions together, then the rest by age", async () => {
  const { instance } = await runQueued(async (queue) => {
    await add(queue, "a", [{ id: 1 }]);
    await queue.deleteTasks({ uids: [0] }, null, "?uids=0");
    await queue.cancelTasks({ uids: [5] }, null, "?uids=5");
    await add(queue, "a", [{ id: 2 }]);
    await queue.deleteTasks({ uids: [0] }, null, "?uids=0");
    await queue.cancelTasks({ uids: [2] }, null, "?uids=2");
  });
  assert.deepEqual(batched(instance), [
    [2, 5],
    [1, 4],
    [0, 3],
  ]);
  const strategies = instance.batches({}, { limit: 9, from: null, reverse: true }, null).results;
  assert.match(strategies[0].batchStrategy, /only task 5/);
  assert.match(strategies[1].batchStrategy, /after task 4: tasks of type `taskDeletion`/);
  assert.match(strategies[2].batchStrategy, /batched all enqueued tasks$/);
});

test("of urgent tasks that run one by one, the oldest is the first", async () => {
  const { instance } = await runQueued(async (queue) => {
    for (const indexUid of ["a", "b", "c"]) await queue.register({ type: "indexCompaction", indexUid });
  });
  assert.deepEqual(batched(instance), [[0], [1], [2]]);
});

test("what joins a batch depends on whether its index is there, and on the key that it has", async () => {
  const fixture = await openFixture();
  await fixture.instance.register(create("a", "id"));
  await fixture.instance.idle();
  const queued = await reopen(fixture, { batchTasksMax: 0 });
  for (const indexUid of ["a", "missing"]) {
    await queued.instance.register(deleteIds(indexUid, "1"));
    await add(queued.instance, indexUid, [{ id: 1 }]);
  }
  await add(queued.instance, "a", [{ id: 1 }], { method: "update", primaryKey: "other" });
  await add(queued.instance, "a", [{ id: 2 }]);
  const { instance } = await reopen(queued);
  await instance.idle();
  assert.deepEqual(batched(instance), [[0], [1, 2], [3], [4], [5], [6]]);
});

test("an urgent task runs however much memory it takes, others wait for their turn", async () => {
  const { storage, instance } = await openFixture({ batchTasksMax: 0 });
  await add(instance, "a", [{ id: 1 }]);
  for (let turn = 0; turn < 2; turn++) await instance.deleteTasks({ uids: [0] }, null, "?uids=0");
  await instance.close();
  const journal = Journal.open(storage);
  // Small tasks count as none: there is not even room for that.
  const plan = chooseBatch(journal.state, { tasksMax: 9, payloadBytesMax: 9, memoryBytesMax: -1 });
  assert.deepEqual(
    plan?.tasks.map(({ uid }) => uid),
    [1],
  );
  await journal.close();
});

test("tasks of other indexes in between are skipped, order inside an index is kept", async () => {
  const { instance, engine } = await runQueued(async (queue) => {
    await add(queue, "a", [{ id: 1 }]);
    await add(queue, "b", [{ id: 1 }]);
    await queue.register(deleteIds("a", "1"));
    await queue.register(settings("a"));
    await add(queue, "a", [{ id: 2 }]);
  });
  assert.deepEqual(batched(instance), [[0, 2], [1], [3], [4]]);
  assert.deepEqual(engine.asked, [["add 0", "deleteIds 2"], ["add 1"], ["settings 3"], ["add 4"]]);
  const [first] = instance.batches(
    { batchUids: [0] },
    { limit: 1, from: null, reverse: false },
    null,
  ).results;
  assert.match(first.batchStrategy, /before task 3/);
});

test("a swap waits for what stands before it and blocks what stands behind it", async () => {
  const { instance } = await runQueued(async (queue) => {
    await add(queue, "a", [{ id: 1 }]);
    await add(queue, "b", [{ id: 2 }]);
    await queue.register(swap(["a", "b"]));
    await add(queue, "a", [{ id: 3 }]);
    await queue.register(clear("b"));
  });
  assert.deepEqual(batched(instance), [[0], [1], [2], [3], [4]]);
});

test("a batch of everything says so; one of all tasks of an index names it", async () => {
  const { instance } = await runQueued(async (queue) => {
    await add(queue, "a", [{ id: 1 }]);
    await queue.register(create("b"));
    await queue.register(remove("b"));
  });
  const texts = instance.batches({}, { limit: 9, from: null, reverse: true }, null).results;
  assert.match(texts[0].batchStrategy, /all enqueued tasks for index `a`/);
  assert.match(texts[1].batchStrategy, /only task 1: tasks of type `indexCreation`/);
  assert.match(texts[2].batchStrategy, /it deletes the index/);
});

test("a limit of 0 tasks stops all processing", async () => {
  const { instance } = await runQueued((queue) => add(queue, "a", [{ id: 1 }]), { batchTasksMax: 1 });
  assert.equal(instance.task(0, null).status, "succeeded");
  await instance.close();
});

test("a task that was put off runs together with a newer one, not behind it, where they may", async () => {
  const batches: number[][] = [];
  const networkTopologyChange: Executor = async (tasks) => {
    batches.push(tasks.map(({ uid }) => uid));
    if (batches.length === 1) return { waitMs: 60_000 };
    return { ends: tasks.map((task) => succeeded(task)) };
  };
  const { instance } = await openFixture({ executors: { networkTopologyChange } });
  await instance.register({ type: "networkTopologyChange", members: ["a"] });
  while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await instance.register({ type: "networkTopologyChange", members: ["a", "b"] });
  await instance.idle();
  assert.deepEqual(batches, [[0], [0, 1]]);
});

test("between two tries of tasks that are put off, another one runs", { timeout: 10_000 }, async () => {
  const tried: string[] = [];
  const target: Executor = async ([task]) => {
    tried.push("export");
    await new Promise((resolve) => setTimeout(resolve, 5));
    return tried.includes("5") ? { ends: [succeeded(task)] } : { waitMs: 1 };
  };
  const { instance } = await openFixture({ executors: { export: target }, batchTasksMax: 1 });
  instance.on("finished", ([{ uid, kind }]) => kind.type === "indexCreation" && tried.push(String(uid)));
  for (let exports = 0; exports < 3; exports++)
    await instance.register({ type: "export", url: "", apiKey: null, payloadSize: null, indexes: {} });
  for (const uid of ["a", "b", "c"]) await instance.register(create(uid));
  await instance.idle();
  const between = tried.slice(tried.indexOf("3"), tried.indexOf("5") + 1);
  assert.deepEqual(between, ["3", "export", "4", "export", "5"]);
  assert.equal(tried.indexOf("3"), 1, "others need not wait for the first try of each");
});

test("who waits until nothing is left to do is told when nothing will be done any more", async () => {
  const { instance } = await openFixture({ batchTasksMax: 0 });
  await instance.register(create("ferns"));
  const idle = instance.idle();
  await instance.close();
  await Promise.all([idle, instance.idle()]);
});
