// What survives a crash or a restart, at any moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import { pack } from "../../src/tasks/codec.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { type JournalRecord, unpackRecord } from "../../src/tasks/records.ts";
import { FakeEngine } from "./fakeengine.ts";
import {
  ALL,
  add,
  clear,
  create,
  deleteIds,
  type Fixture,
  openFixture,
  remove,
  rename,
  reopen,
  runQueued,
  settings,
  settle,
  statuses,
  swap,
  timeless,
} from "./setup.ts";

async function write(queue: Instance): Promise<void> {
  await queue.register(create("teas", "sku"));
  await add(queue, "teas", [{ sku: 1 }, { sku: 2 }]);
  await add(queue, "coffees", [{ id: 1 }]);
  await queue.register(deleteIds("teas", "1"));
  await queue.register(swap(["teas", "coffees"]));
  await add(queue, "teas", [{ wrong: 1 }]);
  await queue.register(rename("coffees", "cocoas"));
  await queue.register(settings("cocoas"));
  await queue.register(remove("teas"));
  await queue.register(clear("cocoas"));
  await add(queue, "juices", [{ id: 1 }, { id: 2 }]);
}

function recordsOf(storage: MemoryStorage): Uint8Array[] {
  const records: Uint8Array[] = [];
  RecordLog.open(storage, "journal.log", "TASK", (record) => records.push(record)).close();
  return records;
}

/** Folders that may exist, and folders that were removed. */
function foldersIn(records: JournalRecord[]): { made: Set<string>; gone: Set<string> } {
  const made = new Set<string>();
  const gone = new Set<string>();
  for (const record of records) {
    if (record.type === "drop") made.add(record.folder);
    if (record.type === "dropped") gone.add(record.folder);
    if (record.type === "catalog") for (const { entry } of record.changes) if (entry) made.add(entry.folder);
  }
  return { made, gone };
}

function describe(instance: Instance) {
  const indexes = instance.indexes(0, 99, null).results.map(({ uid, primaryKey }) => {
    return { uid, primaryKey, documents: instance.stats(uid).description.numberOfDocuments };
  });
  return { tasks: instance.tasks({}, ALL, null).results.map(timeless), indexes };
}

test("a crash at any record of the journal changes nothing of the outcome", async () => {
  const fixture = await runQueued(write);
  const expected = describe(fixture.instance);
  await fixture.instance.close();
  const records = recordsOf(fixture.storage);
  const decoded = records.map((record) => unpackRecord(record));
  const firstEnd = decoded.findIndex(({ type }) => type !== "task" && type !== "instance");
  assert.ok(records.length - firstEnd >= 12);
  for (let cut = firstEnd; cut <= records.length; cut++) {
    const written = decoded.slice(0, cut);
    const ended = new Set(
      written.flatMap((record) => (record.type === "finish" ? record.ends.map(([uid]) => uid) : [])),
    );
    const { made, gone } = foldersIn(written);
    const { commits } = fixture.engine;
    const known = commits.filter(({ taskUids }) => taskUids.every((uid) => ended.has(uid))).length;
    // The engine may have committed one batch more than the journal tells.
    for (const count of [known, known + 1]) {
      const committed = commits.slice(0, count).filter(({ folder }) => made.has(folder) && !gone.has(folder));
      const storage = new MemoryStorage();
      const log = RecordLog.open(storage, "journal.log", "TASK", () => {});
      for (const record of records.slice(0, cut)) log.append(record);
      log.close();
      const engine = new FakeEngine(storage, committed);
      const instance = await Instance.open({ storage, engine });
      await instance.idle();
      assert.deepEqual(describe(instance), expected, `cut at record ${cut}, ${count} commits`);
      assert.deepEqual(storage.list("payloads"), []);
      assert.equal(engine.indexes.size, expected.indexes.length, "no folder is left over");
      await instance.close();
    }
  }
});

test("records that do not fit together stop the start, and the error tells where", async () => {
  const storage = new MemoryStorage();
  const log = RecordLog.open(storage, "journal.log", "TASK", () => {});
  log.append(pack({ type: "instance", uid: "a" }));
  const offset = log.size;
  log.append(pack({ type: "catalog" }));
  log.append(pack({ type: "instance", uid: "b" }));
  log.close();
  const opening = Instance.open({ storage, engine: new FakeEngine(storage, []) });
  await assert.rejects(opening, new RegExp(`journal\\.log. at offset ${offset}: `));
});

test("a batch that is running when the instance closes runs again", async () => {
  const fixture = await openFixture();
  fixture.engine.hold();
  await add(fixture.instance, "ferns", [{ id: 1 }]);
  await settle();
  assert.deepEqual(statuses(fixture.instance), ["0 processing"]);
  const closing = fixture.instance.close();
  fixture.engine.release();
  await closing;
  const instance = await Instance.open(fixture);
  await instance.idle();
  assert.deepEqual(statuses(instance), ["0 succeeded"]);
  assert.equal(instance.task(0, null).batchUid, 0);
  assert.equal(instance.stats("ferns").description.numberOfDocuments, 1);
});

test("payloads that no waiting task needs are removed at start, the others survive", async () => {
  const fixture = await openFixture({ batchTasksMax: 0 });
  const large = "x".repeat(100_000);
  fixture.instance.draftPayload().append(new TextEncoder().encode(large));
  await add(fixture.instance, "ferns", [{ id: 1 }]);
  await add(fixture.instance, "ferns", [{ id: 2, text: large }]);
  assert.equal(fixture.storage.list("payloads").length, 2, "the small payload is no file");
  assert.ok(fixture.storage.exists(fixture.instance.payloadName(1)!));
  const { instance, storage } = await reopen(fixture);
  await instance.idle();
  assert.deepEqual(statuses(instance), ["0 succeeded", "1 succeeded"]);
  assert.equal(instance.stats("ferns").description.numberOfDocuments, 2);
  assert.deepEqual(storage.list("payloads"), []);
  assert.equal(instance.payloadName(1), null);
});

test("the uid of the instance and small values survive", async () => {
  const fixture = await openFixture();
  await fixture.instance.put("keys", "a", { name: "first" });
  await fixture.instance.put("keys", "b", { name: "second" });
  await fixture.instance.put("keys", "a", null);
  const { uid } = fixture.instance;
  const { instance } = await reopen(fixture);
  assert.equal(instance.uid, uid);
  assert.deepEqual(instance.values("keys"), [["b", { name: "second" }]]);
  assert.equal(instance.value("keys", "a"), undefined);
});

test("a write that another server sends again after a restart is the same task", async () => {
  const first = await openFixture();
  const send = ({ instance }: Fixture, writeId: string, remoteName = "b") =>
    instance.register({ ...create("ferns"), origin: { remoteName, writeId } });
  const { taskUid } = await send(first, "one");
  const second = await reopen(first);
  assert.equal((await send(second, "one")).taskUid, taskUid);
  await second.instance.compactQueue();
  const third = await reopen(second);
  assert.equal((await send(third, "one")).taskUid, taskUid, "a rewritten journal tells of it, too");
  assert.equal((await send(third, "one", "c")).taskUid, taskUid + 1);
  assert.equal((await send(third, "two")).taskUid, taskUid + 2);
});
