// Runs in a worker of a page (opfs.test.ts): OPFS under the cases of every storage, and what only it has.
import { equal, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { OpfsStorage } from "../../src/storage/opfs.ts";
import { content, storageCases, write } from "../storage/cases.ts";
import { runAll } from "./builtins/test.ts";

let folders = 0;

async function newFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(`storage-${folders++}`, { create: true });
}

async function fileNames(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  return names;
}

storageCases("OPFS", async () => OpfsStorage.open(await newFolder()));

test("OPFS: names and contents are there when it is opened again", async () => {
  const folder = await newFolder();
  const storage = await OpfsStorage.open(folder);
  storage.makeFolder("f/g");
  write(storage, "f/g/a", "first");
  write(storage, "f/g/b", "second");
  storage.syncFolder("f/g");
  storage.rename("f/g/b", "f/g/a");
  storage.remove("f/g/none");
  storage.syncFolder("f/g");
  await storage.close();
  const again = await OpfsStorage.open(folder);
  equal(content(again, "f/g/a"), "second");
  equal(again.exists("f/g/b"), false);
  equal(again.list("f/g").join(), "a");
  await again.close();
});

test("OPFS: a change of names that was not synced is lost as a whole, and no file with it", async () => {
  const folder = await newFolder();
  const storage = await OpfsStorage.open(folder);
  for (const name of ["a", "b"]) write(storage, name, name);
  storage.syncFolder("");
  storage.remove("a");
  storage.rename("b", "c");
  // More than there are spare files would use those of the names that are gone.
  for (let i = 0; i < 40; i++) write(storage, `new-${i}`, "new");
  await storage.close();
  const again = await OpfsStorage.open(folder);
  equal(again.list("").join(), "a,b");
  equal(content(again, "a") + content(again, "b"), "ab");
  await again.close();
});

test("OPFS: of two tables of names the last whole one counts", async () => {
  const folder = await newFolder();
  const storage = await OpfsStorage.open(folder);
  for (const name of ["a", "b"]) {
    write(storage, name, name);
    storage.syncFolder("");
  }
  await storage.close();
  // Generations 1 and 2 were written, the second one to the file for even numbers.
  const handle = await folder.getFileHandle("names-0");
  const file = await handle.createWritable({ keepExistingData: true });
  await file.write({ type: "write", position: 20, data: new Uint8Array([0]) });
  await file.close();
  const again = await OpfsStorage.open(folder);
  equal(again.list("").join(), "a");
  await again.close();
});

test("OPFS: files are used again, and there are always some to spare", async () => {
  const folder = await newFolder();
  const storage = await OpfsStorage.open(folder);
  for (let i = 0; i < 300; i++) {
    write(storage, `f-${i}`, "x");
    storage.remove(`f-${i}`);
  }
  equal((await fileNames(folder)).length < 150, true);
  for (let i = 0; i < 200; i++) {
    write(storage, `kept-${i}`, `${i}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  storage.syncFolder("");
  equal(content(storage, "kept-199"), "199");
  await storage.close();
});

test("OPFS: more files at once than there are to spare are refused with what to do", async () => {
  const storage = await OpfsStorage.open(await newFolder());
  throws(
    () => {
      for (let i = 0; i < 1000; i++) write(storage, `f-${i}`, "x");
    },
    { code: "too_many_open_files" },
  );
  await storage.close();
});

test("OPFS: a folder that is open elsewhere is refused", async () => {
  const folder = await newFolder();
  const storage = await OpfsStorage.open(folder);
  await rejects(OpfsStorage.open(folder), { code: "folder_in_use" });
  await storage.close();
  await (await OpfsStorage.open(folder)).close();
});

test("OPFS: so it is where the browser names the reason as WebKit does", async () => {
  const createSyncAccessHandle = () => Promise.reject(new DOMException("", "InvalidStateError"));
  const folder = { name: "elsewhere", getFileHandle: async () => ({ createSyncAccessHandle }) };
  await rejects(OpfsStorage.open(folder as unknown as FileSystemDirectoryHandle), { code: "folder_in_use" });
});

void runAll().then(
  (outcomes) => postMessage(outcomes),
  (error) => postMessage([{ name: "the suite", error: String(error) }]),
);
