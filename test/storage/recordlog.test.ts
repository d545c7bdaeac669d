// The record log: appends, group commits, torn tails, damage. Its replacement: logreplacement.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { LOG_HEADER_BYTES, RECORD_BYTES_MAX, RECORD_HEADER_BYTES } from "../../src/storage/recordformat.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import { RecordReader } from "../../src/storage/recordreader.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { bytes, raw, text } from "./cases.ts";
import { FaultyStorage } from "./faulty.ts";
import { logOf, open, read } from "./testlog.ts";

function replaceFile(storage: Storage, content: Uint8Array): void {
  const file = storage.create("log");
  file.append(content);
  file.close();
}

test("records come back in order, over many openings", () => {
  const storage = new MemoryStorage();
  const expected: string[] = [];
  for (let opening = 0; opening < 4; opening++) {
    const found: string[] = [];
    const log = open(storage, found);
    assert.deepEqual(found, expected);
    assert.equal(log.cut, null);
    for (const record of ["", "a", "b".repeat(300_000), `of opening ${opening}`]) {
      log.append(bytes(record));
      expected.push(record);
    }
    log.close();
  }
});

test("a log that ends in the middle of a record loses that record alone, and goes on", () => {
  const whole = raw(logOf("one", "two", "three"), "log");
  const starts = [0, 3, 6].map((payload, i) => LOG_HEADER_BYTES + i * RECORD_HEADER_BYTES + payload);
  for (let length = LOG_HEADER_BYTES; length < whole.length; length++) {
    const storage = new MemoryStorage();
    replaceFile(storage, whole.subarray(0, length));
    const survivors = ["one", "two"].filter((_, i) => length >= starts[i + 1]);
    const found: string[] = [];
    const log = open(storage, found);
    assert.deepEqual(found, survivors, `cut at ${length}`);
    const end = starts[survivors.length];
    assert.deepEqual(log.cut, length === end ? null : { offset: end, bytes: length - end });
    log.append(bytes("next"));
    log.sync();
    log.close();
    assert.deepEqual(read(storage), [...survivors, "next"]);
  }
});

test("zeros at the end, as an extended file has them after a power loss, are a torn end", () => {
  const storage = logOf("one");
  const file = storage.openToAppend("log");
  file.append(new Uint8Array(10_000));
  file.close();
  const log = open(storage);
  assert.equal(log.cut?.bytes, 10_000);
});

test("a damaged record before a synced one is an error that names the place, and nothing is changed", () => {
  const original = raw(logOf("one", "two", "three"), "log");
  const last = original.length - RECORD_HEADER_BYTES - "three".length;
  for (let at = 0; at < last; at++) {
    for (const bit of [1, 16, 128]) {
      const damaged = original.slice();
      damaged[at] ^= bit;
      const storage = new MemoryStorage();
      replaceFile(storage, damaged);
      assert.throws(() => open(storage), { code: "invalid_store_file" }, `byte ${at}, bit ${bit}`);
      assert.deepEqual(raw(storage, "log"), damaged);
    }
  }
});

test("the error names file, offset, expected and found", () => {
  const storage = logOf("one", "two");
  const damaged = raw(storage, "log");
  damaged[LOG_HEADER_BYTES + RECORD_HEADER_BYTES] ^= 1;
  replaceFile(storage, damaged);
  assert.throws(
    () => open(storage),
    /`log` at offset 20: expected checksum [0-9a-f]{8}, found checksum [0-9a-f]{8}/,
  );
});

test("what was written together and never synced may be lost in part: not an error", () => {
  const storage = new MemoryStorage();
  const log = open(storage);
  log.append(bytes("synced"));
  log.sync();
  const start = log.size;
  for (const record of ["never", "synced", "at all"]) log.append(bytes(record));
  log.close();
  const damaged = raw(storage, "log");
  damaged[start + RECORD_HEADER_BYTES] ^= 1;
  replaceFile(storage, damaged);
  assert.deepEqual(read(storage), ["synced"]);
});

test("bytes that look like a record do not pass for one: each file has its own salt", () => {
  const foreign = logOf("first", "second");
  const record = raw(foreign, "log").subarray(LOG_HEADER_BYTES);
  const storage = logOf("mine");
  const file = storage.openToAppend("log");
  file.append([new Uint8Array(5), record]);
  file.close();
  assert.deepEqual(read(storage), ["mine"]);
});

test("another kind of log, a newer format and a file that is no log are refused", () => {
  const storage = logOf("x");
  assert.throws(() => RecordLog.open(storage, "log", "ELSE", () => {}), { code: "invalid_store_file" });
  replaceFile(storage, bytes("something that is no log at all"));
  assert.throws(() => open(storage), { code: "invalid_store_file" });
  replaceFile(storage, new Uint8Array(0));
  assert.throws(() => open(storage), { code: "invalid_store_file" });
});

test("a record of more than the limit is refused and leaves no trace", () => {
  const storage = logOf("x");
  const log = open(storage);
  assert.throws(() => log.append(new Uint8Array(RECORD_BYTES_MAX + 1)), RangeError);
  log.append(bytes("y"));
  log.close();
  assert.deepEqual(read(storage), ["x", "y"]);
});

test("what a crash can tear stays bounded: a log syncs by itself when much of it is not synced", () => {
  const log = open(new MemoryStorage());
  let syncs = 0;
  log.onSync = () => syncs++;
  const half = new Uint8Array(RECORD_BYTES_MAX / 2);
  const counts = Array.from({ length: 5 }, () => {
    log.append(half);
    return syncs;
  });
  assert.deepEqual(counts, [0, 0, 1, 1, 2]);
  log.close();
});

test("commits that come while the disk works share the next sync", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  const before = storage.trace.length;
  const commits = Array.from({ length: 100 }, (_, i) => {
    log.append(bytes(`record ${i}`));
    return log.commit();
  });
  await Promise.all(commits);
  const steps = storage.trace.slice(before).map(({ kind }) => kind);
  assert.equal(steps.filter((kind) => kind === "write").length, 100);
  assert.equal(steps.filter((kind) => kind === "sync").length, 2);
  assert.equal(steps.at(-1), "sync");
  await log.commit();
  assert.equal(storage.trace.length, before + steps.length, "nothing to sync");
});

test("a commit ends after the sync that covers its record, not before", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  const before = storage.trace.length;
  log.append(bytes("first"));
  const first = log.commit();
  await Promise.resolve();
  log.append(bytes("second"));
  const second = log.commit();
  await first;
  assert.deepEqual(
    storage.trace.slice(before).map(({ kind }) => kind),
    ["write", "write", "sync"],
  );
  await second;
  assert.deepEqual(
    storage.trace.slice(before).map(({ kind }) => kind),
    ["write", "write", "sync", "sync"],
  );
});

test("commits wait for a sync of their own also after others have waited for theirs", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  for (let round = 0; round < 3; round++) {
    log.append(bytes("first"));
    const first = log.commit();
    log.append(bytes("second"));
    await log.commit();
    assert.equal(storage.trace.at(-1)!.kind, "sync");
    await first;
  }
});

test("a sync that ends late takes nothing back of what another has made durable meanwhile", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  log.append(bytes("first"));
  const first = log.commit();
  log.append(bytes("second"));
  log.sync();
  await first;
  const before = storage.trace.length;
  await log.commit();
  assert.equal(storage.trace.length, before, "nothing to sync");
});

test("a log that is closed lets the sync under way use its file to the end, and closes it once", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  log.append(bytes("first"));
  const first = log.commit();
  log.close();
  assert.equal(storage.openFiles, 1);
  await first;
  assert.equal(storage.openFiles, 0);
  log.close();
  assert.equal(storage.openFiles, 0);
});

test("a file with half a record that cannot be cut off ends the log", () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  storage.rule = (kind) => (/write|truncate/.test(kind) ? { code: "EIO", effect: "part" } : null);
  assert.throws(() => log.append(bytes("first")), { code: "io_error" });
  storage.rule = null;
  assert.throws(() => log.append(bytes("second")), { code: "io_error" });
  assert.match(log.failure!.message, /no more writes/);
  log.close();
});

test("a failed sync refuses every commit that waits and all that follow", async () => {
  const storage = new FaultyStorage();
  const log = open(storage);
  log.append(bytes("a"));
  storage.failAfter(2, "EIO");
  const first = log.commit();
  log.append(bytes("b"));
  const second = log.commit();
  await assert.rejects(first, { code: "io_error" });
  await assert.rejects(second, { code: "io_error" });
  assert.throws(() => log.append(bytes("c")), { code: "io_error" });
  assert.throws(() => log.sync(), { code: "io_error" });
  await assert.rejects(log.replaceLater([]), { code: "io_error" });
});

test("a log that cannot be opened leaves no file open", () => {
  const storage = new FaultyStorage();
  open(storage).close();
  storage.rule = (kind) => (kind === "sync" ? { code: "EIO", effect: "none" } : null);
  assert.throws(() => open(storage), { code: "io_error" });
  assert.equal(storage.openFiles, 0);
});

test("a reader that has seen half a record reads it again", () => {
  const whole = raw(logOf("one", "two"), "log");
  let content: Uint8Array = whole.slice(0, -1);
  const readInto = (target: Uint8Array, offset: number) => {
    const piece = content.subarray(offset, offset + target.length);
    target.set(piece);
    return piece.length;
  };
  // The file may have its size before all of its bytes.
  const file = { size: whole.length, readInto, close() {} };
  const reader = RecordReader.open(file, "log", "TEST");
  assert.equal(text(reader.next()!), "one");
  content = Buffer.concat([content, bytes("?")]);
  assert.equal(reader.next(), null);
  content = whole;
  assert.equal(text(reader.next()!), "two");
  assert.equal(reader.next(), null);
});
