// Every storage under the shared cases.
import assert from "node:assert/strict";
import fs, { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, mock, test } from "node:test";
import { AppendFile } from "../../src/storage/appendfile.ts";
import { BundleStorage } from "../../src/storage/bundle.ts";
import { StorageError, storageError } from "../../src/storage/failure.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { OverlayStorage } from "../../src/storage/overlay.ts";
import { bytes, content, storageCases } from "./cases.ts";
import { FaultyStorage } from "./faulty.ts";
import { refuseLinks } from "./foreignfiles.ts";

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-storage-"));
  folders.push(folder);
  return folder;
}

storageCases("files", () => new FileStorage(temporaryFolder()));
storageCases("memory", () => new MemoryStorage());
storageCases("faulty", () => Object.assign(new FaultyStorage(), { keepsOpenNames: false }));
storageCases("memory over a bundle", () => new OverlayStorage(new BundleStorage({}, () => new Uint8Array())));

test("where files cannot have two names, a file is created whole or not at all, too", (t) => {
  const root = temporaryFolder();
  const storage = new FileStorage(root);
  for (const code of ["EPERM", "ENOTSUP", "EISDIR"]) {
    const allow = refuseLinks(code);
    t.after(allow);
    assert.equal(storage.createIfAbsent(code, bytes("first")), true);
    assert.equal(storage.createIfAbsent(code, bytes("second")), false);
    assert.equal(content(storage, code), "first");
    allow();
  }
  t.after(refuseLinks("EIO"));
  assert.throws(() => storage.createIfAbsent("failed", bytes("x")), { systemCode: "EIO" });
  assert.deepEqual(storage.list(""), ["EISDIR", "ENOTSUP", "EPERM"]);
});

test("no sync succeeds that was under way when another failed, which had the only report", async () => {
  const ends: ((error?: Error) => void)[] = [];
  const syncLater = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  const file = new AppendFile("a", { write() {}, truncate() {}, sync() {}, syncLater, close() {} }, 0);
  const [first, second] = [file.syncLater(), file.syncLater()];
  ends[0](Object.assign(new Error("lost"), { code: "EIO" }));
  await assert.rejects(first, { code: "io_error" });
  ends[1]();
  await assert.rejects(second, /takes no more writes/);
});

test("a storage makes its own root folder", () => {
  const root = join(temporaryFolder(), "deep", "er");
  const storage = new FileStorage(root);
  assert.deepEqual(storage.list(""), []);
  storage.makeFolder("");
  storage.createIfAbsent("a", bytes("x"));
  assert.equal(content(new FileStorage(root), "a"), "x");
});

test("a folder that cannot be made is refused at once, and named", {
  skip: process.platform !== "linux" && "the system has no /proc",
}, () => {
  for (const root of ["/proc/no-folder", "/proc/no-folder/deep/er"]) {
    const message = /cannot make `\/proc\/no-folder`: `\/proc` takes no new folders/;
    assert.throws(() => new FileStorage(root).makeFolder(""), { code: "io_error", message });
  }
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const inside = join(file, "folder");
  const refused = { systemCode: "ENOTDIR", message: new RegExp(`cannot make \`${inside}\``) };
  assert.throws(() => new FileStorage(inside).makeFolder(""), refused);
  symlinkSync("nowhere", `${file}-link`);
  assert.throws(() => new FileStorage(`${file}-link`).makeFolder("a"), { systemCode: "EEXIST" });
});

test("on Windows a rename waits for who has the file open, but not for ever", (t) => {
  const storage = new FileStorage(temporaryFolder());
  const { renameSync } = fs;
  const platform = Object.getOwnPropertyDescriptor(process, "platform")!;
  let refusals = 0;
  mock.method(fs, "renameSync", (from: string, to: string) => {
    if (refusals-- > 0) throw Object.assign(new Error("held"), { code: "EPERM", syscall: "rename" });
    renameSync(from, to);
  });
  syncBuiltinESMExports();
  t.after(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    Object.defineProperty(process, "platform", platform);
  });
  const on = (value: string, times: number) => () => {
    Object.defineProperty(process, "platform", { ...platform, value });
    storage.createIfAbsent("from", bytes(value));
    refusals = times;
    storage.rename("from", "to");
  };
  const pauses = mock.method(Atomics, "wait", () => "timed-out");
  on("win32", 3)();
  const pausesMs = pauses.mock.calls.map((call) => Number((call.arguments as unknown[])[3]));
  assert.equal(pausesMs.length, 3);
  assert.ok(pausesMs[0] + pausesMs[1] + pausesMs[2] > 30, "it pauses between its attempts");
  assert.equal(content(storage, "to"), "win32");
  assert.throws(on("win32", 1_000), { code: "io_error", systemCode: "EPERM" });
  assert.throws(on("linux", 1), { code: "io_error", systemCode: "EPERM" });
});

const modeOf = (...path: string[]): string => (statSync(join(...path)).mode & 0o777).toString(8);
const NO_MODES = process.platform === "win32" && "the system has no such permissions";

test("what a storage makes is for its owner alone, and what is there stays as it is", {
  skip: NO_MODES,
}, () => {
  const root = join(temporaryFolder(), "new");
  const storage = new FileStorage(root);
  storage.makeFolder("inner");
  storage.create("made").close();
  storage.openToAppend("grown").close();
  storage.createIfAbsent("inner/linked", bytes("x"));
  const files = ["made", "grown", "inner/linked"];
  assert.deepEqual([modeOf(root), modeOf(root, "inner")], ["700", "700"]);
  for (const file of files) assert.equal(modeOf(root, file), "600", file);
  const old = temporaryFolder();
  mkdirSync(join(old, "shared"), { mode: 0o755 });
  new FileStorage(join(old, "shared")).makeFolder("");
  assert.equal(modeOf(old, "shared"), "755");
});

test("what is to be published has the permissions of any file", { skip: NO_MODES }, () => {
  const root = join(temporaryFolder(), "new");
  const storage = new FileStorage(root, true, { isPublished: true });
  storage.makeFolder("");
  storage.create("made").close();
  const umask = process.umask();
  assert.equal(modeOf(root), (0o777 & ~umask).toString(8));
  assert.equal(modeOf(root, "made"), (0o666 & ~umask).toString(8));
});

test("errors of the system keep their code and name the file", () => {
  const folder = temporaryFolder();
  symlinkSync("loop", join(folder, "loop"));
  const storage = new FileStorage(folder);
  assert.throws(
    () => storage.open("loop"),
    (error: StorageError) =>
      error.code === "io_error" &&
      error.systemCode === "ELOOP" &&
      error.status === 422 &&
      error.message.includes("loop"),
  );
  storage.makeFolder("folder");
  assert.throws(() => storage.create("folder"), StorageError);
  assert.throws(() => storage.rename("folder", "none/at/all"), StorageError);
});

test("what fails for a folder as a whole names it in words", () => {
  const { message } = storageError("write the names of files in", "", { code: "ENOSPC" });
  assert.match(message, /cannot write the names of files in the folder: no space left/);
});

for (const [code, expected] of [
  ["EIO", "io_error"],
  ["ENOSPC", "no_space_left_on_device"],
  ["EMFILE", "too_many_open_files"],
] as const) {
  test(`${code} is told as ${expected}`, () => {
    const storage = new FaultyStorage();
    storage.failAfter(1, code);
    assert.throws(
      () => storage.create("somewhere"),
      (error: StorageError) =>
        error.code === expected && error.file === "somewhere" && error.message.includes("somewhere"),
    );
  });
}

test("a failed write leaves the file as it was, and the next one works", () => {
  const storage = new FaultyStorage();
  const file = storage.create("a");
  file.append(bytes("kept"));
  storage.failAfter(1, "ENOSPC", "part");
  assert.throws(() => file.append(bytes("a longer piece that is lost")), { code: "no_space_left_on_device" });
  assert.equal(file.size, 4);
  assert.equal(content(storage, "a"), "kept");
  file.append(bytes("!"));
  assert.equal(content(storage, "a"), "kept!");
});

test("after a failed sync a file takes nothing more", async () => {
  for (const later of [false, true]) {
    const storage = new FaultyStorage();
    const file = storage.create("a");
    file.append(bytes("x"));
    storage.failAfter(1, "EIO");
    if (later) await assert.rejects(file.syncLater(), { code: "io_error" });
    else assert.throws(() => file.sync(), { code: "io_error" });
    const poisoned = { code: "io_error", systemCode: "EPOISONED" };
    assert.throws(() => file.sync(), poisoned);
    await assert.rejects(file.syncLater(), poisoned);
    assert.throws(() => file.append(bytes("y")), poisoned);
    assert.throws(() => file.truncate(0), poisoned);
    assert.equal(content(storage, "a"), "x");
  }
});

test("a failed write that cannot be undone poisons the file", () => {
  const storage = new FaultyStorage();
  const file = storage.create("a");
  file.append(bytes("kept"));
  storage.failAfter(1, "ENOSPC", "part");
  storage.failAfter(2, "EIO");
  assert.throws(() => file.append(bytes("lost")), { code: "no_space_left_on_device" });
  assert.deepEqual(storage.failed, ["write a", "truncate a"]);
  assert.throws(() => file.append(bytes("more")), { systemCode: "EPOISONED" });
  assert.throws(() => file.sync(), { systemCode: "EPOISONED" });
});
