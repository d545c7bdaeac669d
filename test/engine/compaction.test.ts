// Compactions: the index has one segment afterwards and nothing of what was deleted, and reads the same.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "../../src/engine/engine.ts";
import { openLocalEngine } from "../../src/engine/pool.ts";
import { readManifest } from "../../src/segment/manifestreader.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";

const FOLDER = "index";
const MEBIBYTE = 2 ** 20;
const EVERYTHING = {
  offset: 0,
  limit: 1000,
  fields: null,
  ids: null,
  retrieveVectors: false,
  filter: null,
  sort: null,
};

async function openIndex() {
  const storage = new MemoryStorage();
  const open = () =>
    openLocalEngine(storage, { threads: 0, indexingBytes: 16 * MEBIBYTE, searchBytes: 16 * MEBIBYTE });
  let engine = open();
  let taskUid = 0;
  const run = (
    operation: Omit<Extract<Operation, { kind: "add" }>, "taskUid"> | { kind: "deleteIds"; ids: string[] },
  ) => {
    const operations = [{ ...operation, taskUid: taskUid++ } as Operation];
    return engine.run({ folder: FOLDER, indexUid: "i", operations });
  };
  return {
    run,
    storage,
    compact: (signal?: AbortSignal) => engine.compact(FOLDER, signal),
    segments: () => readManifest(storage, FOLDER, 0).segments,
    reopen: async () => {
      await engine.close();
      engine = open();
    },
    close: () => engine.close(),
    add: async (...ids: number[]) => {
      const file = storage.create("payload");
      file.append(Buffer.from(ids.map((id) => `{"id":${id},"text":"some words ${id}"}\n`).join("")));
      file.close();
      return run({
        kind: "add",
        payload: "payload",
        method: "replace",
        primaryKey: null,
        skipCreation: false,
      });
    },
    texts: async () => {
      const { version } = await engine.describe(FOLDER);
      const answer = await engine.documents({ folder: FOLDER, indexUid: "i", version }, EVERYTHING);
      return Buffer.from(answer).toString();
    },
  };
}

test("segments become one, deleted documents go, and reads stay the same", async () => {
  const index = await openIndex();
  await index.add(1, 2, 3);
  await index.add(4, 5, 2);
  await index.run({ kind: "deleteIds", ids: ["5", "1"] });
  ok(index.segments().length > 1);
  const before = await index.texts();
  const compaction = await index.compact();
  deepEqual(
    index.segments().map(({ documents, tombstones }) => [documents, tombstones]),
    [[3, null]],
  );
  equal(await index.texts(), before);
  equal(compaction.index.numberOfDocuments, 3);
  ok(compaction.bytesAfter < compaction.bytesBefore);
  await index.reopen();
  equal(await index.texts(), before);
  await index.add(6);
  equal(JSON.parse(await index.texts()).total, 4);
  await index.close();
});

test("an index that is compact, or empty, stays as it is", async () => {
  const index = await openIndex();
  const empty = await index.compact();
  equal(empty.bytesAfter, empty.bytesBefore);
  await index.add(1, 2);
  const { version } = (await index.compact()).index;
  const again = await index.compact();
  deepEqual([again.index.version, again.bytesAfter], [version, again.bytesBefore]);
  await index.close();
});

test("a compaction is stopped by its signal, and changes nothing then", async () => {
  const index = await openIndex();
  await index.add(1);
  await index.add(2);
  const stop = new AbortController();
  stop.abort();
  await rejects(index.compact(stop.signal), { code: "aborted" });
  const running = new AbortController();
  const compaction = index.compact(running.signal);
  running.abort();
  await rejects(compaction, { code: "aborted" });
  equal(index.segments().length, 2);
  await index.compact();
  equal(index.segments().length, 1);
  await index.close();
});
