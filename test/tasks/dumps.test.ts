// Dumps: what an instance holds goes into one file, and another instance begins with it.
import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { packTar } from "modern-tar";
import type { TarsierError } from "../../src/errors.ts";
import { FEATURE_KIND } from "../../src/schemas/features.ts";
import { ARCHIVE_LIMITS, unpackArchive } from "../../src/storage/archivereader.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { decodeRoaring, encodeRoaring } from "../../src/tasks/dumps/roaring.ts";
import type { Executor } from "../../src/tasks/execution.ts";
import type { Instance } from "../../src/tasks/instance.ts";
import { KEY_KIND, putDefaultKeys, storedKeys } from "../../src/tasks/keys.ts";
import { WEBHOOK_KIND } from "../../src/tasks/webhooks.ts";
import { ignoreCase } from "../storage/foreignfiles.ts";
import { fill, openCopyFixture, Place } from "./copyfixture.ts";
import { ALL, add, clear, create, deleteFilter, deleteIds, rename, settings, settle, swap } from "./setup.ts";

const place = new Place();
after(() => place.remove());

const dumpPath = (name: string) => join(place.folder("dumps"), name);
const tasksOf = (instance: Instance) => instance.tasks({}, ALL, null).results;

/** Runs a dump to its end and returns its path. */
async function dump(instance: Instance): Promise<string> {
  const { taskUid } = await instance.registerDump();
  await instance.idle();
  const { status, details, error } = instance.task(taskUid, null);
  assert.equal(status, "succeeded", error?.message);
  assert.match(String(details?.dumpUid), /^\d{8}-\d{9}$/);
  return dumpPath(`${details?.dumpUid}.dump`);
}

async function writeHistory(instance: Instance): Promise<void> {
  await instance.register(create("teas", "sku"));
  await instance.register(settings("teas", { stopWords: ["the"], synonyms: { a: ["b"] } } as never));
  await add(instance, "teas", [
    { sku: 1, name: "green" },
    { sku: "x", big: 12345678901234567890n.toString() },
  ]);
  await add(instance, "teas", [{ name: "without an id" }]);
  await add(instance, "mugs", [{ id: 7 }, { id: 8, é: "ü\u2028" }]);
  await instance.register(deleteIds("mugs", "7", "9"));
  await instance.register(deleteFilter("mugs", "unknown = 1"));
  await add(instance, "tins", [{ id: 1 }]);
  await instance.register(clear("tins"));
  await instance.register(rename("tins", "cans"));
  await instance.register(swap(["teas", "mugs"]));
  await instance.idle();
  await instance.cancelTasks({ uids: [0] }, null, "?uids=0");
  await instance.deleteTasks({ uids: [1] }, null, "?uids=1");
  await instance.idle();
}

test("documents, settings, values, tasks and batches come back as they were", async () => {
  const first = await openCopyFixture(place, "first");
  await writeHistory(first.instance);
  await putDefaultKeys(first.instance);
  await first.instance.put(FEATURE_KIND, "multimodal", true);
  await first.instance.put(WEBHOOK_KIND, "627ea538-733d-4545-8d2d-03526eb381ce", {
    url: "http://a.b",
    headers: { A: "b" },
  });
  const path = await dump(first.instance);
  const before = { tasks: tasksOf(first.instance), batches: first.instance.batches({}, ALL, null).results };
  assert.equal(await fill(place, "second", { importDump: path }), "dump");
  const second = await openCopyFixture(place, "second");
  await second.instance.idle();
  assert.equal(second.instance.uid, first.instance.uid);
  const found = ({ instance }: typeof first, uid: string) =>
    instance.batches({ indexUids: [uid] }, ALL, null).results.map((batch) => batch.uid);
  for (const uid of ["teas", "mugs", "tins", "cans"])
    assert.deepEqual(found(second, uid), found(first, uid), uid);
  for (const uid of ["teas", "mugs", "cans"]) {
    assert.deepEqual(await second.documents(uid), await first.documents(uid));
    assert.equal(second.instance.index(uid).createdAt, first.instance.index(uid).createdAt);
    assert.equal(second.instance.index(uid).primaryKey, first.instance.index(uid).primaryKey);
    const [left, right] = [first, second].map(({ engine, instance }) =>
      engine.settings(instance.handle(uid)),
    );
    assert.deepEqual(await right, await left);
  }
  assert.deepEqual(storedKeys(second.instance), storedKeys(first.instance));
  for (const kind of [FEATURE_KIND, WEBHOOK_KIND]) {
    assert.deepEqual(second.instance.values(kind), first.instance.values(kind));
  }
  const running = before.tasks.length - 1;
  const imported = tasksOf(second.instance);
  assert.deepEqual(imported.slice(0, running), before.tasks.slice(0, running));
  // The dump knows itself as done, but neither its name nor its batch.
  const own = imported[running];
  assert.deepEqual([own.status, own.batchUid, own.details], ["succeeded", null, { dumpUid: null }]);
  assert.deepEqual(second.instance.batches({}, ALL, null).results, before.batches.slice(0, -1));
  const { taskUid } = await second.instance.register(create("new"));
  assert.equal(taskUid, before.tasks[running].uid + 1);
  await first.close();
  await second.close();
});

test("indexes whose names are longer than a folder's may be come back", async () => {
  const first = await openCopyFixture(place, "long-names");
  const uids = ["a", "b"].map((end) => "x".repeat(399) + end);
  for (const uid of uids) await add(first.instance, uid, [{ id: 1, of: uid }]);
  await add(first.instance, "y".repeat(255), [{ id: 2 }]);
  await first.instance.idle();
  const path = await dump(first.instance);
  assert.equal(await fill(place, "long-names-again", { importDump: path }), "dump");
  const second = await openCopyFixture(place, "long-names-again");
  await second.instance.idle();
  for (const uid of [...uids, "y".repeat(255)])
    assert.deepEqual(await second.documents(uid), await first.documents(uid));
  await first.close();
  await second.close();
});

test("indexes whose names are the same, or none, on the system of the import come back", async (t) => {
  const first = await openCopyFixture(place, "cases");
  const uids = ["Teas", "teas", "con"];
  for (const uid of uids) await add(first.instance, uid, [{ id: 1, of: uid }]);
  await first.instance.idle();
  const path = await dump(first.instance);
  t.after(ignoreCase(place.folder("cases-again")));
  assert.equal(await fill(place, "cases-again", { importDump: path }), "dump");
  const second = await openCopyFixture(place, "cases-again");
  await second.instance.idle();
  for (const uid of uids) assert.deepEqual(await second.documents(uid), [{ id: 1, of: uid }]);
  await first.close();
  await second.close();
});

test("documents that repeat themselves a thousand times come back", async () => {
  const first = await openCopyFixture(place, "repeating");
  const zeros = Array.from({ length: 7000 }, () => 0);
  const documents = Array.from({ length: 300 }, (_, id) => ({ id, zeros }));
  await first.instance.register(settings("r", { searchableAttributes: ["id"] } as never));
  await add(first.instance, "r", documents);
  await first.instance.idle();
  const path = await dump(first.instance);
  const limits = { files: 1000, bytesMin: 0, ratio: ARCHIVE_LIMITS.ratio };
  const target = new MemoryStorage();
  target.makeFolder("into");
  await unpackArchive(path, target, "into", limits);
  assert.ok(readFileSync(path).length < (300 * 14_000) / 250);
  await first.close();
});

test("shapes that earlier versions took come back", async () => {
  const first = await openCopyFixture(place, "older");
  const { instance } = first;
  const _geojson = { type: "FeatureCollection", features: [{ type: "Point", coordinates: [1, 1] }] };
  await add(instance, "parks", [{ id: 1, _geojson }]);
  await instance.idle();
  // Documents that are there already are not refused for them.
  await instance.register(settings("parks", { filterableAttributes: ["_geojson"] }));
  const path = await dump(instance);
  assert.equal(
    tasksOf(instance).some(({ status }) => status === "failed"),
    false,
  );
  await first.close();
  assert.equal(await fill(place, "newer", { importDump: path }), "dump");
});

test("what waits when the dump is made waits when it is read, with its documents", async () => {
  const queue = await openCopyFixture(place, "queue", { batchTasksMax: 0 });
  const large = Array.from({ length: 3000 }, (_, id) => ({ id, text: `document ${id}` }));
  await add(queue.instance, "teas", large);
  await add(queue.instance, "teas", [{ id: 3000 }]);
  await add(queue.instance, "teas", []);
  await queue.instance.register(deleteIds("teas", "0", "1"));
  await queue.instance.register(settings("teas", { stopWords: ["of"] }));
  await queue.instance.cancelTasks({ uids: [2] }, null, "?uids=2");
  const { taskUid } = await queue.instance.registerDump();
  await queue.close();
  // Dumps come before documents, cancelations before dumps: so it is read before it runs.
  const running = await openCopyFixture(place, "queue");
  await running.instance.idle();
  const path = dumpPath(`${running.instance.task(taskUid, null).details?.dumpUid}.dump`);
  await fill(place, "waiting", { importDump: path });
  const waiting = await openCopyFixture(place, "waiting", { batchTasksMax: 0 });
  const statuses = tasksOf(waiting.instance).map(({ status }) => status);
  const expected = ["enqueued", "enqueued", "canceled", "enqueued", "enqueued", "succeeded", "succeeded"];
  assert.deepEqual(statuses, expected);
  await waiting.close();
  const resumed = await openCopyFixture(place, "waiting");
  await resumed.instance.idle();
  assert.deepEqual(await resumed.documents("teas"), await running.documents("teas"));
  assert.equal((await resumed.documents("teas")).length, 2999);
  await running.close();
  await resumed.close();
});

test("documents that still move between servers do not go on moving where the dump is read", async () => {
  const networkTopologyChange: Executor = async () => ({ waitMs: 60_000 });
  const first = await openCopyFixture(place, "moving", { executors: { networkTopologyChange } });
  await first.instance.register({ type: "networkTopologyChange", members: ["a", "b"] });
  const { taskUid } = await first.instance.registerDump();
  const dumped = () => first.instance.task(taskUid, null);
  while (dumped().status !== "succeeded") await new Promise((resolve) => setTimeout(resolve, 10));
  const path = dumpPath(`${dumped().details?.dumpUid}.dump`);
  await first.close();
  await fill(place, "moved", { importDump: path });
  const second = await openCopyFixture(place, "moved");
  await second.instance.idle();
  assert.deepEqual(
    tasksOf(second.instance).map(({ uid, type, status }) => [uid, type, status]),
    [[taskUid, "dumpCreation", "succeeded"]],
  );
  await second.close();
});

test("a write that waits for other servers does not go on waiting where the dump is read", async () => {
  const first = await openCopyFixture(place, "unsent");
  const write = { method: "POST", path: "/indexes", json: '{"uid":"teas"}', hasBody: true } as const;
  const outgoing = { ...write, self: "a", members: ["a", "b", "c"], waiting: ["b"] };
  const remotes = { b: { error: "waiting to be sent" }, c: { task_uid: 7 } };
  const { taskUid } = await first.instance.register({ ...create("teas"), network: { remotes }, outgoing });
  const path = await dump(first.instance);
  await first.close();
  await fill(place, "read", { importDump: path });
  const second = await openCopyFixture(place, "read");
  assert.deepEqual(second.instance.task(taskUid, null).network, {
    remotes: { ...remotes, b: { error: "not sent when the dump was made that this server has read" } },
  });
  assert.deepEqual([...second.instance.outgoing()], []);
  await second.close();
});

test("a dump that is canceled leaves no file", async () => {
  const fixture = await openCopyFixture(place, "canceled");
  await add(
    fixture.instance,
    "teas",
    Array.from({ length: 20_000 }, (_, id) => ({ id, text: "x".repeat(99) })),
  );
  await fixture.instance.idle();
  const before = place.files("dumps");
  const { taskUid } = await fixture.instance.registerDump();
  await settle();
  await fixture.instance.cancelTasks({ uids: [taskUid] }, null, `?uids=${taskUid}`);
  await fixture.instance.idle();
  const { status, details } = fixture.instance.task(taskUid, null);
  assert.deepEqual([status, details], ["canceled", { dumpUid: null }]);
  assert.deepEqual(place.files("dumps"), before);
  await fixture.close();
});

test("a dump holds the keys of the moment when it was asked for", async () => {
  const fixture = await openCopyFixture(place, "keys", { batchTasksMax: 0 });
  await putDefaultKeys(fixture.instance);
  const [key] = storedKeys(fixture.instance);
  await fixture.instance.registerDump();
  await fixture.instance.put(KEY_KIND, key.uid, null);
  await fixture.close();
  const again = await openCopyFixture(place, "keys");
  await again.instance.idle();
  const path = dumpPath(`${again.instance.task(0, null).details?.dumpUid}.dump`);
  await again.close();
  await fill(place, "keys2", { importDump: path });
  const imported = await openCopyFixture(place, "keys2");
  assert.deepEqual(imported.instance.value(KEY_KIND, key.uid), key);
  await imported.close();
});

test("a dump that cannot be read leaves the folder as it was", async () => {
  const fixture = await openCopyFixture(place, "sound");
  await add(fixture.instance, "teas", [{ id: 1 }]);
  await fixture.instance.idle();
  const path = await dump(fixture.instance);
  await fixture.close();
  const broken = join(place.path, "broken.dump");
  writeFileSync(broken, readFileSync(path));
  truncateSync(broken, 400);
  await assert.rejects(fill(place, "empty", { importDump: broken }), { code: "invalid_archive" });
  assert.deepEqual(place.files("empty"), []);
  const there = place.files("sound");
  await assert.rejects(fill(place, "sound", { importDump: path }), { code: "database_refused" });
  assert.deepEqual(place.files("sound"), there);
  assert.equal(await fill(place, "sound", { importDump: path, ignoreDumpIfDbExists: true }), null);
  const missing = { importDump: join(place.path, "missing.dump") };
  await assert.rejects(fill(place, "empty", missing), { code: "database_refused" });
  assert.equal(await fill(place, "empty", { ...missing, ignoreMissingDump: true }), null);
});

test("an archive that is no dump is refused by the file it lacks, not as a fault of the disk", async () => {
  const path = join(place.path, "other.dump");
  writeFileSync(path, gzipSync(await packTar([{ header: { name: "a", size: 1 }, body: "x" }])));
  await assert.rejects(fill(place, "empty", { importDump: path }), ({ code, message }: TarsierError) => {
    assert.equal(code, "dump_process_failed");
    assert.match(message, /other\.dump` has no file `metadata\.json`/);
    return !message.includes("disk");
  });
  assert.deepEqual(place.files("empty"), []);
});

test("sets of task numbers survive the form that dumps have for them", () => {
  const uids = fc.uniqueArray(fc.oneof(fc.nat(200), fc.nat(70_000), fc.nat(2 ** 32 - 1)), { maxLength: 500 });
  fc.assert(
    fc.property(uids, fc.nat(70_000), fc.nat(9_000), (some, start, length) => {
      const run = Array.from({ length }, (_, i) => start + i);
      const sorted = [...new Set([...some, ...run])].sort((a, b) => a - b);
      assert.deepEqual([...decodeRoaring(encodeRoaring(sorted))], sorted);
    }),
    { numRuns: 50 },
  );
});

test("sets of task numbers are read in the form with runs, too", () => {
  // 12347 with one container; it is runs; key 1, seven numbers; two runs: 5 to 9, 20 to 21.
  const bytes = [0x3b, 0x30, 0, 0, 1, 1, 0, 6, 0, 2, 0, 5, 0, 4, 0, 20, 0, 1, 0];
  const expected = [5, 6, 7, 8, 9, 20, 21].map((value) => 65_536 + value);
  assert.deepEqual([...decodeRoaring(Uint8Array.from(bytes))], expected);
  assert.throws(() => [...decodeRoaring(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))], RangeError);
});

test("sets of task numbers that descend, or name billions in some bytes, are refused", () => {
  // One container of runs; two runs: 20 to 21, 5 to 9.
  const descending = [0x3b, 0x30, 0, 0, 1, 1, 0, 6, 0, 2, 0, 20, 0, 1, 0, 5, 0, 4, 0];
  assert.throws(() => [...decodeRoaring(Uint8Array.from(descending))], RangeError);
  const containers = 300;
  const full = [1, 0, 0, 0, 255, 255];
  const bits = Array.from({ length: Math.ceil(containers / 8) }, () => 255);
  const keys = Array.from({ length: containers }, (_, key) => [key & 255, key >> 8, 255, 255]);
  const offsets = Array.from({ length: 4 * containers }, () => 0);
  const runs = Array.from({ length: containers }, () => full);
  const head = [0x3b, 0x30, (containers - 1) & 255, (containers - 1) >> 8];
  const many = Uint8Array.from([...head, ...bits, ...keys.flat(), ...offsets, ...runs.flat()]);
  let last = 0;
  assert.throws(() => {
    for (const value of decodeRoaring(many)) last = value;
  }, RangeError);
  assert.equal(last, 2 ** 24 - 1);
});
