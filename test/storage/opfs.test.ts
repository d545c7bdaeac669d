// OPFS where a browser has no room left. What it does with room is tested in a browser
// (test/browser/opfs.test.ts).
import assert from "node:assert/strict";
import { test } from "node:test";
import { OpfsStorage } from "../../src/storage/opfs.ts";
import type { SyncFile } from "../../src/storage/opfsnames.ts";
import { bytes, content } from "./cases.ts";

/** The private folder of a page, in memory. */
class FakeFolder {
  readonly name = "fake";
  /** Bytes that still can be written. */
  room = Number.POSITIVE_INFINITY;
  readonly #files = new Map<string, SyncFile>();

  keys(): IterableIterator<string> {
    return this.#files.keys();
  }

  async getFileHandle(name: string) {
    const file = this.#files.get(name) ?? this.#newFile();
    this.#files.set(name, file);
    return { createSyncAccessHandle: async () => file };
  }

  #newFile(): SyncFile {
    let held = Buffer.alloc(0);
    return {
      read: (target, { at }) => held.copy(target, 0, at),
      write: (given, { at }) => {
        const written = given.subarray(0, this.room);
        this.room -= written.length;
        held = Buffer.concat([held.subarray(0, at), written, held.subarray(at + written.length)]);
        return written.length;
      },
      truncate: (size) => {
        held = Buffer.concat([held], size);
      },
      getSize: () => held.length,
      flush: () => {},
      close: () => {},
    };
  }
}

test("a file that is to be created whole is not there in part when there was no room for it", async () => {
  const folder = new FakeFolder();
  const storage = await OpfsStorage.open(folder as unknown as FileSystemDirectoryHandle);
  folder.room = 3;
  assert.throws(() => storage.createIfAbsent("a", bytes("hello")), { code: "no_space_left_on_device" });
  assert.equal(storage.exists("a"), false);
  folder.room = 1000;
  assert.equal(storage.createIfAbsent("a", bytes("hello")), true);
  assert.equal(content(storage, "a"), "hello");
  await storage.close();
});
