// Details of batches: what is not known yet, and what several tasks tell together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeDetails, mergeRunningDetails } from "../../src/tasks/details.ts";
import type { DocumentAddition, DocumentEdition, TaskKind } from "../../src/tasks/kinds.ts";
import { add, deleteFilter, openFixture, settings, settle } from "./setup.ts";

test("a batch that runs shows what nobody knows yet as null", async () => {
  const kind: DocumentAddition = {
    type: "documentAdditionOrUpdate",
    indexUid: "ferns",
    method: "replace",
    primaryKey: null,
    allowIndexCreation: true,
    skipCreation: false,
    documentsCount: 1,
    payload: null,
    payloadBytes: 0,
  };
  const addition = { kind, status: "processing", counters: null } as const;
  const ids: TaskKind = { type: "documentDeletion", indexUid: "ferns", by: "ids", ids: ["1"], count: 1 };
  const deletion = { kind: ids, status: "processing", counters: null } as const;
  const dump: TaskKind = { type: "dumpCreation", keys: [], instanceUid: null };
  assert.deepEqual(mergeRunningDetails([addition, addition]), {
    receivedDocuments: 2,
    indexedDocuments: null,
  });
  const done = { ...addition, counters: { indexedDocuments: 1 } };
  assert.deepEqual(mergeRunningDetails([addition, done, deletion]), {
    receivedDocuments: 2,
    indexedDocuments: 1,
    providedIds: 1,
    deletedDocuments: null,
    originalFilter: null,
  });
  assert.deepEqual(mergeRunningDetails([{ ...addition, kind: dump }]), { dumpUid: null });
});

test("a batch that ended leaves out what stayed null, but for settings that were reset", async () => {
  const { instance, engine } = await openFixture();
  await add(instance, "ferns", [{ id: 1 }]);
  const edition: DocumentEdition = {
    type: "documentEdition",
    indexUid: "ferns",
    filter: null,
    context: null,
    function: "bad",
  };
  await instance.register(edition);
  await instance.register(settings("ferns", { stopWords: null, synonyms: { a: ["b"] } }));
  await instance.idle();
  assert.equal(instance.task(1, null).details?.deletedDocuments, null);
  assert.deepEqual(instance.batch(1, null).details, { editedDocuments: 0, function: "bad" });
  assert.deepEqual(instance.batch(2, null).details, { stopWords: null, synonyms: { a: ["b"] } });
  engine.hold();
  await instance.register(edition);
  await settle();
  assert.deepEqual(instance.batch(3, null).details, {
    deletedDocuments: null,
    editedDocuments: null,
    originalFilter: null,
    context: null,
    function: "bad",
  });
  engine.release();
  await instance.idle();
});

test("numbers of ended tasks are summed beside those that are not known", () => {
  const kind: DocumentEdition = {
    type: "documentEdition",
    indexUid: "ferns",
    filter: null,
    context: null,
    function: "f",
  };
  const failed = { kind, status: "failed", counters: null } as const;
  const done = { kind, status: "succeeded", counters: { editedDocuments: 2, deletedDocuments: 1 } } as const;
  const together = { deletedDocuments: 1, editedDocuments: 2, function: "f" };
  assert.deepEqual(mergeDetails([failed, done]), together);
  assert.deepEqual(mergeDetails([done, failed]), together);
});

test("filters of canceled tasks stand before that of the cancelation", async () => {
  const { instance, engine } = await openFixture();
  engine.hold();
  await add(instance, "slow", [{ id: 1 }]);
  await settle();
  await instance.register(deleteFilter("ferns", "a = 1"));
  await instance.register(deleteFilter("ferns", "b = 2"));
  const { taskUid } = await instance.cancelTasks({ uids: [1, 2] }, null, "?uids=1,2");
  engine.release();
  await instance.idle();
  const { details } = instance.batch(instance.task(taskUid, null).batchUid!, null);
  assert.equal(details.originalFilter, '"a = 1"&"b = 2"&?uids=1,2');
});
