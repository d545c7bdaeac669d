// A bundle as a storage: what is read of a server, how often, and what lies over it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { BundleStorage } from "../../src/storage/bundle.ts";
import { isMissing, StorageError, storageError } from "../../src/storage/failure.ts";
import { OverlayStorage } from "../../src/storage/overlay.ts";
import { bytes, content, raw, write } from "./cases.ts";

const BLOCK_BYTES = 128 * 1024;

const isOfBundle = (error: unknown, code: string) =>
  error instanceof StorageError && error.systemCode === code && /files of a bundle/.test(error.message);

/** Files on a server that answers ranges, or whole files if it knows none, and notes what it is asked. */
class Server {
  readonly requests: string[] = [];
  readonly files: Record<string, Uint8Array>;
  knowsRanges = true;

  constructor(files: Record<string, Uint8Array>) {
    this.files = files;
  }

  open(): BundleStorage {
    const sizes = Object.fromEntries(Object.entries(this.files).map(([name, { length }]) => [name, length]));
    return new BundleStorage(sizes, (name, from, end) => {
      this.requests.push(`${name} ${from}-${end}`);
      return this.knowsRanges ? this.files[name].slice(from, end) : this.files[name];
    });
  }
}

const numbered = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255);

describe("a bundle", () => {
  test("has the files and folders of its description, and no others", () => {
    const storage = new Server({ "b/c/2": bytes("2"), "b/1": bytes("one"), a: bytes("") }).open();
    assert.deepEqual(storage.list(""), ["a"]);
    assert.deepEqual(storage.listFolders(""), ["b"]);
    assert.deepEqual(storage.list("b"), ["1"]);
    assert.deepEqual(storage.listFolders("b"), ["c"]);
    assert.equal(storage.exists("b/c"), true);
    assert.equal(storage.size("b/1"), 3);
    assert.equal(content(storage, "b/1"), "one");
    assert.equal(content(storage, "a"), "");
    assert.throws(() => storage.open("gone"), isMissing);
    assert.throws(() => storage.size("b"), isMissing);
    assert.throws(() => storage.exists("../a"), RangeError);
  });

  test("reads what the server has, from any place and of any length", () => {
    const large = numbered(3 * BLOCK_BYTES + 77);
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(large.length + 10), fc.nat(2 * BLOCK_BYTES)), { maxLength: 6 }),
        (knowsRanges, reads) => {
          const server = new Server({ large });
          server.knowsRanges = knowsRanges;
          const file = server.open().open("large");
          for (const [offset, length] of reads) {
            const target = new Uint8Array(length);
            const count = file.readInto(target, offset);
            assert.equal(count, Math.max(0, Math.min(length, large.length - offset)));
            assert.ok(
              Buffer.compare(target.subarray(0, count), large.subarray(offset, offset + count)) === 0,
            );
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("asks once for a small file, and once for neighbouring blocks of a large one", () => {
    const server = new Server({ small: numbered(1000), large: numbered(4 * BLOCK_BYTES) });
    const storage = server.open();
    for (const offset of [900, 10, 500]) storage.open("small").readInto(new Uint8Array(50), offset);
    assert.deepEqual(server.requests.splice(0), ["small 0-1000"]);
    const file = storage.open("large");
    file.readInto(new Uint8Array(10), BLOCK_BYTES + 5);
    file.readInto(new Uint8Array(10), BLOCK_BYTES + 900);
    assert.deepEqual(server.requests.splice(0), [`large ${BLOCK_BYTES}-${2 * BLOCK_BYTES}`]);
    file.readInto(new Uint8Array(3 * BLOCK_BYTES), 0);
    assert.deepEqual(server.requests, [
      `large 0-${BLOCK_BYTES}`,
      `large ${2 * BLOCK_BYTES}-${3 * BLOCK_BYTES}`,
    ]);
  });

  test("reads ahead of who reads on and on", () => {
    const server = new Server({ large: numbered(40 * BLOCK_BYTES) });
    const file = server.open().open("large");
    for (let at = 0; at < 24 * BLOCK_BYTES; at += 4096) file.readInto(new Uint8Array(4096), at);
    const sizes = server.requests.map((request) => {
      const [, from, end] = /(\d+)-(\d+)$/.exec(request)!.map(Number);
      return (end - from) / BLOCK_BYTES;
    });
    assert.deepEqual(sizes, [1, 2, 4, 8, 8, 8]);
  });

  test("does not ask for what it was given", () => {
    const large = numbered(3 * BLOCK_BYTES);
    const server = new Server({ large });
    const storage = server.open();
    const parts = [
      { name: "large", from: 4096, end: 8192 },
      { name: "large", from: 2 * BLOCK_BYTES + 1, end: 3 * BLOCK_BYTES },
      { name: "large", from: 0, end: 100 },
    ];
    const given = parts.map(({ from, end }) => large.slice(from, end));
    // The last one is cut short: it is left alone.
    storage.take(parts, Buffer.concat(given).subarray(0, -1));
    const file = storage.open("large");
    for (const [from, end] of [
      [4096, 8192],
      [5000, 5001],
      [2 * BLOCK_BYTES + 1, 3 * BLOCK_BYTES],
    ]) {
      const target = new Uint8Array(end - from);
      assert.equal(file.readInto(target, from), end - from);
      assert.deepEqual(target, large.slice(from, end));
    }
    assert.deepEqual(server.requests.splice(0), []);
    const target = new Uint8Array(100);
    file.readInto(target, 8150);
    assert.deepEqual(target, large.slice(8150, 8250));
    file.readInto(target, 0);
    assert.deepEqual(target, large.slice(0, 100));
    assert.deepEqual(server.requests, [`large 0-${BLOCK_BYTES}`]);
  });

  test("refuses every change", () => {
    const storage = new Server({ a: bytes("a") }).open();
    const changes = [
      () => storage.create("b"),
      () => storage.openToAppend("a"),
      () => storage.createIfAbsent("b"),
      () => storage.rename("a"),
      () => storage.remove("a"),
      () => storage.makeFolder("b"),
      () => storage.removeFolder("b"),
      () => storage.syncFolder(""),
    ];
    for (const change of changes)
      assert.throws(change, (error) => isOfBundle(error, "EROFS"), String(change));
    const ofTheSystem = storageError("create", "a", { code: "EROFS", message: "read-only file system" });
    assert.doesNotMatch(ofTheSystem.message, /bundle/);
  });

  test("says what a server gave instead of a range", () => {
    const storage = new BundleStorage({ a: 100 }, () => new Uint8Array(7));
    assert.throws(() => content(storage, "a"), { code: "io_error", message: /`a`.*7 bytes/ });
    const offline = new BundleStorage({ a: 100 }, () => {
      throw new Error("no network");
    });
    assert.throws(() => content(offline, "a"), {
      code: "io_error",
      message: /^The server of the bundle failed: cannot read `a`: no network$/,
    });
  });
});

describe("memory over a bundle", () => {
  const files = { "f/one": bytes("one"), "f/two": bytes("two"), "f/g/deep": bytes("deep") };
  const open = () => new OverlayStorage(new Server(files).open());

  test("shows the files below, and what was written over them", () => {
    const storage = open();
    write(storage, "f/two", "2");
    write(storage, "f/three", "3");
    const log = storage.openToAppend("f/one");
    log.append(bytes(" and more"));
    assert.deepEqual(storage.list("f"), ["one", "three", "two"]);
    assert.equal(content(storage, "f/one"), "one and more");
    assert.equal(content(storage, "f/two"), "2");
    assert.equal(storage.size("f/two"), 1);
    assert.deepEqual(raw(storage, "f/g/deep"), bytes("deep"));
  });

  test("a reader of a file below sees what is appended to it meanwhile", () => {
    const storage = open();
    const file = storage.open("f/one");
    assert.equal(file.size, 3);
    storage.openToAppend("f/one").append(bytes("!"));
    assert.equal(file.size, 4);
    const target = new Uint8Array(4);
    assert.equal(file.readInto(target, 0), 4);
    assert.deepEqual(target, bytes("one!"));
    storage.rename("f/one", "f/1");
    write(storage, "f/one", "other");
    assert.equal(file.size, 4);
  });

  test("what is removed or renamed is gone, and stays readable where it is open", () => {
    const storage = open();
    const file = storage.open("f/one");
    storage.rename("f/two", "f/one");
    assert.equal(content(storage, "f/one"), "two");
    assert.equal(storage.exists("f/two"), false);
    assert.throws(() => storage.rename("f/two", "f/x"), isMissing);
    const target = new Uint8Array(3);
    file.readInto(target, 0);
    assert.deepEqual(target, bytes("one"));
    storage.removeFolder("f");
    for (const name of ["f", "f/one", "f/g", "f/g/deep"]) assert.equal(storage.exists(name), false, name);
    assert.throws(() => storage.create("f/one"), isMissing);
    storage.makeFolder("f/g");
    assert.deepEqual(storage.list("f/g"), []);
    assert.equal(storage.createIfAbsent("f/g/deep", bytes("new")), true);
    assert.equal(content(storage, "f/g/deep"), "new");
  });
});
