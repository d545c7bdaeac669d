// OPFS where a browser has no room left. What it does with room: opfsfiles.test.ts, and in a browser
// test/browser/opfs.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpfsStorage } from "../../src/storage/opfs.ts";
import { bytes, content } from "./cases.ts";
import { FakeFolder, moreSlots, open } from "./fakefolder.ts";

test("a file that is to be created whole is not there in part when there was no room for it", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  storage.makeFolder("b");
  folder.room = 3;
  assert.throws(() => storage.createIfAbsent("a", bytes("hello")), { code: "no_space_left_on_device" });
  assert.equal(storage.exists("a"), false);
  folder.room = 1000;
  assert.equal(storage.createIfAbsent("a", bytes("hello")), true);
  assert.equal(content(storage, "a"), "hello");
  await storage.close();
});

test("a write without room fails, also where the browser returns the code of an error", async () => {
  const folder = new FakeFolder(() => 2 ** 32 - 8);
  const storage = await open(folder);
  const file = storage.create("a");
  file.append(bytes("hello"));
  folder.room = 3;
  assert.throws(() => file.append(bytes("world")), { code: "no_space_left_on_device" });
  folder.room = 100;
  file.append(bytes("!"));
  file.close();
  assert.equal(content(storage, "a"), "hello!");
  await storage.close();
});

test("room that was reserved for a file is there when nothing is left", async () => {
  const folder = new FakeFolder(() => 2 ** 32 - 8);
  const storage = await open(folder);
  const file = storage.create("a");
  file.append(bytes("hello"));
  file.reserve(2 ** 18);
  folder.room = 0;
  assert.equal(file.size, 5);
  assert.equal(storage.size("a"), 5);
  for (const isPrivate of [false, true, false]) {
    folder.isPrivate = isPrivate;
    assert.throws(() => file.reserve(2 ** 20), { code: "no_space_left_on_device" });
  }
  assert.equal(storage.size("a"), 5);
  file.append(new Uint8Array(2 ** 18));
  assert.equal(storage.size("a"), 2 ** 18 + 5);
  file.close();
  await storage.close();
});

test("names that were given need no more room to be durable; without room none are given", async () => {
  const folder = new FakeFolder(() => 2 ** 32 - 8);
  const storage = await open(folder);
  storage.makeFolder("texts");
  const kept: string[] = [];
  folder.room = 100_000;
  for (let i = 0; ; i++) {
    // As much room as the content of the files takes is left, but none for more names.
    const name = `texts/${i}-${"long ".repeat(1000)}`;
    try {
      storage.create(name).close();
    } catch (error) {
      assert.equal((error as { code: string }).code, "no_space_left_on_device");
      assert.equal(storage.exists(name), false);
      break;
    }
    kept.push(name);
  }
  folder.room = 0;
  storage.syncFolder("texts");
  assert.throws(() => storage.makeFolder("x".repeat(10_000)), { code: "no_space_left_on_device" });
  storage.remove(kept[0]);
  storage.rename(kept[1], "texts/1");
  storage.syncFolder("texts");
  await storage.close();
  const again = await open(folder);
  assert.deepEqual(
    again.list("texts").toSorted(),
    ["1", ...kept.slice(2).map((name) => name.slice("texts/".length))].toSorted(),
  );
  await again.close();
});

test("a folder is not there without the one that it lies in, when both names found no room", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  // For one of the two names, in both tables.
  folder.room = 40_000;
  const outer = "long".repeat(2500);
  assert.throws(() => storage.makeFolder(`${outer}/texts`), { code: "no_space_left_on_device" });
  assert.deepEqual([storage.exists(outer), storage.exists(`${outer}/texts`)], [false, false]);
  folder.room = 100_000;
  storage.makeFolder(`${outer}/texts`);
  assert.deepEqual(storage.listFolders(outer), ["texts"]);
  await storage.close();
  const again = await open(folder);
  assert.deepEqual([again.exists(outer), again.exists(`${outer}/texts`)], [true, true]);
  await again.close();
});

/** A storage in whose tables there is room for a few short names more, and none beyond. */
async function openNearlyFull(): Promise<{ folder: FakeFolder; storage: OpfsStorage; name: string }> {
  const folder = new FakeFolder();
  const storage = await open(folder);
  const name = "long".repeat(4050);
  storage.create(name).close();
  storage.syncFolder("");
  folder.room = 0;
  return { folder, storage, name };
}

/** Names of files that were created until there was no room for more. */
function filled(storage: OpfsStorage): string[] {
  const names: string[] = [];
  for (let i = 0; ; i++) {
    try {
      storage.create(`${i}`).close();
    } catch (error) {
      if ((error as { code: string }).code !== "no_space_left_on_device") throw error;
      return names;
    }
    names.push(`${i}`);
  }
}

test("short names, too, are only given while there is room for them, also after the next start", async () => {
  const { folder, storage } = await openNearlyFull();
  await storage.close();
  const again = await open(folder);
  const names = filled(again);
  assert.ok(names.length > 0);
  again.syncFolder("");
  await again.close();
  const last = await open(folder);
  assert.deepEqual(
    last.list("").filter((name) => name.length < 3),
    names,
  );
  await last.close();
});

test("where there is room for one name, files can come and go for ever", async () => {
  const { storage, name } = await openNearlyFull();
  for (let i = 0; i < 1000; i++) {
    storage.create("a").close();
    storage.rename("a", name);
    storage.syncFolder("");
  }
  assert.throws(() => storage.rename(name, `${name}, but longer${"x".repeat(500)}`), {
    code: "no_space_left_on_device",
  });
  assert.deepEqual(storage.list(""), [name]);
  await storage.close();
});

test("no name is given that only one of the two tables has room for", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  folder.room = 16 * 1024 + 10;
  assert.throws(() => storage.create("a"), { code: "no_space_left_on_device" });
  await storage.close();
  folder.room = 0;
  const again = await open(folder);
  assert.throws(() => again.create("a"), { code: "no_space_left_on_device" });
  await again.close();
});

test("a folder without room for more files is opened, and takes new ones once there is some", async () => {
  const folder = new FakeFolder();
  // Two files of names, and the spare slots of a new folder.
  folder.more = 2 + 64;
  const before = await open(folder);
  for (let i = 0; i < 60; i++) before.createIfAbsent(`kept-${i}`, bytes("hello"));
  await before.close();
  const storage = await open(folder);
  assert.equal(content(storage, "kept-59"), "hello");
  for (let i = 0; i < 4; i++) storage.create(`new-${i}`).close();
  assert.throws(() => storage.create("more"), { code: "no_space_left_on_device" });
  await moreSlots();
  folder.more = 1000;
  // Finds that none are left, and has more made.
  assert.throws(() => storage.create("more"), { code: "no_space_left_on_device" });
  await moreSlots();
  storage.create("more").close();
  // What is missing now is no room.
  assert.throws(() => filled(storage), { code: "too_many_open_files" });
  await storage.close();
  assert.equal(folder.opened.size, 0);
});

test("a large file that is removed is closed, as browsers keep its room until then", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  const before = new Set(folder.opened);
  for (const name of ["a", "b"]) {
    const file = storage.create(name);
    file.append(new Uint8Array(name === "a" ? 2_000_000 : 20));
    file.close();
  }
  storage.syncFolder("");
  storage.remove("a");
  storage.remove("b");
  storage.syncFolder("");
  const closed = [...before].filter((name) => !folder.opened.has(name));
  assert.equal(closed.length, 1);
  for (let i = 0; i < 40; i++) storage.create(`new-${i}`).close();
  await moreSlots();
  assert.ok(folder.opened.has(closed[0]));
  await storage.close();
});

test("a removed file gives up its room and slot when its last reader leaves", async () => {
  const folder = new FakeFolder();
  // Two files of names, and the spare slots of a new folder.
  folder.more = 2 + 64;
  const storage = await open(folder);
  for (let i = 0; i < 64; i++) storage.createIfAbsent(`kept-${i}`, bytes("hello"));
  const reader = storage.open("kept-0");
  storage.remove("kept-0");
  storage.syncFolder("");
  assert.throws(() => storage.create("new"), { code: "too_many_open_files" });
  const read = bytes("     ");
  reader.readInto(read, 0);
  assert.deepEqual(read, bytes("hello"));
  reader.close();
  assert.equal(storage.createIfAbsent("new", bytes("hi")), true);
  assert.equal(content(storage, "new"), "hi");
  await storage.close();
  assert.equal(folder.opened.size, 0);
});

test("a removed file that the names on disk still mention is as it was after a crash", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  storage.createIfAbsent("kept", bytes("hello"));
  const reader = storage.open("kept");
  storage.remove("kept");
  reader.close();
  for (let i = 0; i < 40; i++) {
    const file = storage.create(`new-${i}`);
    file.append(bytes("x"));
    file.close();
  }
  // Opened beside the storage that was never closed: what a crash leaves.
  const again = await open(folder);
  assert.deepEqual(again.list(""), ["kept"]);
  assert.equal(content(again, "kept"), "hello");
});

test("without a spare slot, one is taken whose file was just removed, after its name has gone", async () => {
  const folder = new FakeFolder();
  folder.more = 2 + 64;
  const storage = await open(folder);
  for (let i = 0; i < 64; i++) storage.create(`kept-${i}`).close();
  storage.remove("kept-0");
  storage.create("new").close();
  const again = await open(folder);
  assert.equal(again.exists("kept-0"), false);
  assert.equal(again.exists("kept-1"), true);
});

test("large files that are removed all at once leave some slots for the next files", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  for (let i = 0; i < 64; i++) {
    const file = storage.create(`large-${i}`);
    file.append(new Uint8Array(1_100_000));
    file.close();
  }
  for (let i = 0; i < 64; i++) storage.remove(`large-${i}`);
  storage.syncFolder("");
  for (let i = 0; i < 10; i++) storage.create(`new-${i}`).close();
  await storage.close();
});

test("a storage that is closed leaves no file open, also of those that are just being made", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  for (let i = 0; i < 40; i++) storage.create(`${i}`).close();
  storage.remove("1");
  await storage.close();
  await moreSlots();
  assert.equal(folder.opened.size, 0);
});
