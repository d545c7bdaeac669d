// The manifest of an index: commits, rotation, readers beside the writer, damage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManifestLog } from "../../src/segment/manifest.ts";
import { manifestName, segmentName } from "../../src/segment/manifestfiles.ts";
import { ManifestReader, readManifest } from "../../src/segment/manifestreader.ts";
import {
  decodeState,
  emptyState,
  encodeState,
  type ManifestState,
  type SegmentEntry,
} from "../../src/segment/manifeststate.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { raw, write } from "../storage/cases.ts";
import { FaultyStorage } from "../storage/faulty.ts";

const FOLDER = "indexes/one";

function storageWithSegments(...numbers: number[]): MemoryStorage {
  const storage = new MemoryStorage();
  storage.makeFolder(FOLDER);
  for (const number of numbers) write(storage, `${FOLDER}/${segmentName(number)}`, "segment");
  return storage;
}

function segment(number: number, documents = 10): SegmentEntry {
  return {
    name: segmentName(number),
    documents,
    bytes: 7,
    rawDocumentBytes: 1000,
    settingsHash: "abc",
    firstDocid: 0,
    lastDocid: documents - 1,
    tombstones: null,
  };
}

function stateOf(...segments: SegmentEntry[]): ManifestState {
  const numberOfDocuments = segments.reduce((sum, { documents }) => sum + documents, 0);
  return { ...emptyState(), segments, numberOfDocuments, nextSegment: segments.length + 1 };
}

function names(storage: Storage): string[] {
  return storage.list(FOLDER);
}

test("without a manifest the state is empty, and reading creates nothing", () => {
  const storage = new MemoryStorage();
  assert.deepEqual(readManifest(storage, FOLDER, 0), emptyState());
  const log = ManifestLog.open(storage, FOLDER);
  assert.deepEqual(log.state, emptyState());
  assert.equal(storage.exists(FOLDER), false);
});

test("a commit survives reopening with all it says", () => {
  const storage = storageWithSegments(1, 2);
  const log = ManifestLog.open(storage, FOLDER);
  const next: ManifestState = {
    ...stateOf(segment(1), segment(2, 5)),
    primaryKey: "id",
    settings: JSON.parse('{"synonyms":{"__proto__":["a"],"1":["b"]},"stopWords":[]}'),
    fields: ["title", "__proto__", "a.b", ""],
    formerFields: ["price", "__proto__"],
    fieldDistribution: JSON.parse('{"title":15,"__proto__":3}'),
    rawDocumentBytes: 2 ** 40,
    lastBatch: { results: [{ taskUid: 7, error: null, indexedDocuments: 15, deletedDocuments: undefined }] },
  };
  next.segments[0].tombstones = { count: 1, file: null, inline: Uint8Array.of(1, 2, 3) };
  next.numberOfDocuments--;
  const committed = log.commit(next);
  assert.deepEqual(committed, { ...next, version: 1 });
  assert.equal(log.state, committed);
  log.close();
  assert.deepEqual(readManifest(storage, FOLDER, 1), committed);
  assert.deepEqual(ManifestLog.open(storage, FOLDER).state, committed);
  assert.deepEqual(Object.keys(committed.fieldDistribution), ["title", "__proto__"]);
});

test("versions count up, whatever the state brings", () => {
  const storage = storageWithSegments();
  const log = ManifestLog.open(storage, FOLDER);
  const old = { ...stateOf(), version: 99 };
  for (let version = 1; version <= 3; version++) assert.equal(log.commit(old).version, version);
  log.close();
  assert.throws(() => log.commit(stateOf()), /closed/);
  assert.equal(ManifestLog.open(storage, FOLDER).commit(stateOf()).version, 4);
});

/** What a manifest that somebody else wrote may hold. */
const NO_NUMBERS = [Number.NaN, undefined, null, "9", 9.5, -1, Number.POSITIVE_INFINITY];

test("a state that contradicts itself is refused", () => {
  const storage = storageWithSegments(1);
  const log = ManifestLog.open(storage, FOLDER);
  const one = stateOf(segment(1));
  const impossible: ManifestState[] = [
    { ...one, numberOfDocuments: 9 },
    stateOf(segment(1), segment(1)),
    stateOf({ ...segment(1), lastDocid: 3 }),
    stateOf({ ...segment(1), lastDocid: segment(1).lastDocid - 1 }),
    ...NO_NUMBERS.flatMap((value) =>
      (["firstDocid", "lastDocid", "bytes", "rawDocumentBytes"] as const).map((name) =>
        stateOf({ ...segment(1), [name]: value }),
      ),
    ),
    stateOf({ ...segment(1), lastDocid: 2 ** 32 }),
    { ...one, formerFields: ["a", null as unknown as string] },
    { ...one, fields: [5 as unknown as string] },
    stateOf({ ...segment(1), tombstones: { count: 11, file: null, inline: new Uint8Array(1) } }),
    stateOf({ ...segment(1), tombstones: { count: 0, file: null, inline: null } }),
  ];
  for (const state of impossible) assert.throws(() => log.commit(state), /refused to commit/);
  assert.throws(() => log.commit(stateOf(segment(2))), { code: "io_error" }, "its file does not exist");
  assert.equal(log.state.version, 0);
  assert.equal(log.commit(one).version, 1);
});

test("a log that has grown goes on in a new file, and readers follow", () => {
  const storage = storageWithSegments();
  const log = ManifestLog.open(storage, FOLDER, 0);
  const reader = new ManifestReader(storage, FOLDER);
  const lazy = new ManifestReader(storage, FOLDER);
  lazy.read(0);
  for (let version = 1; version <= 100; version++) {
    log.commit({ ...stateOf(), primaryKey: `key ${version}` });
    assert.equal(reader.read(version).primaryKey, `key ${version}`);
    assert.equal(readManifest(storage, FOLDER, 0).version, version);
    if (version % 30 === 0) {
      assert.equal(lazy.read(version).version, version);
      for (const name of log.obsoleteFiles(0)) storage.remove(`${FOLDER}/${name}`);
      assert.equal(names(storage).length, 1);
    }
  }
  assert.ok(names(storage)[0] > manifestName(9));
  const reopened = ManifestLog.open(storage, FOLDER, 0);
  assert.equal(reopened.state.primaryKey, "key 100");
  assert.equal(reopened.commit(stateOf()).version, 101);
  assert.equal(reader.read(101).version, 101);
  reader.close();
});

test("a reader keeps the settings that it has read as long as they stay the same", () => {
  const storage = storageWithSegments();
  // Each commit begins a new file.
  const log = ManifestLog.open(storage, FOLDER, 0);
  const reader = new ManifestReader(storage, FOLDER);
  const settings = { synonyms: { a: ["b"] } };
  log.commit({ ...stateOf(), settings });
  const first = reader.read(1);
  log.commit({ ...stateOf(), settings: structuredClone(settings), primaryKey: "id" });
  const second = reader.read(2);
  assert.equal(second.primaryKey, "id");
  assert.equal(second.settings, first.settings);
  log.commit({ ...stateOf(), settings: { synonyms: { a: ["c"] } } });
  assert.deepEqual(reader.read(3).settings, { synonyms: { a: ["c"] } });
  assert.deepEqual(first.settings, settings);
  reader.close();
});

test("a large state does not begin a new file with every commit", () => {
  const storage = storageWithSegments();
  const log = ManifestLog.open(storage, FOLDER);
  const state = { ...stateOf(), settings: { text: "x".repeat(2_000_000) } };
  for (let i = 0; i < 4; i++) log.commit(state);
  assert.deepEqual(names(storage), [manifestName(1)]);
});

test("a log that vanishes between listing and opening is looked for anew", () => {
  const storage = storageWithSegments();
  const log = ManifestLog.open(storage, FOLDER, 0);
  const list = storage.list.bind(storage);
  let calls = 0;
  storage.list = (folder) => {
    const found = list(folder);
    if (calls++ === 0) {
      while (list(folder).length < 2) log.commit(stateOf());
      for (const name of found) storage.remove(`${folder}/${name}`);
    }
    return found;
  };
  log.commit(stateOf());
  const { version } = readManifest(storage, FOLDER, 2);
  assert.equal(version, log.state.version);
});

test("a manifest older than the reader must see is damage", () => {
  const storage = storageWithSegments();
  const log = ManifestLog.open(storage, FOLDER);
  log.commit(stateOf());
  assert.throws(() => readManifest(storage, FOLDER, 2), /expected version 2, found version 1/);
});

test("a version that counts no commits is damage", () => {
  // A reader would follow one that is not equal to itself for ever.
  for (const version of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 60]) {
    const read = () => decodeState(encodeState(emptyState(), version), "a manifest");
    assert.throws(read, { code: "invalid_store_file" }, `${version}`);
  }
});

test("a torn commit gives the state before; a torn first commit is damage and changes nothing", () => {
  const storage = storageWithSegments();
  const log = ManifestLog.open(storage, FOLDER);
  const name = `${FOLDER}/${manifestName(1)}`;
  log.commit({ ...stateOf(), primaryKey: "first" });
  const { size } = storage.open(name);
  log.commit({ ...stateOf(), primaryKey: "second" });
  const file = storage.openToAppend(name);
  file.truncate(file.size - 1);
  assert.equal(readManifest(storage, FOLDER, 0).primaryKey, "first");
  assert.equal(ManifestLog.open(storage, FOLDER).state.primaryKey, "first");
  file.truncate(size - 1);
  const before = raw(storage, name);
  assert.throws(() => readManifest(storage, FOLDER, 0), { code: "invalid_store_file" });
  assert.throws(() => ManifestLog.open(storage, FOLDER), { code: "invalid_store_file" });
  assert.deepEqual(raw(storage, name), before);
});

test("obsolete files are those of this program that no recent state names", () => {
  const storage = storageWithSegments(1, 2, 3, 4);
  for (const name of [
    "segment-00000001-1.del",
    "segment-00000002-2.del",
    "segment-00000009.tmp",
    "notes.txt",
    "x.del",
  ]) {
    write(storage, `${FOLDER}/${name}`, "x");
  }
  const log = ManifestLog.open(storage, FOLDER);
  const deleted = { count: 1, file: "segment-00000001-1.del", inline: null };
  log.commit({ ...stateOf({ ...segment(1), tombstones: deleted }, segment(2)), numberOfDocuments: 19 });
  const strays = ["segment-00000002-2.del", "segment-00000003", "segment-00000004", "segment-00000009.tmp"];
  assert.deepEqual(log.obsoleteFiles(0), strays);
  assert.deepEqual(
    log.obsoleteFiles(0, ["segment-00000003"]),
    strays.filter((name) => name !== "segment-00000003"),
  );
  log.commit(stateOf(segment(2), segment(3)));
  assert.deepEqual(log.obsoleteFiles(60_000), [
    "segment-00000002-2.del",
    "segment-00000004",
    "segment-00000009.tmp",
  ]);
  assert.deepEqual(log.obsoleteFiles(0), [
    "segment-00000001",
    "segment-00000001-1.del",
    "segment-00000002-2.del",
    "segment-00000004",
    "segment-00000009.tmp",
  ]);
});

test("no file is obsolete while a commit is in doubt", () => {
  const storage = new FaultyStorage();
  storage.makeFolder(FOLDER);
  for (const number of [1, 2, 3]) write(storage, `${FOLDER}/${segmentName(number)}`, "segment");
  const log = ManifestLog.open(storage, FOLDER);
  log.commit(stateOf(segment(1)));
  assert.deepEqual(log.obsoleteFiles(0), [2, 3].map(segmentName));
  storage.rule = (kind) => (kind === "sync" ? { code: "EIO", effect: "none" } : null);
  assert.throws(() => log.commit(stateOf(segment(2))), { code: "commit_in_doubt" });
  assert.deepEqual(log.obsoleteFiles(0), []);
});

test("two writers of one index: the one that comes late to a new file is stopped", () => {
  const storage = storageWithSegments();
  const first = ManifestLog.open(storage, FOLDER);
  const second = ManifestLog.open(storage, FOLDER);
  first.commit(stateOf());
  assert.throws(() => second.commit(stateOf()), { code: "io_error" });
  assert.throws(() => second.commit(stateOf()), { code: "io_error" });
  assert.equal(first.commit(stateOf()).version, 2);
});

test("names that begin with a byte order mark, once or behind a NUL, are kept as they are", () => {
  const long = "k".repeat(70);
  const names = ["\ufeff", `\ufeff${long}`, `\0\ufeff${long}`, `\ufeff\ufeff${long}`];
  const state = { ...emptyState(), primaryKey: names[1], fields: names, formerFields: names.slice(1) };
  assert.deepEqual(decodeState(encodeState(state, 1), "manifest"), { ...state, version: 1 });
});
