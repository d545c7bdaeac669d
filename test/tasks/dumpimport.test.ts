// What an import keeps of a dump whose tasks wait, and what it refuses of its order; and that all of it is
// durable at its end.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { JOURNAL_NAME } from "../../src/segment/journalfile.ts";
import { importDump } from "../../src/tasks/dumps/import.ts";
import { storedKeys } from "../../src/tasks/keys.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { fill, openCopyFixture, Place } from "./copyfixture.ts";
import { FakeEngine } from "./fakeengine.ts";
import { importArchive, writeArchive } from "./oldlines.ts";
import { batched } from "./setup.ts";

const place = new Place();
after(() => place.remove());

const DATE = "2022-10-07T11:38:54Z";
const METADATA = { "metadata.json": { dumpVersion: "V6", dbVersion: "1.16.0" } };
const INDEX = {
  "indexes/teas/metadata.json": { uid: "teas", primaryKey: "sku", createdAt: DATE, updatedAt: DATE },
  "indexes/teas/settings.json": {},
  "indexes/teas/documents.jsonl": [{ sku: 1 }],
};
const task = (uid: number, type: unknown) => ({ uid, status: "enqueued", enqueuedAt: DATE, type });
const ended = (uid: number) => ({ ...task(uid, "indexSwap"), status: "failed" });

test("all that a dump brings is durable when its import has ended, and nothing else is left", async () => {
  await writeArchive(place.path, "durable.dump", {
    ...METADATA,
    "tasks/queue.jsonl": [ended(0), ended(1), ended(2)],
  });
  const storage = new FaultyStorage();
  const engine = new FakeEngine(storage);
  await importDump({ path: join(place.path, "durable.dump"), storage, engine, passing: storage });
  const kinds = storage.trace.filter((step) => "name" in step && step.name === JOURNAL_NAME);
  assert.equal(kinds.at(-1)!.kind, "sync");
  assert.equal(storage.trace.at(-1)!.kind, "removeFolder");
  assert.equal(storage.openFiles, 0);
});

test("a disk that is full while an index is built is no fault of the dump", async () => {
  await writeArchive(place.path, "full.dump", { ...METADATA, "tasks/queue.jsonl": [], ...INDEX });
  const storage = new FaultyStorage();
  const engine = new FakeEngine(storage);
  engine.failNext = new TarsierError("no_space_left_on_device", { reason: "none is left" });
  const path = join(place.path, "full.dump");
  const refusal = { code: "no_space_left_on_device" };
  await assert.rejects(importDump({ path, storage, engine, passing: storage }), refusal);
  assert.equal(storage.openFiles, 0);
});

test("an index whose primary key is no text is refused", async () => {
  const index = { ...INDEX, "indexes/teas/metadata.json": { uid: "teas", primaryKey: 5 } };
  await writeArchive(place.path, "number.dump", { ...METADATA, "tasks/queue.jsonl": [], ...index });
  const filling = fill(place, "number", { importDump: join(place.path, "number.dump") });
  await assert.rejects(filling, /the primary key of index `teas` is no text/);
});

test("tasks and batches of one number are refused", async () => {
  const batch = (uid: number) => ({ uid, startedAt: DATE, finishedAt: DATE, stats: {} });
  const doubled = {
    tasks: { "tasks/queue.jsonl": [ended(0), ended(0)] },
    batches: { "tasks/queue.jsonl": [], "batches/queue.jsonl": [batch(3), batch(3)] },
  };
  for (const [name, files] of Object.entries(doubled)) {
    await writeArchive(place.path, `${name}.dump`, { ...METADATA, ...files });
    await assert.rejects(fill(place, name, { importDump: join(place.path, `${name}.dump`) }), /comes after/);
  }
});

test("a dump that waits keeps the keys that it was asked for with, whatever keys came since", async () => {
  const key = (digit: string) => ({
    uid: `192e54ae-32f8-4c61-85f5-eb2b1b25562${digit}`,
    actions: ["search"],
    indexes: ["*"],
    expires_at: null,
    created_at: DATE,
    updated_at: DATE,
  });
  const [then, now] = ["1", "2"].map(key);
  const waiting = task(0, { dumpCreation: { keys: [then], instance_uid: null } });
  const files = { ...METADATA, "keys.jsonl": [now], "tasks/queue.jsonl": [waiting] };
  const first = await importArchive(place, "keys", files);
  const path = join(place.folder("dumps"), `${first.instance.task(0, null).details?.dumpUid}.dump`);
  await first.close();
  await fill(place, "keysagain", { importDump: path });
  const second = await openCopyFixture(place, "keysagain");
  assert.deepEqual(
    storedKeys(second.instance).map(({ uid }) => uid),
    [then.uid],
  );
  await second.close();
});

test("a swap that waits stays between its neighbours, and keeps what a client said of it", async () => {
  const swap = task(1, { indexSwap: { swaps: [{ indexes: ["teas", "mugs"] }] } });
  const clearing = (uid: number) => ({ ...task(uid, "documentClear"), indexUid: "teas" });
  const lines = [clearing(0), { ...swap, customMetadata: "mine" }, clearing(2)];
  const { instance, close } = await importArchive(place, "swap", { ...METADATA, "tasks/queue.jsonl": lines });
  assert.deepEqual(batched(instance), [[0], [1], [2]]);
  assert.equal(instance.task(1, null).customMetadata, "mine");
  await close();
});

test("an addition that waits with an empty file adds nothing", async () => {
  const addition = { documents_count: 1, method: "ReplaceDocuments", allow_index_creation: true };
  const { instance, close } = await importArchive(place, "blank", {
    ...METADATA,
    "tasks/queue.jsonl": [{ ...task(0, { documentImport: addition }), indexUid: "teas" }],
    "tasks/update_files/0.jsonl": "",
  });
  const { status, details } = instance.task(0, null);
  assert.deepEqual([status, details], ["succeeded", { receivedDocuments: 0, indexedDocuments: 0 }]);
  await close();
});
