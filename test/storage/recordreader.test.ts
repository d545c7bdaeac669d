// Reading a log whose bytes are not what was written: headers, lengths and places that are wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { LOG_HEADER_BYTES, RECORD_HEADER_BYTES } from "../../src/storage/recordformat.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import { RecordReader } from "../../src/storage/recordreader.ts";
import type { ReadableFile } from "../../src/storage/storage.ts";
import { bytes, raw, text } from "./cases.ts";

const KIND = "TEST";
const DAMAGED = { code: "invalid_store_file" };

function contentOf(...records: string[]): Buffer {
  const storage = new MemoryStorage();
  const log = RecordLog.open(storage, "log", KIND, () => {});
  for (const record of records) log.append(bytes(record));
  log.sync();
  log.close();
  return Buffer.from(raw(storage, "log"));
}

/** A file, and the most bytes that were asked of it at once. */
function fileOf(content: Uint8Array): ReadableFile & { most: number } {
  const file = {
    most: 0,
    size: content.length,
    readInto(target: Uint8Array, offset: number) {
      file.most = Math.max(file.most, target.length);
      const piece = content.subarray(offset, offset + target.length);
      target.set(piece);
      return piece.length;
    },
    close() {},
  };
  return file;
}

const open = (file: ReadableFile) => RecordReader.open(file, "log", KIND);
const openDamaged = (content: Uint8Array) => RecordReader.openDamaged(fileOf(content), "log", KIND);

test("a length that no record has asks for no memory", () => {
  const content = contentOf("one", "two");
  content.writeUInt32LE(0xffff_fff0, LOG_HEADER_BYTES + RECORD_HEADER_BYTES + "one".length + 4);
  const file = fileOf(content);
  const reader = open(file);
  assert.equal(text(reader.next()!), "one");
  assert.equal(reader.next(), null);
  assert.ok(file.most < 2 ** 20, `${file.most} bytes`);
});

test("a place at which no record begins is damage, also at the end of the file and beyond it", () => {
  const content = contentOf("one", "two");
  for (const place of [content.length - 3, content.length, content.length + 100])
    assert.throws(() => open(fileOf(content)).at(place), DAMAGED);
  const reader = open(fileOf(content));
  const second = LOG_HEADER_BYTES + RECORD_HEADER_BYTES + "one".length;
  assert.equal(text(reader.at(second)), "two");
  // Also backwards.
  assert.equal(text(reader.at(LOG_HEADER_BYTES)), "one");
});

test("a log with a damaged header is read when one of its records tells the key to them", () => {
  const lone = contentOf("one");
  const several = contentOf("one", "two");
  for (const content of [lone, several]) {
    content[0] ^= 1;
    assert.throws(() => open(fileOf(content)), DAMAGED);
    assert.equal(text(openDamaged(content)!.next()!), "one");
  }
  // The first record is damaged, too.
  several[LOG_HEADER_BYTES + RECORD_HEADER_BYTES] ^= 1;
  const reader = openDamaged(several)!;
  assert.equal(reader.next(), null);
  assert.ok(reader.resume());
  assert.equal(text(reader.next()!), "two");
  lone[LOG_HEADER_BYTES + RECORD_HEADER_BYTES] ^= 1;
  assert.equal(openDamaged(lone), null);
  assert.equal(openDamaged(lone.subarray(0, LOG_HEADER_BYTES - 1)), null);
});
