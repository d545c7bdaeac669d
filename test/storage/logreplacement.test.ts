// The replacement of a record log: what is appended meanwhile, and what fails on the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadableFile } from "../../src/storage/storage.ts";
import { bytes } from "./cases.ts";
import { FaultyStorage } from "./faulty.ts";
import { logOf, open, read } from "./testlog.ts";

test("a replacement takes the place of all records, and the log goes on in it", async () => {
  const storage = logOf("one", "two");
  const log = open(storage);
  await log.replaceLater(["only"].map(bytes));
  log.append(bytes("more"));
  await log.commit();
  log.close();
  assert.deepEqual(read(storage), ["only", "more"]);
  assert.deepEqual(storage.list(""), ["log"]);
});

test("a replacement closes the old file before it takes its name, and leaves only its own open", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  log.append(bytes("old"));
  await log.commit();
  let reader: ReadableFile | null = storage.open("log");
  const events: string[] = [];
  await log.replaceLater([bytes("new")], {
    onPlaced: () => events.push("placed"),
    onReplacing: () => {
      events.push("replacing");
      reader?.close();
      reader = null;
    },
    onReplaced: () => events.push("replaced"),
  });
  assert.deepEqual(events, ["placed", "replacing", "replaced"]);
  assert.equal(storage.openFiles, 1);
  log.close();
  assert.equal(storage.openFiles, 0);
  assert.deepEqual(read(storage), ["new"]);
});

test("a replacement ends while commits follow one another, and none of them is lost", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  let isOver = false;
  const written: string[] = [];
  const write = async () => {
    while (!isOver && written.length < 1000) {
      written.push(`late ${written.length}`);
      log.append(bytes(written.at(-1)!));
      await log.commit();
    }
  };
  const replacement = log.replaceLater([bytes("state")]);
  const writers = Promise.all([write(), write(), write()]);
  await replacement;
  isOver = true;
  assert.ok(written.length < 1000);
  await writers;
  log.close();
  assert.equal(storage.openFiles, 0);
  assert.deepEqual(read(storage), ["state", ...written]);
});

test("a commit that waits for a replacement which fails is made in the old file", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  storage.rule = (kind, name) =>
    kind === "write" && name === "log.new" && late ? { code: "ENOSPC", effect: "none" } : null;
  let late: Promise<void> | null = null;
  log.append(bytes("early"));
  const early = log.commit();
  const replaced = log.replaceLater([], {
    onPlaced: () => {},
    onReplacing: () => assert.fail("it has failed before"),
    onReplaced: () => {},
  });
  void early.then(() => {
    log.append(bytes("late"));
    late = log.commit();
  });
  await assert.rejects(replaced, { code: "no_space_left_on_device" });
  await late;
  log.close();
  assert.deepEqual(read(storage), ["early", "late"]);
});

test("a replacement that fails and cannot be closed holds up neither commits nor the next one", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  log.append(bytes("old"));
  const fails = /^(write|close)$/;
  storage.rule = (kind, name) =>
    fails.test(kind) && name === "log.new" ? { code: "ENOSPC", effect: "none" } : null;
  await assert.rejects(log.replaceLater([bytes("new")]), { message: /write/ });
  storage.rule = null;
  log.append(bytes("more"));
  await log.commit();
  assert.deepEqual(storage.list(""), ["log"]);
  await log.replaceLater([bytes("new")]);
  log.close();
  assert.equal(storage.openFiles, 0);
  assert.deepEqual(read(storage), ["new"]);
});

test("a shorter log that grows to the size of the one that it replaced is synced all the same", async () => {
  for (const isUnderWay of [false, true]) {
    const storage = new FaultyStorage();
    const log = open(storage);
    log.append(bytes("old"));
    const old = isUnderWay ? log.commit() : log.sync();
    await log.replaceLater([]);
    await old;
    log.append(bytes("new"));
    const before = storage.trace.length;
    await log.commit();
    assert.deepEqual(
      storage.trace.slice(before).map(({ kind }) => kind),
      ["sync"],
    );
    log.close();
  }
});

test("a replacement in the background that a close cuts short leaves the log as it was", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  log.append(bytes("old"));
  const replacement = log.replaceLater([bytes("new")]);
  log.close();
  await assert.rejects(replacement, /closed/);
  assert.deepEqual([storage.list(""), storage.openFiles], [["log"], 0]);
  assert.deepEqual(read(storage), ["old"]);
});

test("what a crash leaves of a replacement goes when the log is opened", () => {
  const storage = logOf("one");
  storage.create("log.new").close();
  assert.deepEqual([read(storage), storage.list("")], [["one"], ["log"]]);
});

test("a replacement in the background carries over what is appended meanwhile", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  for (let i = 0; i < 50; i++) log.append(bytes(`old ${i}`));
  const state = Array.from({ length: 20 }, (_, i) => `state ${i} ${"x".repeat(100_000)}`);
  const replacement = log.replaceLater(state.map(bytes));
  await assert.rejects(log.replaceLater([]), /being replaced/);
  for (let i = 0; i < 5; i++) {
    log.append(bytes(`late ${i}`));
    await log.commit();
  }
  await replacement;
  log.append(bytes("after"));
  log.sync();
  log.close();
  assert.deepEqual(read(storage), [...state, ...[0, 1, 2, 3, 4].map((i) => `late ${i}`), "after"]);
});

test("a replacement that fails leaves the old log at work", async () => {
  for (let count = 1; ; count++) {
    const storage = new FaultyStorage();
    const log = open(storage);
    log.append(bytes("old"));
    log.sync();
    const { operations } = storage;
    storage.failAfter(count, "ENOSPC");
    const failed = await log.replaceLater([bytes("new")]).then(
      () => false,
      () => true,
    );
    if (!failed) {
      assert.ok(count > 4 && storage.operations < operations + count);
      break;
    }
    const failedAtTheSwap = /rename|syncFolder/.test(storage.failed[0]);
    if (failedAtTheSwap) assert.throws(() => log.append(bytes("more")), { code: "no_space_left_on_device" });
    else log.append(bytes("more"));
    if (!failedAtTheSwap) {
      assert.deepEqual(storage.list(""), ["log"]);
      // The next one begins anew.
      await log.replaceLater(["old", "more"].map(bytes));
    }
    log.close();
    assert.equal(storage.openFiles, 0);
    const found = read(storage);
    assert.ok(
      [["old", "more"], ["old"], ["new"]].some((list) => list.join() === found.join()),
      found.join(),
    );
    if (!failedAtTheSwap) assert.deepEqual(found, ["old", "more"]);
  }
});

test("a replacement whose old file cannot be closed ends the log, and leaves no file open", async () => {
  // That of the log and that of who reads it.
  for (const failing of [1, 2]) {
    const storage = new FaultyStorage();
    const log = open(storage);
    log.append(bytes("old"));
    await log.commit();
    const reader = storage.open("log");
    let closed = 0;
    storage.rule = (kind, name) =>
      kind === "close" && name === "log" && ++closed === failing ? { code: "EIO", effect: "done" } : null;
    const replaced = log.replaceLater([bytes("new")], {
      onPlaced: () => {},
      onReplacing: () => reader.close(),
      onReplaced: () => assert.fail("it was not replaced"),
    });
    log.append(bytes("late"));
    await log.commit();
    await assert.rejects(replaced, { code: "io_error" });
    assert.throws(() => log.append(bytes("more")), { code: "io_error" });
    storage.rule = null;
    if (failing === 1) reader.close();
    log.close();
    assert.equal(storage.openFiles, 0);
    assert.deepEqual(read(storage), ["old", "late"]);
  }
});
