// Archives: what was packed comes out again, and what is made to do harm is refused before it does any.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";
import { TarsierError } from "../../src/errors.ts";
import { type ArchiveLimits, unpackArchive } from "../../src/storage/archivereader.ts";
import { ArchiveWriter, writeArchive } from "../../src/storage/archivewriter.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { FaultyStorage } from "./faulty.ts";

const folder = mkdtempSync(join(tmpdir(), "tarsier-archive-"));
after(() => rmSync(folder, { recursive: true }));

const OPTIONS = { name: "a.gz", temporaryName: "a.tmp", level: 6, interrupt: () => {} };
/** Around the lengths that parts of stored bytes, and pieces of files, may have. */
const PART_SIZES = [1, 511, 512, 65_534, 65_535, 65_536, 131_070, 131_071, 262_144];
const LEVELS = { deflated: 6, stored: 0 };

test("other work has its turn while an archive gets pieces that are all there at once", async () => {
  let others = 0;
  let isOver = false;
  const other = () => {
    others++;
    if (!isOver) setImmediate(other);
  };
  function* slowPieces() {
    for (let count = 0; count < 20; count++) {
      for (const end = performance.now() + 3; performance.now() < end; );
      yield Buffer.from("piece");
    }
    isOver = true;
  }
  const writer = new ArchiveWriter(new MemoryStorage(), OPTIONS);
  setImmediate(other);
  await writer.addPieces("a", slowPieces());
  await writer.finish();
  assert.ok(others >= 10, `${others} turns`);
});

for (const [form, level] of Object.entries(LEVELS)) {
  const options = { ...OPTIONS, level };

  test(`files of all sizes come out as they went in, ${form}`, async () => {
    const storage = new FileStorage(folder, false);
    const writer = new ArchiveWriter(storage, options);
    const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * i) >> 7));
    await writer.add("empty", "");
    await writer.add("a/small.txt", "hello");
    await writer.addPieces("a/b/large", pieces(large, 100_000));
    await writer.addPieces("a/none", []);
    for (const size of PART_SIZES) await writer.add(`parts/${size}`, large.subarray(0, size));
    assert.deepEqual(readdirSync(folder).sort(), ["a.tmp"]);
    await writer.finish();
    assert.deepEqual(readdirSync(folder).sort(), ["a.gz"]);
    const target = new MemoryStorage();
    target.makeFolder("into");
    await unpackArchive(join(folder, "a.gz"), target, "into");
    assert.equal(content(target, "into/empty").length, 0);
    assert.equal(content(target, "into/a/small.txt").toString(), "hello");
    assert.ok(content(target, "into/a/b/large").equals(large));
    assert.equal(content(target, "into/a/none").length, 0);
    rmSync(join(folder, "a.gz"));
    for (const size of PART_SIZES)
      assert.ok(content(target, `into/parts/${size}`).equals(large.subarray(0, size)), `${size} bytes`);
  });

  test(`an archive that is given up leaves nothing, nor does one that is interrupted, ${form}`, async () => {
    const storage = new MemoryStorage();
    let isUnwanted = false;
    const interrupt = () => {
      if (isUnwanted) throw new TarsierError("aborted");
    };
    const writer = new ArchiveWriter(storage, { ...options, interrupt });
    await writer.add("a", "hello");
    isUnwanted = true;
    await assert.rejects(writer.addPieces("b", [Buffer.from("x")]), { code: "aborted" });
    await writer.abandon();
    assert.deepEqual(storage.list(""), []);
  });

  test(`a disk that is full is told, and the archive of before stays, ${form}`, async () => {
    const storage = new FaultyStorage();
    const first = new ArchiveWriter(storage, options);
    await first.add("a", "first");
    await first.finish();
    const second = new ArchiveWriter(storage, options);
    storage.rule = (kind) => (kind === "write" ? { code: "ENOSPC", effect: "none" } : null);
    await assert.rejects(
      async () => {
        for (let i = 0; i < 100; i++) await second.add(`f${i}`, Buffer.from(noise(300_000)));
        await second.finish();
      },
      { code: "no_space_left_on_device" },
    );
    storage.rule = null;
    await second.abandon();
    assert.deepEqual(storage.list(""), ["a.gz"]);
  });

  test(`a disk that is full from the start, or in the middle of much, leaves nothing, ${form}`, async () => {
    for (const bytes of [5, 9 * 2 ** 20]) {
      const storage = new FaultyStorage();
      storage.rule = (kind) => (kind === "write" ? { code: "ENOSPC", effect: "none" } : null);
      const write = (archive: ArchiveWriter) => archive.add("a", Buffer.from(noise(bytes)));
      await assert.rejects(writeArchive(storage, options, write), { code: "no_space_left_on_device" });
      assert.equal(storage.openFiles, 0);
      assert.deepEqual(storage.list(""), []);
    }
  });

  test(`an archive that is interrupted within a file leaves nothing, ${form}`, async () => {
    const storage = new MemoryStorage();
    let turns = 0;
    const interrupt = () => {
      if (++turns === 20) throw new TarsierError("aborted");
    };
    const large = Buffer.from(noise(4_000_000));
    const write = (archive: ArchiveWriter) => archive.addPieces("a", pieces(large, 500_000));
    await assert.rejects(writeArchive(storage, { ...options, interrupt }, write), { code: "aborted" });
    assert.deepEqual(storage.list(""), []);
  });

  test(`a size that cannot be packed leaves nothing, ${form}`, async () => {
    const storage = new MemoryStorage();
    const endless = { size: -1, readInto: () => 0, close: () => {} };
    const write = (archive: ArchiveWriter) => archive.addFile("a", endless);
    await assert.rejects(writeArchive(storage, options, write));
    assert.deepEqual(storage.list(""), []);
  });
}

test("an archive that cannot take its name says why, and leaves nothing", async () => {
  const storage = new FileStorage(folder, false);
  storage.makeFolder("taken");
  const writer = new ArchiveWriter(storage, { ...OPTIONS, name: "taken" });
  await writer.add("a", "hello");
  await assert.rejects(writer.finish(), { code: "io_error", message: /rename `a\.tmp`/ });
  await writer.abandon();
  assert.equal(storage.exists("a.tmp"), false);
});

const file = (name: string, body = "x"): TarEntry => {
  return { header: { name, size: body.length, type: "file" }, body };
};

const HOSTILE: Record<string, TarEntry[]> = {
  "a symbolic link": [{ header: { name: "a", size: 0, type: "symlink", linkname: "/etc/passwd" } }],
  "a hard link": [{ header: { name: "a", size: 0, type: "link", linkname: "b" } }],
  "a device": [{ header: { name: "a", size: 0, type: "character-device" } }],
  "a name that leads upwards": [file("a/../../b")],
  "a name that begins upwards": [file("../b")],
  "a folder that leads upwards": [{ header: { name: "../b/", size: 0, type: "directory" } }],
  "an absolute name": [file("/b")],
  "a name with backslashes": [file("..\\b")],
  "too many folders in each other": [file(`${"a/".repeat(101)}b`)],
  "a name that no file system takes": [file("b".repeat(256))],
  "a file without a name": [file(".")],
  "no file": [],
};

for (const [what, entries] of Object.entries(HOSTILE)) {
  test(`${what} is refused`, async () => {
    const storage = new MemoryStorage();
    await refuses(storage, gzipSync(await packTar([file("first"), ...entries]).then(pick(entries))));
    assert.deepEqual(storage.listFolders(""), ["into"]);
  });
}

test("more bytes or files than an archive can honestly hold are refused before that", async () => {
  const storage = new MemoryStorage();
  const limits: ArchiveLimits = { files: 3, bytesMin: 1000, ratio: 2 };
  const bomb = gzipSync(await packTar([file("small"), file("bomb", "0".repeat(1_000_000))]));
  await refuses(storage, bomb, limits);
  assert.deepEqual(storage.list("into"), ["small"]);
  await refuses(storage, gzipSync(await packTar(["a", "b", "c", "d"].map((name) => file(name)))), limits);
});

test("truncated and damaged archives are refused", async () => {
  const whole = gzipSync(await packTar([file("a", noise(5000)), file("b", noise(5000))]));
  for (const length of [0, 1, 10, 100, whole.length >> 1, whole.length - 9, whole.length - 1]) {
    await refuses(new MemoryStorage(), whole.subarray(0, length));
  }
  await refuses(new MemoryStorage(), Buffer.from("no archive at all"));
  await refuses(new MemoryStorage(), gzipSync("no tar file at all, but packed all the same".repeat(100)));
  const flipped = Buffer.from(whole);
  flipped[whole.length >> 1] ^= 16;
  await refuses(new MemoryStorage(), flipped);
});

async function refuses(storage: Storage, bytes: Uint8Array, limits?: ArchiveLimits): Promise<void> {
  const path = join(folder, "hostile.gz");
  writeFileSync(path, bytes);
  storage.makeFolder("into");
  await assert.rejects(unpackArchive(path, storage, "into", limits), { code: "invalid_archive" });
}

/** An archive without entries stays one; the others have a good file before the bad one. */
function pick(entries: TarEntry[]): (tar: Uint8Array) => Promise<Uint8Array> {
  return (tar) => (entries.length === 0 ? packTar([]) : Promise.resolve(tar));
}

function content(storage: Storage, name: string): Buffer {
  const open = storage.open(name);
  const bytes = Buffer.alloc(open.size);
  open.readInto(bytes, 0);
  open.close();
  return bytes;
}

function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Text that does not shrink. */
function noise(letters: number): string {
  let state = 1;
  const letter = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return String.fromCharCode(33 + ((state >> 16) % 90));
  };
  return Array.from({ length: letters }, letter).join("");
}
