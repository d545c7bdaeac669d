// What tasks and batches say after, and before, their end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { briefly } from "../../src/tasks/batchresult.ts";
import type { DocumentEdition } from "../../src/tasks/kinds.ts";
import {
  add,
  batched,
  clear,
  create,
  deleteFilter,
  deleteIds,
  openFixture,
  remove,
  reopen,
  runQueued,
  settings,
  statuses,
  swap,
} from "./setup.ts";

test("an index is created with its key, and not a second time", async () => {
  const { instance } = await openFixture();
  await instance.register(create("ferns", "sku"));
  await instance.register(create("ferns"));
  await instance.idle();
  const { createdAt, updatedAt, ...index } = instance.index("ferns");
  assert.deepEqual(index, { uid: "ferns", primaryKey: "sku" });
  assert.ok(updatedAt >= createdAt);
  assert.equal(instance.task(0, null).status, "succeeded");
  assert.equal(instance.task(1, null).error?.code, "index_already_exists");
  assert.throws(() => instance.index("mosses"), { code: "index_not_found" });
});

test("an addition creates the index only when it may", async () => {
  const { instance } = await openFixture();
  await add(instance, "ferns", [{ id: 1 }], { mayCreate: false });
  await add(instance, "mosses", [{ id: 1 }, { id: 2 }, { id: 2 }]);
  await instance.idle();
  assert.equal(instance.task(0, null).error?.code, "index_not_found");
  assert.deepEqual(instance.task(0, null).details, { receivedDocuments: 1, indexedDocuments: 0 });
  assert.deepEqual(instance.task(1, null).details, { receivedDocuments: 3, indexedDocuments: 2 });
  assert.deepEqual(
    instance.indexes(0, 20, null).results.map(({ uid }) => uid),
    ["mosses"],
  );
});

test("a bad payload fails its own task only", async () => {
  const { instance } = await runQueued(async (queue) => {
    await add(queue, "ferns", [{ id: 1 }]);
    await add(queue, "ferns", [{ nothing: 1 }]);
    await add(queue, "ferns", [{ id: 2 }]);
  });
  assert.deepEqual(
    [0, 1, 2].map((uid) => instance.task(uid, null).status),
    ["succeeded", "failed", "succeeded"],
  );
  const batch = instance.batch(0, null);
  assert.deepEqual(batch.details, { receivedDocuments: 3, indexedDocuments: 2 });
  assert.deepEqual(batch.stats.status, { succeeded: 2, failed: 1 });
  assert.deepEqual(batch.stats.types, { documentAdditionOrUpdate: 3 });
  assert.deepEqual(batch.stats.indexUids, { ferns: 3 });
});

test("an error of the whole batch fails every task, the index that was created stays", async () => {
  const fixture = await openFixture({ batchTasksMax: 0 });
  await add(fixture.instance, "ferns", [{ id: 1 }]);
  await fixture.instance.register(deleteIds("ferns", "1"));
  fixture.engine.failNext = new TarsierError("vector_embedding_error", {
    embedder: "e",
    reason: "no answer",
  });
  const { instance, engine } = await reopen(fixture);
  await instance.idle();
  assert.deepEqual(
    [0, 1].map((uid) => instance.task(uid, null).error?.code),
    Array(2).fill("vector_embedding_error"),
  );
  assert.equal(instance.index("ferns").primaryKey, null);
  engine.failNext = new Error("segmentation fault");
  await add(instance, "ferns", [{ id: 1 }]);
  await instance.idle();
  assert.equal(instance.task(2, null).error?.code, "internal");
  assert.match(instance.task(2, null).error!.message, /segmentation fault/);
});

test("additions before a clear are not run; the first clear counts, later ones find nothing", async () => {
  const { instance, engine } = await runQueued(async (queue) => {
    await add(queue, "ferns", [{ id: 1 }, { id: 2 }]);
    await queue.register(settings("ferns"));
    await add(queue, "ferns", [{ id: 3 }]);
    await queue.register(clear("ferns"));
    await queue.register(deleteIds("ferns", "1"));
    await queue.register(clear("ferns"));
  });
  assert.deepEqual(engine.asked.at(-1), ["clear 3"]);
  assert.deepEqual(instance.task(2, null).details, { receivedDocuments: 1, indexedDocuments: null });
  assert.deepEqual(instance.task(3, null).details, { deletedDocuments: 2 });
  assert.equal(instance.task(4, null).details?.deletedDocuments, null);
  assert.deepEqual(instance.task(5, null).details, { deletedDocuments: 0 });
  assert.ok([2, 3, 4, 5].every((uid) => instance.task(uid, null).status === "succeeded"));
});

test("before a deletion of the index nothing is run: counters are zero, null for a clear", async () => {
  const { instance, engine } = await runQueued(async (queue) => {
    await add(queue, "ferns", [{ id: 1 }, { id: 2 }]);
    await queue.register(deleteIds("ferns", "1"));
    await queue.register(clear("ferns"));
    await queue.register(remove("ferns"));
  });
  assert.deepEqual(engine.asked, []);
  const details = [0, 1, 2, 3].map((uid) => instance.task(uid, null).details);
  assert.deepEqual(details[0], { receivedDocuments: 2, indexedDocuments: 0 });
  assert.equal(details[1]?.deletedDocuments, 0);
  assert.deepEqual(details.slice(2), [{ deletedDocuments: null }, { deletedDocuments: 0 }]);
});

test("settings and clears of one batch are both applied", async () => {
  const { instance, engine } = await runQueued(async (queue) => {
    await queue.register(settings("ferns", { stopWords: ["a"] }));
    await queue.register(clear("ferns"));
    await queue.register(settings("ferns", { stopWords: ["b"] }));
  });
  assert.deepEqual(engine.asked, [["clear 1", "settings 0", "settings 2"]]);
  assert.deepEqual([...engine.indexes.values()][0].settings, { stopWords: ["b"] });
  assert.deepEqual(instance.batch(0, null).details, { stopWords: ["b"], deletedDocuments: 0 });
});

test("embedders of several changes stand in the details of their batch by name", async () => {
  const { instance } = await runQueued(async (queue) => {
    await queue.register(settings("ferns", { embedders: { a: null, b: null } }));
    await queue.register(settings("ferns", { embedders: { b: { dimensions: 2 } } }));
  });
  const embedders = { a: null, b: { dimensions: 2 } };
  assert.deepEqual(instance.batch(0, null).details, { embedders });
});

test("the deletion of an index skips the work before it and reports the documents of before", async () => {
  const { instance, engine } = await openFixture();
  await add(instance, "ferns", [{ id: 1 }, { id: 2 }]);
  await instance.idle();
  engine.hold();
  await add(instance, "other", [{ id: 1 }]);
  await add(instance, "ferns", [{ id: 3 }]);
  await instance.register(remove("ferns"));
  engine.release();
  await instance.idle();
  assert.deepEqual(instance.task(2, null).details, { receivedDocuments: 1, indexedDocuments: 0 });
  assert.equal(instance.task(2, null).status, "succeeded");
  assert.deepEqual(instance.task(3, null).details, { deletedDocuments: 2 });
  assert.throws(() => instance.index("ferns"), { code: "index_not_found" });
  assert.equal(engine.dropped.length, 1);
});

test("an index that never existed can be deleted by a batch that might have created it", async () => {
  const { instance } = await runQueued(async (queue) => {
    await add(queue, "ferns", [{ id: 1 }]);
    await queue.register(remove("ferns"));
    await queue.register(remove("mosses"));
  });
  assert.deepEqual(
    [0, 1, 2].map((uid) => instance.task(uid, null).status),
    ["succeeded", "succeeded", "failed"],
  );
  assert.deepEqual(instance.task(2, null).details, { deletedDocuments: 0 });
  assert.equal(instance.indexes(0, 20, null).total, 0);
});

test("beside additions a deletion counts the ids given, alone what it removed", async () => {
  const { instance } = await runQueued(async (queue) => {
    await add(queue, "ferns", [{ id: 1 }]);
    await queue.register(deleteIds("ferns", "1", "7", "7"));
    await queue.register(settings("ferns"));
    await queue.register(deleteIds("ferns", "1", "7"));
    await queue.register(deleteFilter("ferns", "bad"));
  });
  assert.deepEqual(instance.task(1, null).details, {
    providedIds: 3,
    deletedDocuments: 2,
    originalFilter: null,
  });
  assert.deepEqual(instance.task(3, null).details, {
    providedIds: 2,
    deletedDocuments: 0,
    originalFilter: null,
  });
  assert.deepEqual(instance.task(4, null).details, {
    providedIds: 0,
    deletedDocuments: 0,
    originalFilter: '"bad"',
  });
  assert.equal(instance.task(4, null).status, "failed");
});

test("the key of an index with documents is locked, an empty one takes another", async () => {
  const { instance } = await openFixture();
  await add(instance, "ferns", [{ id: 1 }]);
  const update = { type: "indexUpdate" as const, indexUid: "ferns", primaryKey: "sku", newIndexUid: null };
  await instance.register(update);
  await instance.register(clear("ferns"));
  await instance.register(update);
  await instance.idle();
  assert.equal(instance.task(1, null).error?.code, "index_primary_key_already_exists");
  assert.equal(instance.task(3, null).status, "succeeded");
  assert.equal(instance.index("ferns").primaryKey, "sku");
});

test("a waiting task shows what is not known yet as null, and its keys in order", async () => {
  const { instance } = await openFixture({ batchTasksMax: 0 });
  const summary = await instance.register({ ...deleteIds("ferns", "1"), customMetadata: "note" });
  assert.deepEqual(Object.keys(summary), [
    "taskUid",
    "indexUid",
    "status",
    "type",
    "enqueuedAt",
    "customMetadata",
  ]);
  const task = instance.task(0, null);
  assert.equal(
    Object.keys(task).join(" "),
    "uid batchUid indexUid status type canceledBy details error duration " +
      "enqueuedAt startedAt finishedAt customMetadata",
  );
  assert.deepEqual(task, {
    uid: 0,
    batchUid: null,
    indexUid: "ferns",
    status: "enqueued",
    type: "documentDeletion",
    canceledBy: null,
    details: { providedIds: 1, deletedDocuments: null, originalFilter: null },
    error: null,
    duration: null,
    enqueuedAt: summary.enqueuedAt,
    startedAt: null,
    finishedAt: null,
    customMetadata: "note",
  });
});

test("a running batch shows its steps, an ended one where its time went", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const running = instance.batch(0, null);
  assert.deepEqual(running.progress, {
    steps: [
      { currentStep: "processing tasks", finished: 0, total: 2 },
      { currentStep: "indexing", finished: 1, total: 4 },
    ],
    percentage: 12.5,
  });
  assert.deepEqual(running.stats.status, { processing: 1 });
  assert.deepEqual([running.duration, running.finishedAt], [null, null]);
  assert.equal(instance.task(0, null).status, "processing");
  assert.equal(instance.stats("ferns").isIndexing, true);
  engine.release();
  await instance.idle();
  const ended = instance.batch(0, null);
  assert.equal(ended.progress, null);
  assert.equal(
    Object.keys(ended).join(),
    "uid,progress,details,stats,duration,startedAt,finishedAt,batchStrategy",
  );
  assert.match(ended.stats.progressTrace!["processing tasks > indexing"], /^\d+\.\d\d(µs|ms|s)$/);
  assert.ok("writing tasks to disk" in ended.stats.progressTrace!);
  assert.deepEqual(ended.stats.internalDatabaseSizes, {
    documents: "10 B (+10 B)",
    segments: "20 B (+20 B)",
  });
  assert.equal(instance.stats("ferns").isIndexing, false);
});

test("listeners hear of every batch that ended; one that fails disturbs nobody", async () => {
  const { instance } = await openFixture();
  const heard: string[][] = [];
  const troubles: Error[] = [];
  instance.on("trouble", (error) => troubles.push(error));
  instance.on("finished", (tasks) => heard.push(tasks.map(({ uid, status }) => `${uid} ${status}`)));
  instance.on("finished", () => {
    throw new Error("no receiver");
  });
  await instance.register(create("ferns"));
  await instance.register(create("ferns"));
  await instance.idle();
  assert.deepEqual(heard, [["0 succeeded"], ["1 failed"]]);
  assert.deepEqual(
    troubles.map(({ message }) => message),
    ["no receiver", "no receiver"],
  );
});

test("an edition tells how many documents it was about, and stands alone", async () => {
  const edit = (source: string, indexUid = "ferns"): DocumentEdition => {
    return { type: "documentEdition", indexUid, filter: ["a = 1"], context: { b: 2 }, function: source };
  };
  const { instance } = await runQueued(async (instance) => {
    await add(instance, "ferns", [{ id: 1 }, { id: 2 }]);
    await instance.register(edit("good"));
    await instance.register(edit("bad"));
    await instance.register(edit("good", "none"));
  });
  assert.deepEqual(statuses(instance), ["0 succeeded", "1 succeeded", "2 failed", "3 failed"]);
  assert.deepEqual(batched(instance), [[0], [1], [2], [3]]);
  const shown = { originalFilter: '["a = 1"]', context: { b: 2 }, function: "good" };
  assert.deepEqual(instance.task(1, null).details, { ...shown, deletedDocuments: 0, editedDocuments: 2 });
  assert.equal(instance.task(2, null).error?.code, "edit_documents_by_function_error");
  const failed = { ...shown, deletedDocuments: null, editedDocuments: 0 };
  assert.deepEqual(instance.task(2, null).details, { ...failed, function: "bad" });
  assert.deepEqual(instance.task(3, null).details, failed);
});

test("a compaction tells the sizes before and after, and leaves the date of the index alone", async () => {
  const { instance } = await openFixture();
  await instance.register(create("ferns"));
  await instance.idle();
  const { updatedAt } = instance.index("ferns");
  await instance.register({ type: "indexCompaction", indexUid: "ferns" });
  await instance.register({ type: "indexCompaction", indexUid: "none" });
  await instance.idle();
  const { status, details } = instance.task(1, null);
  assert.equal(status, "succeeded");
  assert.deepEqual(details, { preCompactionSize: "2.00 KiB", postCompactionSize: "1000 B" });
  assert.equal(instance.index("ferns").updatedAt, updatedAt);
  assert.equal(instance.task(2, null).error?.code, "index_not_found");
  assert.deepEqual(instance.task(2, null).details, {});
});

test("a change that is too much for a record fails, and the tasks behind it go on", async () => {
  const fixture = await openFixture();
  const fieldDistribution = { ["x".repeat(40 * 2 ** 20)]: 1 };
  const { describe } = fixture.engine;
  fixture.engine.describe = async (folder) => ({
    ...(await describe.call(fixture.engine, folder)),
    fieldDistribution,
  });
  for (const uid of ["ferns", "mosses"]) await fixture.instance.register(create(uid));
  await fixture.instance.register(swap(["ferns", "mosses"]));
  await fixture.instance.register(create("lichens"));
  await fixture.instance.idle();
  assert.deepEqual(statuses(fixture.instance), ["0 succeeded", "1 succeeded", "2 failed", "3 succeeded"]);
  assert.match(fixture.instance.task(2, null).error?.message ?? "", /a record of \d+ bytes/);
  // All indexes together are more than a record holds, too.
  await fixture.instance.compactQueue();
  const { instance } = await reopen(fixture);
  assert.equal(instance.indexes(0, 20, null).results.length, 3);
});

test("what the engine has committed does not fail for being too much for a record", async () => {
  const { instance, engine } = await openFixture();
  const fieldDistribution = { ["x".repeat(70 * 2 ** 20)]: 1 };
  const { run } = engine;
  engine.run = async (...parameters) => {
    const { index, ...result } = await run.apply(engine, parameters);
    return { ...result, index: { ...index, fieldDistribution } };
  };
  const trouble = new Promise<Error>((resolve) => instance.on("trouble", resolve));
  await add(instance, "ferns", [{ id: 1 }]);
  assert.match((await trouble).message, /a record of \d+ bytes/);
  await instance.close();
  assert.deepEqual(statuses(instance), ["0 enqueued"]);
});

test("errors of a batch that are too much for a record are told in few words", () => {
  const end = { uid: 3, status: "failed" as const, counters: null, canceledBy: null };
  const error = new TarsierError("internal", { message: "é".repeat(500) }).toObject();
  const short = { ...end, uid: 4, error: { ...error, message: "short" } };
  const { ends } = briefly({ ends: [{ ...end, error }, short] });
  assert.deepEqual(ends, [{ ...end, error: { ...error, message: `${"é".repeat(100)}…` } }, short]);
});
