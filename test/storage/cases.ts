// What every storage must do; run by the test of each. `make` gives an empty storage with its root folder.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isMissing } from "../../src/storage/failure.ts";
import type { Storage } from "../../src/storage/storage.ts";

export type Make = () => Storage | Promise<Storage>;

export function storageCases(kind: string, make: Make): void {
  contentCases(kind, make);
  nameCases(kind, make);
  refusalCases(kind, make);
}

function contentCases(kind: string, make: Make): void {
  test(`${kind}: what was appended is read back, from any place`, async () => {
    const storage = await make();
    const file = storage.create("a");
    file.append(bytes("hello"));
    file.append([bytes(", "), bytes(""), bytes("world")]);
    file.sync();
    assert.equal(file.size, 12);
    file.close();
    assert.equal(content(storage, "a"), "hello, world");
    assert.equal(storage.size("a"), 12);
    const open = storage.open("a");
    const target = new Uint8Array(5);
    assert.equal(open.readInto(target, 7), 5);
    assert.equal(text(target), "world");
    assert.equal(open.readInto(target, 10), 2);
    assert.equal(open.readInto(target, 12), 0);
    assert.equal(open.readInto(target, 99), 0);
    assert.equal(open.size, 12);
    open.close();
  });

  test(`${kind}: many pieces and large ones arrive whole`, async () => {
    const storage = await make();
    const pieces = Array.from({ length: 3000 }, (_, i) => new Uint8Array(i % 700).fill(i));
    const file = storage.create("many");
    file.append(pieces);
    file.close();
    assert.deepEqual(raw(storage, "many"), Uint8Array.from(Buffer.concat(pieces)));
  });

  test(`${kind}: a file is continued at its end, cut, and emptied by create`, async () => {
    const storage = await make();
    write(storage, "a", "12345");
    const file = storage.openToAppend("a");
    file.append(bytes("678"));
    file.truncate(6);
    file.append(bytes("x"));
    file.close();
    assert.equal(content(storage, "a"), "123456x");
    write(storage, "a", "new");
    assert.equal(content(storage, "a"), "new");
    storage.openToAppend("fresh").close();
    assert.equal(storage.size("fresh"), 0);
  });

  test(`${kind}: a reader sees what a writer appends meanwhile`, async () => {
    const storage = await make();
    const file = storage.create("a");
    const open = storage.open("a");
    file.append(bytes("later"));
    assert.equal(open.size, 5);
    assert.equal(open.readInto(new Uint8Array(9), 0), 5);
    open.close();
    file.close();
  });

  test(`${kind}: syncLater is a sync`, async () => {
    const storage = await make();
    const file = storage.create("a");
    file.append(bytes("x"));
    await Promise.all([file.syncLater(), file.syncLater()]);
    file.close();
  });
}

function nameCases(kind: string, make: Make): void {
  test(`${kind}: listings are sorted, of one folder, empty for a missing one`, async () => {
    const storage = await make();
    storage.makeFolder("b/inner");
    for (const name of ["z", "b/2", "b/1", "b/inner/3"]) write(storage, name, name);
    assert.deepEqual(storage.list(""), ["z"]);
    assert.deepEqual(storage.list("b"), ["1", "2"]);
    assert.deepEqual(storage.listFolders(""), ["b"]);
    assert.deepEqual(storage.listFolders("b"), ["inner"]);
    assert.deepEqual(storage.list("none"), []);
    assert.deepEqual(storage.listFolders("none"), []);
    assert.equal(storage.exists("b/inner"), true);
    assert.equal(storage.exists("b/3"), false);
  });

  test(`${kind}: createIfAbsent writes once`, async () => {
    const storage = await make();
    assert.equal(storage.createIfAbsent("one", bytes("first")), true);
    assert.equal(storage.createIfAbsent("one", bytes("second")), false);
    assert.equal(content(storage, "one"), "first");
    assert.deepEqual(storage.list(""), ["one"]);
  });

  test(`${kind}: rename replaces, and open files outlive their names`, async () => {
    const storage = await make();
    write(storage, "old", "old");
    write(storage, "new", "new");
    const open = storage.open("old");
    storage.rename("new", "old");
    assert.equal(content(storage, "old"), "new");
    assert.equal(storage.exists("new"), false);
    storage.remove("old");
    storage.remove("old");
    assert.equal(storage.exists("old"), false);
    const target = new Uint8Array(3);
    open.readInto(target, 0);
    assert.equal(text(target), "old");
    open.close();
  });

  test(`${kind}: folders are made with those around them and removed with all inside`, async () => {
    const storage = await make();
    storage.makeFolder("a/b/c");
    storage.makeFolder("a/b/c");
    write(storage, "a/b/c/file", "x");
    storage.syncFolder("a/b/c");
    storage.removeFolder("a/b");
    storage.removeFolder("a/b");
    assert.equal(storage.exists("a/b/c/file"), false);
    assert.deepEqual(storage.listFolders("a"), []);
    assert.equal(storage.exists("a"), true);
  });
}

function refusalCases(kind: string, make: Make): void {
  test(`${kind}: what is missing is said with its name`, async () => {
    const storage = await make();
    const actions = [
      () => storage.open("gone"),
      () => storage.size("gone"),
      () => storage.rename("gone", "other"),
      () => storage.create("gone/file"),
      () => storage.openToAppend("gone/file"),
      () => storage.createIfAbsent("gone/file", bytes("x")),
      () => storage.syncFolder("gone"),
    ];
    for (const action of actions) {
      assert.throws(
        action,
        (error: Error) => isMissing(error) && error.message.includes("`gone"),
        String(action),
      );
    }
  });

  test(`${kind}: no file takes the place of a folder`, async () => {
    const storage = await make();
    storage.makeFolder("taken");
    write(storage, "file", "x");
    const actions = [
      () => storage.create("taken"),
      () => storage.openToAppend("taken"),
      () => storage.rename("file", "taken"),
    ];
    for (const action of actions) assert.throws(action, /`taken`|folder/, String(action));
    assert.deepEqual(storage.listFolders(""), ["taken"]);
    assert.equal(text(raw(storage, "file")), "x");
  });

  test(`${kind}: no name leads outside`, async () => {
    const storage = await make();
    for (const name of ["../x", "a/../../x", "/x", "a//b", "./a", "a\\b", "a\0"]) {
      assert.throws(() => storage.exists(name), RangeError, name);
      assert.throws(() => storage.create(name), RangeError, name);
    }
  });
}

export function bytes(content: string): Uint8Array {
  return new Uint8Array(Buffer.from(content));
}

export function text(content: Uint8Array): string {
  return Buffer.from(content).toString();
}

export function write(storage: Storage, name: string, content: string): void {
  const file = storage.create(name);
  file.append(bytes(content));
  file.sync();
  file.close();
}

export function raw(storage: Storage, name: string): Uint8Array {
  const file = storage.open(name);
  const target = new Uint8Array(file.size);
  file.readInto(target, 0);
  file.close();
  return target;
}

export function content(storage: Storage, name: string): string {
  return text(raw(storage, name));
}
