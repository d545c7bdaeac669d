// Order, failing disks and the size of the journal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { TarsierError } from "../../src/errors.ts";
import { PAYLOAD_INLINE_BYTES_MAX } from "../../src/limits.ts";
import { type Executor, succeeded } from "../../src/tasks/execution.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { Journal } from "../../src/tasks/journal.ts";
import { PAYLOADS_FOLDER } from "../../src/tasks/payloads.ts";
import { type Fault, FaultyStorage } from "../storage/faulty.ts";
import { FakeEngine } from "./fakeengine.ts";
import { mockTimeouts } from "./mocktimeouts.ts";
import { add, create, deleteIds, openFixture, openOver, reopen, settings, statuses, uids } from "./setup.ts";

test("10,000 writes at once keep their order and survive", async () => {
  const fixture = await openFixture({ batchTasksMax: 0 });
  const writes = Array.from({ length: 10_000 }, (_, place) =>
    fixture.instance.register(deleteIds("ferns", `${place}`)),
  );
  const tasks = await Promise.all(writes);
  assert.ok(tasks.every(({ taskUid }, place) => taskUid === place));
  const dates = tasks.map(({ enqueuedAt }) => enqueuedAt);
  const { instance } = await reopen(fixture, { batchTasksMax: 0 });
  assert.equal(uids(instance).length, 1000);
  assert.equal(instance.tasks({}, { limit: 1, from: null, reverse: false }, null).total, 10_000);
  for (const uid of [0, 5000, 9999]) assert.equal(instance.task(uid, null).enqueuedAt, dates[uid]);
  const moments = dates.map((date) => Date.parse(date));
  assert.ok(moments.every((moment, place) => place === 0 || moment >= moments[place - 1]));
});

test("after a failed sync no write is acknowledged until the restart", async () => {
  const { storage, instance } = await openOver(new FaultyStorage(), { batchTasksMax: 0 });
  await instance.register(create("ferns"));
  storage.failAfter(2, "EIO");
  await assert.rejects(instance.register(create("mosses")), { code: "io_error", status: 422 });
  await assert.rejects(instance.register(create("mosses")), { code: "io_error" });
  await assert.rejects(instance.put("keys", "a", 1), { code: "io_error" });
  assert.deepEqual(statuses(instance), ["0 enqueued"]);
});

test("a write that finds no space is refused and leaves no trace", async () => {
  const { storage, engine, instance } = await openOver(new FaultyStorage(), { batchTasksMax: 0 });
  storage.failAfter(1, "ENOSPC", "part");
  await assert.rejects(instance.register(create("ferns")), { code: "no_space_left_on_device" });
  assert.equal((await instance.register(create("ferns"))).taskUid, 0);
  const again = await reopen({ storage, engine, instance }, { batchTasksMax: 0 });
  assert.deepEqual(statuses(again.instance), ["0 enqueued"]);
});

test("an instance that cannot be opened leaves no file open", async () => {
  for (const refused of ["write journal.log", `makeFolder ${PAYLOADS_FOLDER}`]) {
    const storage = new FaultyStorage();
    Journal.open(storage).close();
    storage.rule = (kind, name) => (`${kind} ${name}` === refused ? { code: "EIO", effect: "none" } : null);
    await assert.rejects(Instance.open({ storage, engine: new FakeEngine(storage) }), { code: "io_error" });
    assert.equal(storage.openFiles, 0, refused);
  }
});

test("a write that is refused at once leaves no payload behind", async () => {
  const { storage, instance } = await openOver(new FaultyStorage(), { batchTasksMax: 0 });
  const write = () => add(instance, "ferns", [{ id: 1, text: "x".repeat(PAYLOAD_INLINE_BYTES_MAX) }]);
  storage.rule = (kind, name) =>
    kind === "sync" && name.startsWith(PAYLOADS_FOLDER) ? { code: "EIO", effect: "none" } : null;
  await assert.rejects(write(), { code: "io_error" });
  storage.rule = null;
  await assert.rejects(write(), { code: "io_error" });
  assert.deepEqual(storage.list(PAYLOADS_FOLDER), []);
});

const failureOf = ({ failure }: Journal): string | null => failure?.message ?? null;

test("a journal that takes no more records says so, whatever it was that failed", async () => {
  const renaming = new FaultyStorage();
  const rewritten = Journal.open(renaming);
  await rewritten.write({ type: "instance", uid: "a" });
  assert.equal(failureOf(rewritten), null);
  renaming.rule = (kind) => (kind === "rename" ? { code: "EIO", effect: "none" } : null);
  await assert.rejects(rewritten.compactNow(), { code: "io_error" });
  renaming.rule = null;
  await assert.rejects(async () => rewritten.write({ type: "instance", uid: "b" }), { code: "io_error" });
  assert.match(failureOf(rewritten)!, /cannot rename/);
  const torn = new FaultyStorage();
  const appended = Journal.open(torn);
  torn.rule = (kind) => (/^(write|truncate)$/.test(kind) ? { code: "EIO", effect: "part" } : null);
  for (let attempt = 0; attempt < 2; attempt++)
    await assert.rejects(async () => appended.write({ type: "instance", uid: "b" }), { code: "io_error" });
  assert.match(failureOf(appended)!, /no more writes until a restart/);
});

test("a list of ids that does not fit into a journal record is refused", async () => {
  const { instance } = await openFixture({ batchTasksMax: 0 });
  const long = "x".repeat(2 ** 20);
  await assert.rejects(instance.register(deleteIds("ferns", ...Array(61).fill(long))), {
    code: "payload_too_large",
  });
  assert.equal((await instance.register(create("ferns"))).taskUid, 0);
});

test("the end of a batch that could not be written is reported, and the tasks wait", async () => {
  const { storage, engine, instance } = await openOver(new FaultyStorage());
  engine.hold();
  await add(instance, "ferns", [{ id: 1 }]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const trouble = new Promise<Error>((resolve) => instance.on("trouble", resolve));
  storage.failAfter(2, "EIO");
  engine.release();
  assert.match((await trouble).message, /journal\.log/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(statuses(instance), ["0 enqueued"]);
  const again = await Instance.open({ storage, engine });
  await again.idle();
  assert.deepEqual(statuses(again), ["0 succeeded"]);
  assert.equal(again.stats("ferns").description.numberOfDocuments, 1);
});

test("an end that finds no space is written later: its tasks have not failed", {
  timeout: 8000,
}, async (context) => {
  mockTimeouts(context);
  const storage = new FaultyStorage();
  let refusals = 2;
  const target: Executor = async ([task]) => {
    storage.rule = (kind) => (kind === "write" && refusals-- > 0 ? { code: "ENOSPC", effect: "none" } : null);
    return { ends: [succeeded(task)] };
  };
  const engine = new FakeEngine(storage);
  const instance = await Instance.open({ storage, engine, executors: { export: target } });
  const troubles: Error[] = [];
  instance.on("trouble", (error) => troubles.push(error));
  await instance.register({ type: "export", url: "", apiKey: null, payloadSize: null, indexes: {} });
  for (let tries = 1; tries <= 2; tries++) {
    while (troubles.length < tries) await new Promise(setImmediate);
    assert.deepEqual(statuses(instance), ["0 enqueued"]);
    await new Promise(setImmediate);
    context.mock.timers.tick(10_000);
  }
  await instance.idle();
  assert.deepEqual(statuses(instance), ["0 succeeded"]);
  await instance.close();
});

test("a close does not wait for another try to write the end of a batch", { timeout: 8000 }, async () => {
  for (const closesBefore of [false, true]) {
    const storage = new FaultyStorage();
    const full = (kind: string): Fault | null =>
      kind === "write" ? { code: "ENOSPC", effect: "none" } : null;
    let closing: Promise<void> | null = null;
    const target: Executor = async ([task]) => {
      if (closesBefore) closing = instance.close();
      storage.rule = full;
      return { ends: [succeeded(task)] };
    };
    const engine = new FakeEngine(storage);
    const instance = await Instance.open({ storage, engine, executors: { export: target } });
    const trouble = new Promise((resolve) => instance.on("trouble", resolve));
    await instance.register({ type: "export", url: "", apiKey: null, payloadSize: null, indexes: {} });
    await trouble;
    await new Promise((resolve) => setImmediate(resolve));
    await (closing ?? instance.close());
  }
});

test("a batch that may be committed or not has not failed: its tasks wait for the restart", async () => {
  const fixture = await openFixture();
  const troubles: Error[] = [];
  fixture.instance.on("trouble", (error) => troubles.push(error));
  fixture.engine.hold();
  fixture.engine.failNext = new TarsierError("commit_in_doubt", { reason: "the disk is gone" });
  await add(fixture.instance, "ferns", [{ id: 1 }]);
  const idle = fixture.instance.idle();
  fixture.engine.release();
  await idle;
  assert.deepEqual(statuses(fixture.instance), ["0 enqueued"]);
  assert.deepEqual(
    troubles.map((error) => (error as TarsierError).code),
    ["commit_in_doubt"],
  );
  // Nothing more will happen before the restart, so nobody waits for it.
  await fixture.instance.idle();
  const { instance } = await reopen(fixture);
  await instance.idle();
  assert.deepEqual(statuses(instance), ["0 succeeded"]);
});

test("a journal that is mostly garbage is rewritten and says the same", async () => {
  const fixture = await openFixture({ batchTasksMax: 1 });
  await add(fixture.instance, "ferns", [{ id: 1 }]);
  const bulk = Array.from({ length: 20_000 }, (_, place) => `document-${place}`);
  let sizes = 0;
  for (let turn = 0; turn < 34; turn++) {
    await fixture.instance.register(deleteIds("ferns", ...bulk));
    await fixture.instance.idle();
    sizes = Math.max(sizes, fixture.storage.size("journal.log"));
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(sizes > 8 * 2 ** 20);
  assert.ok(fixture.storage.size("journal.log") < sizes / 2, "rewritten while running");
  const before = fixture.instance.tasks({}, { limit: 99, from: null, reverse: false }, null);
  const batches = fixture.instance.batches({}, { limit: 99, from: null, reverse: false }, null);
  const { instance } = await reopen(fixture);
  assert.deepEqual(instance.tasks({}, { limit: 99, from: null, reverse: false }, null), before);
  assert.deepEqual(instance.batches({}, { limit: 99, from: null, reverse: false }, null), batches);
  assert.deepEqual(instance.index("ferns"), instance.indexes(0, 1, null).results[0]);
});

test("a rewritten journal is rewritten again when most of its tasks are deleted", async () => {
  const { storage, instance } = await openFixture();
  const synonyms = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`word ${at}`, ["other"]]));
  for (let turn = 0; turn < 30; turn++) await instance.register(settings("ferns", { synonyms }));
  await instance.idle();
  await instance.compactQueue();
  const size = storage.size("journal.log");
  assert.ok(size > 9 * 2 ** 20, `${size} bytes`);
  await instance.deleteTasks({}, null, "?uids=*");
  await instance.idle();
  await instance.register(create("mosses"));
  await instance.idle();
  const end = performance.now() + 10_000;
  while (storage.size("journal.log") > size / 2 && performance.now() < end) await pause(10);
  assert.ok(storage.size("journal.log") < size / 2, `${storage.size("journal.log")} bytes`);
});

test("a journal record of an unknown type stops the start", async () => {
  const { storage, instance } = await openFixture();
  await instance.close();
  const journal = Journal.open(storage);
  const record = { type: "tomorrow" } as unknown as Parameters<Journal["write"]>[0];
  await assert.rejects(async () => journal.write(record), /unknown type/);
  assert.throws(() => Journal.open(storage), /unknown type/);
});
