// Lines of dumps that another program reads, and what it writes into them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseSize, wholeSize } from "../../src/sizes.ts";
import { keyLine, readKeyLine } from "../../src/tasks/dumps/keylines.ts";
import { type TaskLine, taskLine } from "../../src/tasks/dumps/tasklines.ts";
import { readBatch, readTask } from "../../src/tasks/dumps/taskreading.ts";
import type { StoredKey } from "../../src/tasks/keys.ts";
import type { TaskKind } from "../../src/tasks/kinds.ts";
import type { Task } from "../../src/tasks/task.ts";
import { viewTask } from "../../src/tasks/views.ts";
import { fill, openCopyFixture, Place } from "./copyfixture.ts";
import { writeArchive } from "./oldlines.ts";
import { ALL, create } from "./setup.ts";

const place = new Place();
after(() => place.remove());

const DATE = "2022-10-07T11:38:54Z";

function ended(kind: TaskKind, counters: Task["counters"] = null): Task {
  const dates = { enqueuedAt: 1_000_000, startedAt: 2_000_000, finishedAt: 3_000_000 };
  return {
    uid: 1,
    kind,
    status: "succeeded",
    batchUid: 1,
    canceledBy: null,
    error: null,
    counters,
    ...dates,
  };
}

const readAgain = (task: Task): Task => readTask(JSON.parse(JSON.stringify(taskLine(task))) as TaskLine)!;

test("a task that moves documents is read when it has ended, and left out while it waits", () => {
  const line = { uid: 1, type: "networkTopologyChange", enqueuedAt: DATE } as const;
  for (const status of ["enqueued", "processing"] as const) assert.equal(readTask({ ...line, status }), null);
  assert.equal(readTask({ ...line, status: "failed" })?.status, "failed");
});

test("details of a compaction name its index", () => {
  const compaction = ended({ type: "indexCompaction", indexUid: "teas" }, { preCompactionSize: "2.00 KiB" });
  const details = { index_uid: "teas", pre_compaction_size: "2.00 KiB" };
  assert.deepEqual(taskLine(compaction).details, { IndexCompaction: details });
  assert.deepEqual(readAgain(compaction), compaction);
});

test("a rename keeps the names that it tells beside those of today", () => {
  const toldUids: [string, string] = ["teas", "infusions"];
  const kind: TaskKind = {
    type: "indexUpdate",
    indexUid: "cups",
    primaryKey: null,
    newIndexUid: "drinks",
    toldUids,
  };
  const line = taskLine(ended(kind));
  assert.equal(line.indexUid, "cups");
  assert.deepEqual(line.type, { indexUpdate: { primary_key: null, uid: "drinks" } });
  assert.deepEqual(line.details, {
    IndexInfo: { primary_key: null, old_index_uid: "teas", new_index_uid: "infusions" },
  });
  assert.deepEqual(readAgain(ended(kind)).kind, kind);
});

test("secrets in the details of settings are masked once", () => {
  for (const apiKey of ["short", "about-15-bytes!", "a key of twenty-five byte", "sk-0123456789".repeat(4)]) {
    const embedders = { e: { source: "openAi", apiKey } };
    const details = { SettingsUpdate: { settings: { embedders } } };
    const type = { settings: { settings: { embedders }, is_deletion: false, allow_index_creation: true } };
    const fixed = {
      uid: 1,
      indexUid: "teas",
      status: "succeeded",
      enqueuedAt: DATE,
      finishedAt: DATE,
    } as const;
    const first = readTask({ ...fixed, type, details })!;
    const shown = viewTask(first).details as { embedders: { e: { apiKey: string } } };
    assert.match(shown.embedders.e.apiKey, /X\.\.\.$/);
    assert.ok(!JSON.stringify(first).includes(apiKey));
    assert.deepEqual(viewTask(readAgain(readAgain(first))).details, shown);
  }
});

test("the size of an export is told in one form, whoever wrote the dump", () => {
  const cases: [unknown, string | null][] = [
    [500, "500 B"],
    [1000, "1 KB"],
    [1024, "1 KiB"],
    ["1 kB", "1 KB"],
    ["1500 B", "1.46484375 KiB"],
    ["50 MiB", "50 MiB"],
    ["50 MB", "47.6837158203125 MiB"],
    ["1.05 GB", "1.05 GB"],
    [null, null],
    ["much", "much"],
  ];
  for (const [payload_size, expected] of cases) {
    const type = { export: { url: "http://a.b", api_key: null, payload_size, indexes: {} } };
    const { kind } = readTask({ uid: 1, status: "failed", type, enqueuedAt: DATE })!;
    assert.equal(kind.type === "export" && kind.payloadSize, expected);
  }
  for (const bytes of [1, 999, 1023, 1_000_001, 2 ** 30 - 1, 1_000_000_000_007, Number.MAX_SAFE_INTEGER])
    assert.equal(parseSize(wholeSize(bytes)), bytes);
});

test("a batch of another program has no details that are null, but for settings", async () => {
  const batch = {
    uid: 3,
    details: { deletedDocuments: null, originalFilter: null, stopWords: null, function: "f" },
    stats: { totalNbTasks: 1, status: { failed: 1 }, types: { documentEdition: 1 }, indexUids: { teas: 1 } },
    startedAt: DATE,
    finishedAt: DATE,
    enqueuedAt: null,
  };
  await writeArchive(place.path, "nulls.dump", {
    "metadata.json": { dumpVersion: "V6" },
    "tasks/queue.jsonl": [],
    "batches/queue.jsonl": [batch],
  });
  assert.equal(readBatch(batch).uid, 3);
  await fill(place, "nulls", { importDump: join(place.path, "nulls.dump") });
  const { instance, close } = await openCopyFixture(place, "nulls");
  assert.deepEqual(instance.batch(3, null).details, { stopWords: null, function: "f" });
  await close();
});

test("keys hold actions by the names that the peer knows, and come back as they were given", () => {
  const key: StoredKey = {
    uid: "6062abda-a5aa-4414-ac91-ecd7944c0f8d",
    name: "n",
    description: null,
    indexes: ["*"],
    actions: ["search", "index.create", "task.cancel", "task.delete"],
    expiresAt: null,
    createdAt: 1_000_000,
    updatedAt: 2_000_000,
  };
  const line = keyLine(key);
  assert.deepEqual(line.actions, ["search", "indexes.create", "tasks.cancel", "tasks.delete"]);
  assert.deepEqual(readKeyLine(JSON.parse(JSON.stringify(line)))[2], key);
  const plain = { ...key, actions: ["search", "indexes.create"] as StoredKey["actions"] };
  assert.ok(!("given_actions" in keyLine(plain)));
  assert.deepEqual(readKeyLine(keyLine(plain))[2], plain);
});

test("tasks and batches of what is not built here are left out, their numbers stay taken", async () => {
  const task = (uid: number, type: unknown, indexUid: string | null) => {
    const dates = { enqueuedAt: DATE, startedAt: DATE, finishedAt: DATE };
    return { uid, batchUid: uid, indexUid, status: "succeeded", type, details: null, ...dates };
  };
  const batch = (uid: number, type: string) => {
    const stats = { totalNbTasks: 1, status: { succeeded: 1 }, types: { [type]: 1 }, indexUids: {} };
    return { uid, details: {}, stats, startedAt: DATE, finishedAt: DATE, enqueuedAt: null };
  };
  await writeArchive(place.path, "rules.dump", {
    "metadata.json": { dumpVersion: "V6" },
    "tasks/queue.jsonl": [
      task(0, { dsrUpdate: { uid: "rule" } }, ".meili_dsr"),
      task(1, { indexCreation: { primary_key: null } }, "teas"),
      task(2, "dsrClear", ".meili_dsr"),
    ],
    "batches/queue.jsonl": [batch(0, "dsrUpdate"), batch(1, "indexCreation"), batch(2, "dsrClear")],
  });
  await fill(place, "rules", { importDump: join(place.path, "rules.dump") });
  const { instance, close } = await openCopyFixture(place, "rules");
  const uids = ({ results }: { results: { uid: number }[] }) => results.map(({ uid }) => uid);
  assert.deepEqual(uids(instance.tasks({}, ALL, null)), [1]);
  assert.deepEqual(uids(instance.batches({}, ALL, null)), [1]);
  assert.equal((await instance.register(create("new"))).taskUid, 3);
  await instance.idle();
  assert.equal(instance.task(3, null).batchUid, 3);
  await close();
});

test("a type that only objects have, and a waiting swap of one index with two others, are refused", () => {
  const line = taskLine(ended({ type: "indexDeletion", indexUid: "teas" })) as TaskLine;
  assert.throws(() => readTask({ ...line, type: "constructor" }), /unknown type "constructor"/);
  const swaps = [
    ["a", "b"],
    ["a", "c"],
  ].map((indexes) => ({ indexes, rename: false }));
  const type = { indexSwap: { swaps } };
  assert.throws(() => readTask({ ...line, type, status: "enqueued" }), /twice/);
});
