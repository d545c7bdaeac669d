// The files of a dump by their names in it: which folders there are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { UnpackedFiles } from "../../src/tasks/dumps/unpackedfiles.ts";

test("a folder of a dump lists the folders in it, not what else begins or lies there", () => {
  const storage = new MemoryStorage();
  storage.makeFolder("unpacked");
  const files = new UnpackedFiles(storage, "unpacked");
  // Systems that unpack and pack dumps leave files such as `.DS_Store` in any folder.
  const names = [
    "indexes/teas/a",
    "indexes/Teas/b/c",
    "indexes/teas/d",
    "indexes/.DS_Store",
    "indexes-old/e/f",
  ];
  for (const name of names) files.create(name).close();
  assert.deepEqual(files.listFolders("indexes"), ["Teas", "teas"]);
  assert.deepEqual(files.listFolders(""), ["indexes", "indexes-old"]);
  assert.deepEqual(files.listFolders("missing"), []);
});
