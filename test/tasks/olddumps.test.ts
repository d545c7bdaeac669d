// Dumps of older versions: documents are kept, settings and tasks are told in the words of today; and what is
// wrong in a dump is refused.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import type { TarsierError } from "../../src/errors.ts";
import { storedKeys } from "../../src/tasks/keys.ts";
import type { TaskView } from "../../src/tasks/views.ts";
import { type CopyFixture, fill, openCopyFixture, Place } from "./copyfixture.ts";
import { importArchive, writeArchive } from "./oldlines.ts";
import { ALL } from "./setup.ts";

const place = new Place();
after(() => place.remove());

const DATE = "2022-10-07T11:38:54.004402239Z";
const LATER = "2022-10-07T11:38:55Z";
const UUID = "78be64a3-cae1-449e-b7ed-13e77c9a8a0c";
const TEAS = [
  { sku: 2, name: "green" },
  { sku: 1, name: "black" },
];

const imported = (name: string, files: Record<string, unknown>) => importArchive(place, name, files);

const tasksOf = ({ instance }: CopyFixture) => instance.tasks({}, ALL, null).results;
const brief = ({ uid, type, status, indexUid, details, error }: TaskView) => {
  return [uid, type, status, indexUid, details, error?.code ?? null];
};
const settingsOf = ({ engine, instance }: CopyFixture, uid: string) => engine.settings(instance.handle(uid));

test("V1", async () => {
  const settings = {
    rankingRules: ["typo", "words", "wordsPosition", "asc(price)", "desc(fame)", "unknown"],
    attributesForFaceting: ["name"],
    stopWords: ["the"],
    distinctAttribute: null,
  };
  const update = {
    ranking_rules: "Nothing",
    stop_words: "Clear",
    attributes_for_faceting: { Update: ["name"] },
  };
  const ended = { status: "processed", duration: 1.5, enqueuedAt: DATE, processedAt: LATER };
  const fixture = await imported("v1", {
    "teas/documents.jsonl": TEAS,
    "teas/settings.json": settings,
    "teas/updates.jsonl": [
      { ...ended, type: { name: "DocumentsAddition", number: 2 } },
      { ...ended, type: { name: "Customs" } },
      { ...ended, type: { name: "Settings", settings: update } },
      {
        ...ended,
        status: "failed",
        type: { name: "DocumentsDeletion", number: 1 },
        error: "no",
        errorCode: "internal",
      },
      { status: "enqueued", type: { name: "ClearAll" }, enqueuedAt: DATE },
    ],
    "metadata.json": {
      indexes: [{ name: "teas", uid: "teas", createdAt: DATE, updatedAt: DATE, primaryKey: "sku" }],
      dumpVersion: "V1",
    },
  });
  assert.deepEqual(await fixture.documents("teas"), TEAS);
  const read = await settingsOf(fixture, "teas");
  assert.deepEqual(read.rankingRules, ["typo", "words", "price:asc", "fame:desc"]);
  assert.deepEqual([read.filterableAttributes, read.sortableAttributes], [["name"], ["name"]]);
  assert.equal(fixture.instance.index("teas").createdAt, "2022-10-07T11:38:54.004402Z");
  const shown = { filterableAttributes: ["name"], sortableAttributes: ["name"], stopWords: null };
  assert.deepEqual(tasksOf(fixture).map(brief), [
    [0, "documentAdditionOrUpdate", "succeeded", "teas", { receivedDocuments: 0, indexedDocuments: 2 }, null],
    [1, "settingsUpdate", "succeeded", "teas", shown, null],
    [
      2,
      "documentDeletion",
      "failed",
      "teas",
      { providedIds: 0, deletedDocuments: 0, originalFilter: null },
      "internal",
    ],
  ]);
  assert.equal(tasksOf(fixture)[0].duration, "PT1.500S");
  await fixture.close();
});

const META = { settings: { rankingRules: ["words", "desc(fame)"], stopWords: ["a"] }, primary_key: "sku" };

test("V2, with documents that wait as a JSON array, and with some that are lost", async () => {
  const waits = { status: "enqueued", enqueuedAt: DATE };
  const meta = { type: "DocumentsAddition", method: "UpdateDocuments", format: "Json", primary_key: null };
  const fixture = await imported("v2", {
    "metadata.json": { dumpVersion: "V2", dbVersion: "0.21.1" },
    "index_uuids/data.jsonl": [{ uid: "teas", uuid: UUID }],
    [`indexes/index-${UUID}/meta.json`]: META,
    [`indexes/index-${UUID}/documents.jsonl`]: TEAS,
    [`updates/update_files/update_${UUID}`]: [[{ sku: 2, price: 3 }, { sku: 3 }]],
    "updates/data.jsonl": [
      { uuid: UUID, update: { ...waits, updateId: 0, meta, content: UUID } },
      { uuid: UUID, update: { ...waits, updateId: 1, meta, content: null } },
      { uuid: "gone", update: { ...waits, updateId: 0, meta, content: UUID } },
      {
        uuid: "gone",
        update: {
          status: "processed",
          success: { DocumentDeletion: { deleted: 4 } },
          processedAt: LATER,
          meta: { type: "DeleteDocuments", ids: ["1", "2"] },
          enqueuedAt: DATE,
          startedProcessingAt: DATE,
        },
      },
      {
        uuid: UUID,
        update: { status: "aborted", abortedAt: LATER, meta: { type: "ClearDocuments" }, enqueuedAt: DATE },
      },
    ],
  });
  assert.deepEqual(await fixture.documents("teas"), [
    { sku: 2, name: "green", price: 3 },
    TEAS[1],
    { sku: 3 },
  ]);
  assert.deepEqual((await settingsOf(fixture, "teas")).rankingRules, ["words", "fame:desc"]);
  const deletion = { providedIds: 2, deletedDocuments: 4, originalFilter: null };
  const unknown = "unretrievable_error_code";
  assert.deepEqual(tasksOf(fixture).map(brief), [
    [0, "documentAdditionOrUpdate", "succeeded", "teas", { receivedDocuments: 2, indexedDocuments: 2 }, null],
    [1, "documentAdditionOrUpdate", "failed", "teas", { receivedDocuments: 0, indexedDocuments: 0 }, unknown],
    [3, "documentDeletion", "succeeded", "unknown", deletion, null],
    [4, "documentDeletion", "failed", "teas", { deletedDocuments: 0 }, unknown],
  ]);
  await fixture.close();
});

test("V3, with a failure under its old name", async () => {
  const failed = {
    status: "failed",
    msg: "no key",
    code: "MissingPrimaryKey",
    failedAt: LATER,
    enqueuedAt: DATE,
  };
  const addition = {
    DocumentAddition: { primary_key: "sku", method: "ReplaceDocuments", content_uuid: UUID },
  };
  const fixture = await imported("v3", {
    "metadata.json": { dumpVersion: "V3" },
    "index_uuids/data.jsonl": [{ uid: "teas", uuid: UUID }],
    [`indexes/${UUID}/meta.json`]: { ...META, primary_key: null },
    [`indexes/${UUID}/documents.jsonl`]: "",
    [`updates/updates_files/${UUID}`]: TEAS,
    "updates/data.jsonl": [
      { uuid: UUID, update: { ...failed, meta: addition } },
      { uuid: UUID, update: { status: "processing", meta: addition, enqueuedAt: DATE } },
      {
        uuid: UUID,
        update: {
          status: "processed",
          success: "Other",
          processedAt: LATER,
          meta: { Settings: { stopWords: ["b"] } },
          enqueuedAt: DATE,
        },
      },
    ],
  });
  assert.deepEqual(await fixture.documents("teas"), TEAS);
  assert.deepEqual(
    tasksOf(fixture).map(({ status, error }) => [status, error?.code ?? null]),
    [
      ["failed", "index_primary_key_no_candidate_found"],
      ["succeeded", null],
      ["succeeded", null],
    ],
  );
  await fixture.close();
});

const KEY = {
  description: "d",
  actions: ["search", "dumps.get"],
  indexes: ["*"],
  expires_at: null,
  created_at: DATE,
  updated_at: DATE,
};

test("V4, tasks newest first, keys without uid", async () => {
  const created = { Created: DATE };
  const settings = { settings: { rankingRules: ["words"] }, is_deletion: false, allow_index_creation: true };
  const fixture = await imported("v4", {
    "metadata.json": { dumpVersion: "V4" },
    "instance-uid": "9e15e977-f2ae-4761-943f-1eaf75fd736d",
    keys: [{ ...KEY, id: [1, 2, 3] }],
    "index_uuids/data.jsonl": [{ uid: "teas", index_meta: { uuid: UUID, creation_task_id: 0 } }],
    [`indexes/${UUID}/meta.json`]: META,
    [`indexes/${UUID}/documents.jsonl`]: TEAS,
    "updates/data.jsonl": [
      {
        id: 3,
        index_uid: "teas",
        content: { DocumentDeletion: { Ids: ["1"] } },
        events: [created, { Processing: DATE }],
      },
      {
        id: 2,
        index_uid: "teas",
        content: { DocumentDeletion: "Clear" },
        events: [
          created,
          { Processing: DATE },
          { Failed: { error: { message: "m", code: "immutable_field" }, timestamp: LATER } },
        ],
      },
      {
        id: 1,
        index_uid: "teas",
        content: { SettingsUpdate: settings },
        events: [created, { Succeded: { result: "Other", timestamp: LATER } }],
      },
      {
        id: 0,
        index_uid: "teas",
        content: { IndexCreation: { primary_key: "sku" } },
        events: [created, { Succeded: { result: "Other", timestamp: LATER } }],
      },
    ],
  });
  assert.equal(fixture.instance.uid, "9e15e977-f2ae-4761-943f-1eaf75fd736d");
  const [key] = storedKeys(fixture.instance);
  assert.deepEqual([key.name, key.description, key.actions, key.indexes], [null, "d", ["search"], ["*"]]);
  assert.deepEqual(await fixture.documents("teas"), [TEAS[0]]);
  assert.deepEqual(tasksOf(fixture).map(brief), [
    [0, "indexCreation", "succeeded", "teas", { primaryKey: "sku" }, null],
    [1, "settingsUpdate", "succeeded", "teas", { rankingRules: ["words"] }, null],
    [2, "documentDeletion", "failed", "teas", { deletedDocuments: 0 }, "bad_request"],
    [
      3,
      "documentDeletion",
      "succeeded",
      "teas",
      { providedIds: 1, deletedDocuments: 1, originalFilter: null },
      null,
    ],
  ]);
  await fixture.close();
});

test("V5, with a dump that was being made", async () => {
  const events = [{ Created: DATE }, { Batched: { timestamp: DATE, batch_id: 1 } }, { Processing: DATE }];
  const addition = {
    index_uid: "teas",
    content_uuid: UUID,
    merge_strategy: "ReplaceDocuments",
    primary_key: null,
    documents_count: 1,
    allow_index_creation: true,
  };
  const fixture = await imported("v5", {
    "metadata.json": { dumpVersion: "V5" },
    keys: [{ ...KEY, uid: "192e54ae-32f8-4c61-85f5-eb2b1b255629", name: "n" }],
    "index_uuids/data.jsonl": [{ uid: "teas", index_meta: { uuid: UUID, creation_task_id: 9 } }],
    [`indexes/${UUID}/meta.json`]: {
      ...META,
      settings: { ...META.settings, pagination: { maxTotalHits: 0 } },
    },
    [`indexes/${UUID}/documents.jsonl`]: TEAS,
    [`updates/updates_files/${UUID}`]: [{ sku: 3 }],
    "updates/data.jsonl": [
      { id: 1, content: { Dump: { uid: "20221004-155510279" } }, events },
      { id: 0, content: { DocumentAddition: addition }, events: events.slice(0, 1) },
    ],
  });
  assert.equal((await settingsOf(fixture, "teas")).pagination.maxTotalHits, 1);
  assert.equal((await fixture.documents("teas")).length, 3);
  assert.equal(storedKeys(fixture.instance)[0].uid, "192e54ae-32f8-4c61-85f5-eb2b1b255629");
  const [first, second] = tasksOf(fixture);
  assert.deepEqual(first.details, { receivedDocuments: 1, indexedDocuments: 1 });
  assert.equal(second.status, "succeeded");
  // Made anew, with a name of today and with the keys of the old one.
  assert.notEqual(second.details?.dumpUid, "20221004-155510279");
  await fill(place, "v5b", { importDump: join(place.folder("dumps"), `${second.details?.dumpUid}.dump`) });
  const again = await openCopyFixture(place, "v5b");
  assert.deepEqual(storedKeys(again.instance), storedKeys(fixture.instance));
  await again.close();
  await fixture.close();
});

const V6 = {
  "metadata.json": { dumpVersion: "V6", dbVersion: "1.16.0" },
  "._metadata.json": "left by another system",
  "tasks/queue.jsonl": [] as unknown[],
  "indexes/teas/metadata.json": { uid: "teas", primaryKey: "sku", createdAt: DATE, updatedAt: DATE },
  "indexes/teas/settings.json": { stopWords: ["the"], somethingNew: 1 },
  "indexes/teas/documents.jsonl": TEAS,
  "experimental-features.json": { vectorStore: true, multimodal: true },
};

test("V6 of another program: what is not known is left out", async () => {
  const { stopReason: _, ...batch } = {
    stopReason: null,
    uid: 3,
    details: {},
    stats: { totalNbTasks: 1 },
    startedAt: DATE,
    finishedAt: LATER,
    enqueuedAt: null,
  };
  const task = {
    uid: 5,
    batchUid: 3,
    indexUid: "teas",
    status: "succeeded",
    type: "documentClear",
    details: { ClearAll: { deleted_documents: 3 } },
    enqueuedAt: DATE,
    startedAt: DATE,
    finishedAt: LATER,
  };
  const fixture = await imported("v6", {
    ...V6,
    "batches/queue.jsonl": [batch],
    "tasks/queue.jsonl": [{ ...task, uid: 4, indexUid: "no/name" }, task],
  });
  assert.deepEqual((await settingsOf(fixture, "teas")).stopWords, ["the"]);
  assert.deepEqual(tasksOf(fixture).map(brief), [
    [4, "documentDeletion", "succeeded", "no/name", { deletedDocuments: 3 }, null],
    [5, "documentDeletion", "succeeded", "teas", { deletedDocuments: 3 }, null],
  ]);
  assert.equal(fixture.instance.batches({}, ALL, null).results[0].batchStrategy, "unspecified");
  assert.equal((await fixture.instance.registerDump()).taskUid, 6);
  await fixture.close();
});

const WRONG: Record<string, Record<string, unknown>> = {
  "no metadata": { "metadata.json": "{}" },
  "a version of the future": { "metadata.json": { dumpVersion: "V7" } },
  "metadata that is no JSON": { "metadata.json": "{" },
  "documents that are no JSON": { "indexes/teas/documents.jsonl": '{"sku":1}\n{"sku":\n' },
  "a document without an id": { "indexes/teas/documents.jsonl": [{ name: "x" }] },
  "settings of a wrong type": { "indexes/teas/settings.json": { stopWords: 5 } },
  "an index uid that leads away": { "indexes/teas/metadata.json": { uid: "../teas" } },
  "an index without settings": { "indexes/cans/metadata.json": { uid: "cans" } },
  "an index without documents, not even none": {
    "indexes/cans/metadata.json": { uid: "cans" },
    "indexes/cans/settings.json": {},
  },
  "two indexes of one uid": {
    "indexes/cans/metadata.json": V6["indexes/teas/metadata.json"],
    "indexes/cans/settings.json": {},
    "indexes/cans/documents.jsonl": [],
  },
  "an index uid that is no text": { "indexes/teas/metadata.json": { uid: 5 } },
  "a primary key that is no text": { "indexes/teas/metadata.json": { uid: "teas", primaryKey: 5 } },
  "V1 without a list of indexes": { "metadata.json": { dumpVersion: "V1", indexes: null } },
  "V1 with a folder of no index": {
    "metadata.json": { dumpVersion: "V1", indexes: [] },
    "teas/settings.json": {},
    "teas/documents.jsonl": [],
  },
  "V2 without its updates": { "metadata.json": { dumpVersion: "V2" }, "index_uuids/data.jsonl": [] },
  "V2 without its indexes": { "metadata.json": { dumpVersion: "V2" }, "updates/data.jsonl": [] },
  "V2 with a folder of no index": {
    "metadata.json": { dumpVersion: "V2" },
    "updates/data.jsonl": [],
    "index_uuids/data.jsonl": [],
    "indexes/index-a/meta.json": { settings: {} },
    "indexes/index-a/documents.jsonl": [],
  },
  "V5 with a folder of no index": {
    "metadata.json": { dumpVersion: "V5" },
    "updates/data.jsonl": [],
    "index_uuids/data.jsonl": [],
    "indexes/a/meta.json": { settings: {} },
    "indexes/a/documents.jsonl": [],
  },
  "V5 with an index that names no folder": {
    "metadata.json": { dumpVersion: "V5" },
    "updates/data.jsonl": [],
    "index_uuids/data.jsonl": [{ uid: "teas" }],
  },
  "V5 without its indexes": { "metadata.json": { dumpVersion: "V5" }, "updates/data.jsonl": [] },
  "a task that waits for a folder elsewhere": {
    "tasks/queue.jsonl": [
      { uid: 0, indexUid: "a/../b", status: "enqueued", type: "documentClear", enqueuedAt: DATE },
    ],
  },
  "a task that waits for a name that is none": {
    "tasks/queue.jsonl": [
      {
        uid: 0,
        indexUid: "teas",
        status: "enqueued",
        enqueuedAt: DATE,
        type: { indexUpdate: { primary_key: null, uid: "../x" } },
      },
    ],
  },
  "a swap that waits with a name that is none": {
    "tasks/queue.jsonl": [
      {
        uid: 0,
        status: "enqueued",
        enqueuedAt: DATE,
        type: { indexSwap: { swaps: [{ indexes: ["teas", "../x"] }] } },
      },
    ],
  },
  "a webhook without a UUID": { "webhooks.json": { webhooks: { one: { url: "http://a" } } } },
  "a task of an unknown kind": {
    "tasks/queue.jsonl": [{ uid: 0, status: "failed", type: "sing", enqueuedAt: DATE }],
  },
  "a task with a path for a number": {
    "tasks/queue.jsonl": [{ uid: "../x", status: "enqueued", type: "indexDeletion" }],
  },
  "a task beyond the numbers that there are": {
    "tasks/queue.jsonl": [{ uid: 2 ** 32, status: "failed", type: "indexSwap", enqueuedAt: DATE }],
  },
  "a task of a batch that is no number": {
    "tasks/queue.jsonl": [{ uid: 0, batchUid: "x", status: "failed", type: "indexSwap", enqueuedAt: DATE }],
  },
  "a task without its index": {
    "tasks/queue.jsonl": [{ uid: 0, status: "failed", type: "indexDeletion", enqueuedAt: DATE }],
  },
  "tasks out of order": {
    "tasks/queue.jsonl": [1, 0].map((uid) => ({
      uid,
      status: "failed",
      type: "indexSwap",
      enqueuedAt: DATE,
    })),
  },
  "an addition that waits without its documents": {
    "tasks/queue.jsonl": [
      {
        uid: 0,
        indexUid: "a",
        status: "enqueued",
        type: { documentImport: { documents_count: 1 } },
        enqueuedAt: DATE,
      },
    ],
  },
  "a key without a uid": { "keys.jsonl": [{ name: "x" }] },
  "a key that expires at a number": {
    "keys.jsonl": [
      {
        uid: "192e54ae-32f8-4c61-85f5-eb2b1b255629",
        actions: ["*"],
        indexes: ["*"],
        created_at: DATE,
        expires_at: 1577836800,
      },
    ],
  },
};

test("dumps with something wrong in them are refused, and the folder stays as it was", async () => {
  const codes = new Set<string>();
  for (const [what, files] of Object.entries(WRONG)) {
    await writeArchive(place.path, "wrong.dump", { ...V6, ...files });
    const filling = fill(place, "wrong", { importDump: join(place.path, "wrong.dump") });
    const { code } = await filling.then(
      () => assert.fail(what),
      (error: TarsierError) => error,
    );
    codes.add(code);
    assert.deepEqual(place.files("wrong"), [], what);
  }
  assert.deepEqual([...codes], ["dump_process_failed"]);
});

test("an index of an old dump without a folder is told by its name", async () => {
  const files = WRONG["V5 with an index that names no folder"];
  await assert.rejects(
    importArchive(place, "nameless", files),
    /does not tell the folder of the index "teas"/,
  );
});

test("a line of a dump that is no object is told as what it is", async () => {
  const files = { "indexes/teas/settings.json": {}, "tasks/queue.jsonl": [null] };
  await writeArchive(place.path, "null.dump", { ...V6, ...files });
  const filling = fill(place, "null", { importDump: join(place.path, "null.dump") });
  await assert.rejects(filling, /expected an object, but found null/);
});
