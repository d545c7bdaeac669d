// A disk without room, and the reserve of the journal: what makes room is accepted and done, ends of tasks
// are written, and what takes space is refused until there is some again.
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { SPACE_RESERVE_BYTES } from "../../src/limits.ts";
import { RecordTooLarge } from "../../src/storage/recordformat.ts";
import { Journal } from "../../src/tasks/journal.ts";
import type { JournalRecord } from "../../src/tasks/records.ts";
import { SpaceReserve } from "../../src/tasks/spacereserve.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { SmallDisk } from "../storage/smalldisk.ts";
import {
  closeFixture,
  type LocalFixture,
  openFixture,
  readAll,
  register,
  searchAll,
} from "./localfixture.ts";
import type { Write } from "./model.ts";

const FULL = { code: "no_space_left_on_device" };

let storage: SmallDisk;
let fixture: LocalFixture;
let troubles: string[];

beforeEach(async () => {
  storage = new SmallDisk();
  await open();
  for (const index of ["alpha", "beta"]) await register(fixture, addition(index, 1));
  await fixture.instance.idle();
});

async function open(batchTasksMax?: number): Promise<void> {
  fixture = await openFixture(storage, { reserve: new SpaceReserve(storage), batchTasksMax });
  troubles = [];
  fixture.instance.on("trouble", ({ message }) => troubles.push(message));
}

async function reopen(batchTasksMax?: number): Promise<void> {
  await closeFixture(fixture);
  await open(batchTasksMax);
}

const addition = (index: string, id: number): Write => {
  return { kind: "add", index, method: "replace", documents: [{ id, title: `almond ${"x".repeat(100)}` }] };
};

async function end(uid: number): Promise<unknown[]> {
  await fixture.instance.idle();
  const { status, error } = fixture.instance.task(uid, null);
  return error ? [status, error.code] : [status];
}

test("an index can be deleted although no byte is free, and writes go on once there is room", async () => {
  storage.leaveFree(0);
  await rejects(register(fixture, addition("alpha", 2)), FULL);
  const uid = await register(fixture, { kind: "drop", index: "beta" });
  deepEqual(await end(uid), ["succeeded"]);
  equal(troubles.length, 1);
  match(troubles[0], /^No space is left: cannot write to `journal.log`/);
  storage.leaveFree(2 ** 20);
  deepEqual(await end(await register(fixture, addition("alpha", 3))), ["succeeded"]);
  deepEqual((await searchAll(fixture, "alpha", "almond")).length, 2);
  equal(storage.exists("reserve"), true);
  equal(troubles.length, 1);
  await closeFixture(fixture);
});

test("tasks can be deleted and canceled although no byte is free", async () => {
  await reopen(0);
  const waiting = await register(fixture, addition("alpha", 2));
  storage.leaveFree(0);
  const canceling = (await fixture.instance.cancelTasks({ uids: [waiting] }, null, "?uids=2")).taskUid;
  await reopen();
  deepEqual([await end(canceling), await end(waiting)], [["succeeded"], ["canceled"]]);
  const deleting = (
    await fixture.instance.deleteTasks({ statuses: ["succeeded"] }, null, "?statuses=succeeded")
  ).taskUid;
  deepEqual(await end(deleting), ["succeeded"]);
  await closeFixture(fixture);
});

test("tasks that find no room fail, and do not wait for it", async () => {
  await reopen(0);
  const first = await register(fixture, addition("alpha", 2));
  const second = await register(fixture, addition("gamma", 2));
  // In one batch with the deletion.
  await register(fixture, addition("beta", 2));
  const deletion = await register(fixture, { kind: "drop", index: "beta" });
  storage.leaveFree(0);
  await reopen();
  for (const uid of [first, second]) deepEqual(await end(uid), ["failed", FULL.code]);
  deepEqual(await end(deletion), ["succeeded"]);
  deepEqual((await readAll(fixture, "alpha")).length, 1);
  await closeFixture(fixture);
});

test("what takes space does not use up the reserve once it is given", async () => {
  storage.leaveFree(0);
  await end(await register(fixture, { kind: "drop", index: "gamma" }));
  equal(storage.exists("reserve"), false);
  const before = storage.size("journal.log");
  for (let id = 2; id < 10; id++) await rejects(register(fixture, addition("alpha", id)), FULL);
  await rejects(fixture.instance.put("keys", "a", 1), FULL);
  equal(storage.size("journal.log"), before);
  equal(storage.exists("reserve"), false);
  deepEqual(await end(await register(fixture, { kind: "drop", index: "alpha" })), ["succeeded"]);
  await closeFixture(fixture);
});

test("tasks that make room leave the ends of those that wait their space", async () => {
  await reopen(0);
  storage.leaveFree(0);
  const deletions = [await register(fixture, { kind: "drop", index: "beta" })];
  const drop = () => register(fixture, { kind: "drop", index: "gamma" });
  await rejects(async () => {
    for (;;) deletions.push(await drop());
  }, FULL);
  await reopen();
  for (const uid of deletions.slice(1)) deepEqual(await end(uid), ["failed", "index_not_found"]);
  deepEqual(await end(deletions[0]), ["succeeded"]);
  equal(deletions.length > 100, true);
  await closeFixture(fixture);
});

test("writes go on where something else stands in the place of the reserve", async () => {
  await closeFixture(fixture);
  storage.remove("reserve");
  storage.makeFolder("reserve");
  await open();
  deepEqual(await end(await register(fixture, addition("alpha", 2))), ["succeeded"]);
  storage.leaveFree(0);
  await rejects(register(fixture, addition("alpha", 3)), FULL);
  await rejects(register(fixture, { kind: "drop", index: "beta" }), FULL);
  storage.leaveFree(2 ** 20);
  deepEqual(await end(await register(fixture, addition("alpha", 3))), ["succeeded"]);
  await closeFixture(fixture);
});

test("tasks are not begun while the space cannot be set aside, although they might fit", async () => {
  await reopen(0);
  const waiting = await register(fixture, addition("alpha", 2));
  storage.remove("reserve");
  storage.leaveFree(SPACE_RESERVE_BYTES - 1);
  await reopen();
  deepEqual(await end(waiting), ["failed", FULL.code]);
  await closeFixture(fixture);
});

test("the space is set aside again after a start, and not twice", async () => {
  const size = storage.size("reserve");
  await reopen();
  storage.leaveFree(size - 1);
  await register(fixture, addition("alpha", 2));
  equal(storage.size("reserve"), size);
  storage.remove("reserve");
  await reopen();
  equal(storage.exists("reserve"), false);
  storage.leaveFree(2 ** 20);
  await register(fixture, addition("alpha", 3));
  equal(storage.size("reserve"), size);
  await closeFixture(fixture);
});

test("a reserve that a crash has left half made is made again", async () => {
  await closeFixture(fixture);
  const half = storage.create("reserve");
  half.append(new Uint8Array(SPACE_RESERVE_BYTES / 2));
  half.close();
  await open();
  await register(fixture, addition("alpha", 2));
  equal(storage.size("reserve"), SPACE_RESERVE_BYTES);
  await closeFixture(fixture);
});

test("a reserve takes as much space where a file system compresses", async () => {
  const bytes = new Uint8Array(SPACE_RESERVE_BYTES);
  const file = storage.open("reserve");
  file.readInto(bytes, 0);
  file.close();
  ok(gzipSync(bytes).length >= SPACE_RESERVE_BYTES);
  await closeFixture(fixture);
});

test("where a storage keeps room for a file, the journal has it for what makes room", async () => {
  await closeFixture(fixture);
  storage = new SmallDisk({ keepsRoom: true });
  fixture = await openFixture(storage);
  for (const index of ["alpha", "beta"]) await register(fixture, addition(index, 1));
  await fixture.instance.idle();
  storage.leaveFree(0);
  await rejects(register(fixture, addition("alpha", 2)), FULL);
  deepEqual(await end(await register(fixture, { kind: "drop", index: "beta" })), ["succeeded"]);
  await closeFixture(fixture);
});

test("only a missing space takes the reserve, and its file is not left open", () => {
  const faulty = new FaultyStorage();
  const journal = Journal.open(faulty, new SpaceReserve(faulty));
  const opened = faulty.openFiles;
  const value = (bytes: number): JournalRecord => {
    return { type: "put", kind: "keys", key: "a", value: "x".repeat(bytes) };
  };
  void journal.write(value(1));
  equal(faulty.openFiles, opened);
  throws(() => journal.write(value(2 ** 26), "end"), RecordTooLarge);
  equal(faulty.exists("reserve"), true);
  void journal.close();
});
