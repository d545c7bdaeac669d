// What becomes of the queue when a record of the journal cannot be read while the instance runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JOURNAL_NAME } from "../../src/segment/journalfile.ts";
import type { MemoryStorage } from "../../src/storage/memory.ts";
import type { Instance } from "../../src/tasks/instance.ts";
import type { Task } from "../../src/tasks/task.ts";
import { type TaskView, viewTask } from "../../src/tasks/views.ts";
import type { FakeEngine } from "./fakeengine.ts";
import { mockTimeouts } from "./mocktimeouts.ts";
import { add, batched, openFixture, PAGE, reopen, settings, settle, swap } from "./setup.ts";

const LONG = "word ".repeat(1000);

const wordsOf = (indexUid: string, length: number) => [`${indexUid}: ${LONG.repeat(length)}`];

const change = (indexUid: string, length = 1) => settings(indexUid, { stopWords: wordsOf(indexUid, length) });

/** What is registered from now on waits until the engine is released. */
async function keepBusy(instance: Instance, engine: FakeEngine): Promise<void> {
  engine.hold();
  await add(instance, "slow", [{ id: 1 }]);
  await settle();
}

/** What waits for no clock gets on. */
async function turns(): Promise<void> {
  for (let count = 0; count < 100; count++) await new Promise((resolve) => setImmediate(resolve));
}

/** Changes a bit of the journal, behind the first such text or (-1) the last. */
function spoil(storage: MemoryStorage, text: string, which: 0 | -1 = 0): void {
  const file = storage.open(JOURNAL_NAME);
  const bytes = Buffer.alloc(file.size);
  file.readInto(bytes, 0);
  bytes[(which === 0 ? bytes.indexOf(text) : bytes.lastIndexOf(text)) + 2000] ^= 1;
  storage.create(JOURNAL_NAME).append(bytes);
}

test("a task whose record is damaged fails, the others run, and all are told of", async () => {
  const fixture = await openFixture();
  const { instance, engine } = fixture;
  await keepBusy(instance, engine);
  for (const uid of ["a", "b", "b", "c"]) await instance.register(change(uid));
  spoil(fixture.storage, "b: word");
  const listed = instance.tasks({}, PAGE, null).results;
  assert.equal(listed.length, 5);
  engine.release();
  await instance.idle();
  const ended = instance.tasks({}, PAGE, null).results;
  const failed = ended.filter(({ status }) => status === "failed");
  assert.deepEqual(
    failed.map(({ error }) => error!.code),
    ["invalid_store_file"],
  );
  assert.equal(ended.filter(({ status }) => status === "succeeded").length, 4);
  // What is told of it is lost, and the journal is sound again.
  await instance.compactQueue();
  const after = await reopen(fixture);
  const brief = ({ uid, status, error }: TaskView) => [uid, status, error];
  assert.deepEqual(after.instance.tasks({}, PAGE, null).results.map(brief), ended.map(brief));
});

test("a task whose record is damaged keeps its place among those of its index", async () => {
  const fixture = await openFixture();
  const { instance, engine } = fixture;
  await keepBusy(instance, engine);
  await instance.register(change("b"));
  await instance.register(settings("b", { stopWords: [`lost: ${LONG}`] }));
  await instance.register(change("b"));
  spoil(fixture.storage, "lost: word");
  engine.release();
  await instance.idle();
  assert.deepEqual(batched(instance), [[0], [1], [2], [3]]);
});

test("ended tasks and batches whose records are damaged are rewritten in outline", async () => {
  for (const place of [0, 1]) {
    const fixture = await openFixture();
    await fixture.instance.register(change("b"));
    await fixture.instance.idle();
    // The first is the task, the second the batch that ended it.
    spoil(fixture.storage, "b: word", place === 0 ? 0 : -1);
    const tell = ({ instance }: typeof fixture) => [
      instance.tasks({}, PAGE, null).results[0].details,
      instance.batches({}, PAGE, null).results[0].details,
    ];
    const whole = { stopWords: wordsOf("b", 1) };
    const expected = place === 0 ? [{}, whole] : [whole, {}];
    await fixture.instance.compactQueue();
    assert.deepEqual(tell(await reopen(fixture)), expected);
  }
});

test("an addition whose documents are damaged fails alone", async () => {
  const fixture = await openFixture();
  const { instance, engine } = fixture;
  await keepBusy(instance, engine);
  for (const text of ["one", "two", "three"])
    await add(instance, "a", [{ id: text, text: `${text}: ${LONG}` }]);
  for (const text of ["four"]) await add(instance, "b", [{ id: text, text: `${text}: ${LONG}` }]);
  spoil(fixture.storage, "two: word");
  spoil(fixture.storage, "four: word");
  engine.release();
  await instance.idle();
  const ended = [1, 2, 3, 4].map((uid) => instance.task(uid, null));
  assert.deepEqual(
    ended.map(({ status, error }) => error?.code ?? status),
    ["succeeded", "invalid_store_file", "succeeded", "invalid_store_file"],
  );
});

test("the ends of long tasks are told later by the names of then, without what is gone", async () => {
  const { instance } = await openFixture();
  const told: Iterable<Task>[] = [];
  instance.on("finished", (_, whole) => told.push(whole));
  await instance.register(change("a"));
  await instance.register(change("b"));
  await instance.register(swap(["a", "b"]));
  await instance.idle();
  const [[first], [second]] = [[...told[0]], [...told[1]]];
  assert.deepEqual(
    [first, second].map(({ kind }) => "indexUid" in kind && kind.indexUid),
    ["a", "b"],
  );
  assert.deepEqual(viewTask(first).details, { stopWords: wordsOf("a", 1) });
  await instance.deleteTasks({ uids: [0] }, null, "");
  await instance.idle();
  assert.deepEqual([...told[0]], []);
});

test("who cannot read the journal for a while tries again, and nothing is lost", async (context) => {
  mockTimeouts(context);
  const fixture = await openFixture({ batchTasksMax: 0 });
  await fixture.instance.register(change("a"));
  await fixture.instance.register(change("a"));
  const { instance, storage } = await reopen(fixture, { batchTasksMax: undefined });
  const open = storage.open.bind(storage);
  const troubles: Error[] = [];
  instance.on("trouble", (error) => troubles.push(error));
  await instance.compactQueue();
  storage.open = () => {
    throw new Error("no more files");
  };
  await instance.register(change("b"));
  await turns();
  assert.ok(troubles.length > 0);
  storage.open = open;
  context.mock.timers.tick(60_000);
  await turns();
  assert.ok(instance.tasks({}, PAGE, null).results.every(({ status }) => status === "succeeded"));
});

test("the end of a batch is applied without reading the journal", async () => {
  const fixture = await openFixture();
  const { instance, engine, storage } = fixture;
  engine.hold();
  for (let at = 0; at < 3; at++) {
    const ids = Array.from({ length: 1000 }, (_, id) => `document-${at}-${id}`);
    await instance.register({ type: "documentDeletion", indexUid: "a", by: "ids", ids });
    await instance.register(change("a"));
  }
  await settle();
  const open = storage.open.bind(storage);
  await instance.compactQueue();
  const read = storage.open;
  storage.open = (name) => {
    if (name === JOURNAL_NAME) throw new Error("no more files");
    return open(name);
  };
  const { taskUid } = await instance.cancelTasks(
    { types: ["settingsUpdate"] },
    null,
    "?types=settingsUpdate",
  );
  engine.release();
  await settle();
  storage.open = read;
  await instance.idle();
  const after = await reopen(fixture);
  await after.instance.idle();
  assert.equal(after.instance.task(taskUid, null).status, "succeeded");
  const ended = after.instance.tasks({}, PAGE, null).results.map(({ status }) => status);
  assert.ok(!ended.includes("enqueued"));
});

test("a cancelation tells of long tasks in outline, and of short ones as they are", async () => {
  const { instance, engine } = await openFixture();
  await keepBusy(instance, engine);
  await instance.register(change("a"));
  await instance.register(settings("b", { stopWords: ["of"] }));
  const { taskUid } = await instance.cancelTasks({ uids: [1, 2] }, null, "?uids=1,2");
  engine.release();
  await instance.idle();
  const { details, stats } = instance.batch(instance.task(taskUid, null).batchUid!, null);
  assert.deepEqual(details.stopWords, ["of"]);
  assert.deepEqual(stats.types, { settingsUpdate: 2, taskCancelation: 1 });
  assert.deepEqual(instance.task(1, null).details, { stopWords: wordsOf("a", 1) });
});

test("a batch has no more tasks than memory for them", async () => {
  const { instance, engine } = await openFixture();
  await keepBusy(instance, engine);
  for (let at = 0; at < 3; at++) await instance.register(change("a", 1500));
  for (let at = 0; at < 3; at++) await instance.register(change("b"));
  engine.release();
  await instance.idle();
  const batches = [1, 2, 3, 4, 5, 6].map((uid) => instance.task(uid, null).batchUid);
  assert.equal(new Set(batches.slice(0, 3)).size, 3);
  assert.equal(new Set(batches.slice(3)).size, 1);
});
