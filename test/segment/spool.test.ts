// Bytes kept for later come out as they went in, from memory or from a file; no file stays behind.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Core } from "../../src/core/core.ts";
import { Spool, SpoolBuffer, spoolOf } from "../../src/segment/spool.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { noise, segmentFile } from "./sections.ts";

const core = new Core();
const MEBIBYTE = 1024 * 1024;
const buffer = new SpoolBuffer(core, 4 * MEBIBYTE);

/**
 * Spools the bytes in pieces of a size and copies them to a file; returns them and whether a file was in
 * use.
 */
function spooled(
  bytes: Uint8Array,
  pieceBytes: number,
): { copied: Uint8Array; usedFile: boolean; left: string[] } {
  const storage = new MemoryStorage();
  const spool = new Spool(storage, spoolOf("segment"), buffer);
  const piece = core.take(pieceBytes);
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const count = Math.min(pieceBytes, bytes.length - from);
    core.write(piece, bytes.subarray(from, from + count));
    spool.appendFrom(piece, count);
    core.fill(piece, 0, count);
  }
  core.give(piece, pieceBytes);
  const usedFile = storage.exists(spoolOf("segment"));
  const file = segmentFile(core, storage, "segment", (writer) => {
    writer.beginSection("postings");
    spool.copyTo(writer);
    writer.endSection();
  });
  const { length } = file.section("postings");
  const region = core.take(length + 65536);
  const at = file.readSection(core, "postings", () => region);
  const copied = core.read(at, length);
  core.give(region, length + 65536);
  return { copied, usedFile, left: storage.list("").filter((name) => name !== "segment") };
}

describe("a spool", () => {
  it("keeps copies of few bytes in memory", () => {
    const bytes = noise(3 * MEBIBYTE + 17);
    const { copied, usedFile, left } = spooled(bytes, 1000);
    assert.ok(Buffer.compare(copied, bytes) === 0);
    assert.equal(usedFile, false);
    assert.deepEqual(left, []);
  });

  it("keeps many bytes in a file, and removes it", () => {
    const bytes = noise(40 * MEBIBYTE + 1);
    const { copied, usedFile, left } = spooled(bytes, 700_001);
    assert.ok(Buffer.compare(copied, bytes) === 0);
    assert.equal(usedFile, true);
    assert.deepEqual(left, []);
  });

  it("may be empty", () => {
    assert.equal(spooled(new Uint8Array(0), 1).copied.length, 0);
  });

  it("removes its file when it is given up", () => {
    const storage = new MemoryStorage();
    const spool = new Spool(storage, "x.tmp", buffer);
    const bytes = core.take(6 * MEBIBYTE);
    spool.appendFrom(bytes, 6 * MEBIBYTE);
    core.give(bytes, 6 * MEBIBYTE);
    assert.deepEqual(storage.list(""), ["x.tmp"]);
    spool.discard();
    assert.deepEqual(storage.list(""), []);
  });
});
