// OPFS in a folder in memory, with all the room there is: what every storage does, what a crash leaves, and
// files that are listed, lost or let go in any order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32c } from "../../src/storage/crc32c.ts";
import { bytes, content, storageCases, write } from "./cases.ts";
import { FakeFolder, moreSlots, open } from "./fakefolder.ts";

storageCases("OPFS in memory", () => open(new FakeFolder()));

test("what was made durable is there after a crash, as it was then", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  storage.makeFolder("f/g");
  assert.equal(storage.createIfAbsent("f/whole", bytes("whole")), true);
  assert.equal(storage.createIfAbsent("f/whole", bytes("again")), false);
  const file = storage.create("f/g/synced");
  file.append(bytes("synced"));
  file.sync();
  file.append(bytes(", and more"));
  storage.syncFolder("f/g");
  storage.removeFolder("f/g");
  write(storage, "late", "late");
  const again = await open(folder.crashed());
  assert.deepEqual([again.list(""), again.list("f"), again.list("f/g")], [[], ["whole"], ["synced"]]);
  assert.deepEqual([content(again, "f/whole"), content(again, "f/g/synced")], ["whole", "synced"]);
  storage.syncFolder("");
  const last = await open(folder.crashed());
  assert.deepEqual([last.list(""), last.list("f"), last.listFolders("f")], [["late"], ["whole"], []]);
});

test("folders that are removed stay so, also where others have the beginning of their name", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  for (const name of ["a", "a/b", "ab", "empty"]) storage.makeFolder(name);
  for (const name of ["a/1", "a/b/2", "ab/3"]) write(storage, name, name);
  storage.syncFolder("");
  storage.removeFolder("empty");
  storage.syncFolder("");
  assert.deepEqual((await open(folder.crashed())).listFolders(""), ["a", "ab"]);
  storage.removeFolder("a");
  storage.syncFolder("");
  const again = await open(folder.crashed());
  assert.deepEqual([again.listFolders(""), again.list("ab")], [["ab"], ["3"]]);
  again.makeFolder("empty");
  again.removeFolder("empty");
  again.syncFolder("");
  assert.throws(() => again.syncFolder("empty"));
  await again.close();
});

test("no file is given the place of another one, in whatever order a browser lists them", async () => {
  const folder = new FakeFolder();
  const names = Array.from({ length: 200 }, (_, i) => `f-${i}`);
  for (const [start, end] of [
    [0, 60],
    [60, 120],
    [120, 180],
  ]) {
    const storage = await open(folder);
    for (const name of names.slice(start, end)) write(storage, name, name);
    storage.syncFolder("");
    await moreSlots();
    await storage.close();
  }
  const storage = await open(folder);
  for (const name of names.slice(180)) write(storage, name, name);
  assert.deepEqual(
    names.map((name) => content(storage, name)),
    names,
  );
  await storage.close();
});

test("a file that is lost is missing, and the others are there", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  for (const name of ["a", "b"]) storage.createIfAbsent(name, bytes(name));
  await storage.close();
  // The last of the spare ones is used first.
  folder.lose("file-64");
  const again = await open(folder);
  assert.deepEqual([again.list(""), again.exists("a")], [["b"], false]);
  assert.throws(() => again.open("a"));
  assert.equal(content(again, "b"), "b");
  await again.close();
});

test("a removed file is there for each of its readers until the last one leaves", async () => {
  const storage = await open(new FakeFolder());
  storage.createIfAbsent("a", bytes("hello"));
  const readers = [storage.open("a"), storage.open("a")];
  storage.remove("a");
  storage.syncFolder("");
  readers[0].close();
  const read = bytes("     ");
  assert.equal(readers[1].readInto(read, 0), 5);
  assert.deepEqual(read, bytes("hello"));
  // After the end of the storage, there is nothing to give back.
  await storage.close();
  readers[1].close();
});

test("a file that is renamed, also to its own name, is there by its last one", async () => {
  const storage = await open(new FakeFolder());
  write(storage, "a", "hello");
  storage.rename("a", "a");
  storage.rename("a", "b");
  const reader = storage.open("b");
  storage.syncFolder("");
  reader.close();
  for (let i = 0; i < 63; i++) storage.create(`new-${i}`).close();
  assert.deepEqual([storage.exists("a"), content(storage, "b")], [false, "hello"]);
  await storage.close();
});

test("of two tables of names the last whole one counts, whatever is wrong with the other", async () => {
  // A byte of each field, and one of the content; the third table was written to the file for odd numbers.
  for (const at of [0, 4, 8, 11, 12, 20]) {
    const folder = new FakeFolder();
    const storage = await open(folder);
    for (const name of ["a", "b", "c"]) storage.createIfAbsent(name, bytes(name));
    await storage.close();
    folder.damage("names-1", at);
    const again = await open(folder);
    assert.deepEqual(again.list(""), ["a", "b"]);
    again.createIfAbsent("d", bytes("d"));
    await again.close();
    assert.deepEqual((await open(folder)).list(""), ["a", "b", "d"]);
    folder.damage("names-0", at);
    folder.damage("names-1", at);
    assert.deepEqual((await open(folder)).list(""), []);
  }
});

test("a table of names that is said to be longer than its file does not count", async () => {
  const folder = new FakeFolder();
  const storage = await open(folder);
  for (const name of ["a", "b"]) storage.createIfAbsent(name, bytes(name));
  await storage.close();
  const names = Buffer.from('{"folders":[],"files":{}}');
  const head = Buffer.from("TNAM------------");
  head.writeUInt32LE(1001, 4);
  for (const [length, found] of [
    [names.length, []],
    [names.length + 1, ["a", "b"]],
  ] as const) {
    head.writeUInt32LE(length, 8);
    head.writeUInt32LE(crc32c(Buffer.concat([head.subarray(4, 12), names])), 12);
    folder.replace("names-1", Buffer.concat([head, names]));
    assert.deepEqual((await open(folder)).list(""), found);
  }
});

test("a folder in which no files can be made for another reason than room is not opened", async () => {
  const folder = new FakeFolder();
  folder.more = 10;
  folder.refusal = "NotAllowedError";
  await assert.rejects(open(folder), /no more/);
});
