// Sets of deleted documents: encoding, union, damage.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readTombstones, Tombstones, writeTombstones } from "../../src/segment/tombstones.ts";
import { crc32c } from "../../src/storage/crc32c.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { FaultyStorage } from "../storage/faulty.ts";

const docidSets = fc.oneof(
  fc.uniqueArray(fc.nat(0xffff_ffff)),
  fc.uniqueArray(fc.integer({ min: 1000, max: 1400 }), { maxLength: 400 }),
);
const ascending = (docids: number[]) => [...docids].sort((a, b) => a - b);

test("a set of docids survives encoding, whatever its density", () => {
  fc.assert(
    fc.property(docidSets, (docids) => {
      const decoded = Tombstones.decode(Tombstones.of(docids).encode(), "test");
      assert.deepEqual([...decoded.docids], ascending(docids));
    }),
  );
});

test("dense sets take a bit a document, sparse ones a few bytes", () => {
  const dense = Tombstones.of(Array.from({ length: 8000 }, (_, i) => 70_000 + i));
  assert.ok(dense.encode().length < 1100);
  const sparse = Tombstones.of([5, 4_000_000_000]);
  assert.ok(sparse.encode().length < 20);
});

test("with unites, has finds, toBitmap sets bits", () => {
  fc.assert(
    fc.property(docidSets, docidSets, docidSets, (left, right, both) => {
      const [a, b] = [left, right].map((own) => [...own, ...both]);
      const union = Tombstones.of(a).with(b);
      const expected = ascending([...new Set([...a, ...b])]);
      assert.deepEqual([...union.docids], expected);
      for (const docid of expected.slice(0, 20)) assert.equal(union.has(docid), true);
      const members = new Set(expected);
      for (let docid = 990; docid < 1410; docid++) assert.equal(union.has(docid), members.has(docid));
      const bitmap = union.toBitmap(25);
      assert.equal(bitmap.length, 200);
      for (let docid = 0; docid < 1600; docid++) {
        assert.equal((bitmap[docid >> 3] >> (docid & 7)) & 1, members.has(docid) ? 1 : 0);
      }
    }),
  );
});

test("small sets stand in the manifest, larger ones in a file of their own", () => {
  const storage = new MemoryStorage();
  storage.makeFolder("index");
  assert.equal(writeTombstones(storage, "index", "segment-00000001", 7, Tombstones.none), null);
  assert.equal(readTombstones(storage, "index", null).count, 0);

  const small = Tombstones.of([1, 2, 3]);
  const inline = writeTombstones(storage, "index", "segment-00000001", 7, small)!;
  assert.equal(inline.file, null);
  assert.deepEqual(storage.list("index"), []);
  assert.deepEqual(readTombstones(storage, "index", inline).docids, small.docids);

  const large = Tombstones.of(Array.from({ length: 5000 }, (_, i) => i * 1000));
  const file = writeTombstones(storage, "index", "segment-00000001", 8, large)!;
  assert.deepEqual({ ...file, inline: null }, { count: 5000, file: "segment-00000001-8.del", inline: null });
  assert.deepEqual(readTombstones(storage, "index", file).docids, large.docids);
  assert.throws(() => readTombstones(storage, "index", { ...file, count: 4999 }), {
    code: "invalid_store_file",
  });
});

test("files of large sets are closed, also when they cannot be written or read", () => {
  const storage = new FaultyStorage();
  storage.makeFolder("index");
  const large = Tombstones.of(Array.from({ length: 5000 }, (_, i) => i * 1000));
  const write = () => writeTombstones(storage, "index", "segment-00000001", 8, large)!;
  const entry = write();
  assert.equal(readTombstones(storage, "index", entry).count, 5000);
  assert.throws(() => readTombstones(storage, "index", { ...entry, count: 4999 }));
  storage.remove("index/segment-00000001-8.del");
  // The file is there, and its bytes are not written.
  storage.failAfter(2, "ENOSPC");
  assert.throws(write, { code: "no_space_left_on_device" });
  assert.equal(storage.openFiles, 0);
});

test("every flipped bit is found", () => {
  const original = Tombstones.of([3, 9, 1_000_000]).encode();
  for (let bit = 0; bit < original.length * 8; bit++) {
    const damaged = original.slice();
    damaged[bit >> 3] ^= 1 << (bit & 7);
    assert.throws(() => Tombstones.decode(damaged, "test"), { code: "invalid_store_file" });
  }
  for (let length = 0; length < original.length; length++) {
    assert.throws(() => Tombstones.decode(original.subarray(0, length), "test"), {
      code: "invalid_store_file",
    });
  }
});

/** With a checksum that fits the bytes. */
function sealed(bytes: Uint8Array): Uint8Array {
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length).setUint32(0, crc32c(bytes, 4), true);
  return bytes;
}

test("more documents than a file has room for are damage, whatever its checksum says", () => {
  const bytes = Tombstones.of([5, 7]).encode();
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length).setUint32(6, 0xffff_ffff, true);
  assert.throws(() => Tombstones.decode(sealed(bytes), "test"), { code: "invalid_store_file" });
});

test("what another version wrote is not read, and the message says so", () => {
  const bytes = Tombstones.of([5, 7]).encode();
  assert.deepEqual([...Tombstones.decode(sealed(bytes), "test").docids], [5, 7]);
  bytes[4]++;
  assert.throws(() => Tombstones.decode(sealed(bytes), "test"), /a newer version wrote it/);
});
