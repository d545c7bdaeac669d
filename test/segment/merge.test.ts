// Merges keep what lives, in order, and nothing else; and the policy keeps segments few and merges cheap.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Core } from "../../src/core/core.ts";
import { type MergeReach, planMerges } from "../../src/engine/ingest/mergepolicy.ts";
import { TarsierError } from "../../src/errors.ts";
import { BuildBuffers } from "../../src/segment/builder.ts";
import type { SegmentEntry } from "../../src/segment/manifeststate.ts";
import { mergeSegments } from "../../src/segment/merge.ts";
import { Tombstones } from "../../src/segment/tombstones.ts";
import type { MemoryStorage } from "../../src/storage/memory.ts";
import { addition, TestIndex } from "../engine/index.ts";

const SEGMENTS_MAX = 12;
const REWRITES_MAX = 24;
const REWRITES_AT_REST_MAX = 15;

const documents = (from: number, to: number, word: string): string[] =>
  Array.from(
    { length: to - from },
    (_, i) => `{"id":${from + i},"text":"${word} common ${(from + i) % 17} ${"pad ".repeat(i % 30)}"}`,
  );

/** Ids as texts. */
const ids = (from: number, to: number, step = 1): string[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => String(from + i * step));

/** Uses so many other indexes that the writer of this one is closed. */
function crowdOut(index: TestIndex): void {
  const operations = [{ kind: "primaryKey" as const, taskUid: 1, primaryKey: "id" }];
  for (let i = 0; i < 40; i++)
    index.writer.run({ folder: `other-${i}`, indexUid: "o", operations }, null, () => {});
}

/** An index of 4 segments, whose documents do or do not lie between each other. */
function fourSegments(interleaved: boolean): TestIndex {
  const index = new TestIndex();
  for (let part = 0; part < 4; part++) {
    index.run([addition(documents(part * 600, (part + 1) * 600, `part${part}`))]);
  }
  if (!interleaved) return index;
  index.run([{ kind: "deleteIds", ids: ids(0, 1800, 3) }]);
  index.run([addition(documents(5000, 5500, "late")), { kind: "deleteIds", ids: ids(5000, 5100, 7) }]);
  return index;
}

/** Documents with so many words that the lists of some go to a file while others are merged. */
const manyWords = (part: number): string[] =>
  Array.from({ length: 500 }, (_, i) => {
    const words = Array.from({ length: 12 }, (_, word) => `p${part}d${i}w${word}`);
    return `{"id":${part * 500 + i},"text":"${words.join(" ")}"}`;
  });

function outcomeOf(merge: () => unknown): "done" | "aborted" {
  try {
    merge();
    return "done";
  } catch (error) {
    if (error instanceof TarsierError && error.code === "aborted") return "aborted";
    throw error;
  }
}

/** Counts the files that are opened or made from now on, and not closed. */
function openFilesOf(storage: MemoryStorage): () => number {
  let count = 0;
  const counted = <File extends { close(): void }>(file: File): File => {
    const { close } = file;
    count++;
    file.close = () => {
      count--;
      close.call(file);
    };
    return file;
  };
  const { open, create } = storage;
  storage.open = (name) => counted(open.call(storage, name));
  storage.create = (name) => counted(create.call(storage, name));
  return () => count;
}

describe("a merge", () => {
  for (const interleaved of [false, true]) {
    it(`keeps what ${interleaved ? "interleaved" : "consecutive"} segments hold`, () => {
      const index = fourSegments(interleaved);
      const { rawDocumentBytes } = index.state;
      assert.ok(index.mergeAll() > 0);
      assert.ok(index.state.segments.length < 4);
      index.compare();
      if (!interleaved) assert.equal(index.state.rawDocumentBytes, rawDocumentBytes);
      index.close();
    });
  }

  it("keeps ids of any length, be they numbers or not", () => {
    const index = new TestIndex();
    const parts = [
      ids(0, 300),
      // More of them than one chunk of IdTexts holds.
      ids(0, 300).map((id) => id.padStart(511, "x")),
      ids(1000, 1300, 3),
      ["7a", "-5", "007", "9223372036854775807", "9999999999999999999", "18446744073709551616"],
    ];
    for (const part of parts) index.run([addition(part.map((id) => `{"id":"${id}"}`))]);
    index.run([{ kind: "deleteIds", ids: parts.flatMap((part) => part.filter((_, i) => i % 5 === 2)) }]);
    assert.ok(index.mergeAll() > 0);
    assert.equal(index.state.segments.length, 1);
    index.compare();
    index.run([{ kind: "deleteIds", ids: parts.flatMap((part) => part.filter((_, i) => i % 2 === 1)) }]);
    index.compare();
    index.close();
  });

  it("leaves out what is deleted, replaced or added while it runs", () => {
    const index = fourSegments(true);
    const job = index.writer.beginMerge(index.folder)!;
    const merged = index.merge(job);
    index.run([{ kind: "deleteIds", ids: ids(1, 1800, 5) }]);
    index.run([addition(documents(2, 40, "changed")), addition(documents(9000, 9100, "new"), "update")]);
    index.writer.commitMerge(job, merged);
    index.compare();
    index.reopen();
    index.compare();
    assert.equal(index.mergeAll() >= 0, true);
    index.compare();
    index.close();
  });

  it("reads tombstones as of its start, however often they change while it runs", () => {
    const index = new TestIndex();
    index.run([addition(ids(0, 40_000).map((id) => `{"id":${id}}`))]);
    // So many that they stand in a file of their own.
    index.run([{ kind: "deleteIds", ids: ids(0, 40_000, 2) }]);
    const job = index.writer.beginMerge(index.folder)!;
    const [{ tombstones }] = job.entries;
    assert.ok(tombstones?.file);
    for (let round = 0; round < 3; round++) {
      index.run([{ kind: "deleteIds", ids: ids(round * 4 + 1, 40_000, 22) }]);
      crowdOut(index);
    }
    assert.ok(index.storage.list(index.folder).includes(tombstones.file));
    index.writer.commitMerge(job, index.merge(job));
    index.compare();
    crowdOut(index);
    index.run([addition(documents(3, 9, "late"))]);
    assert.ok(!index.storage.list(index.folder).includes(tombstones.file));
    index.close();
  });

  it("of which nothing is left, or whose sources are gone, leaves no segment", () => {
    for (const clears of [true, false]) {
      const index = fourSegments(false);
      const job = index.writer.beginMerge(index.folder)!;
      const merged = index.merge(job);
      index.run([clears ? { kind: "clear" } : { kind: "deleteIds", ids: ids(0, 2400) }]);
      index.writer.commitMerge(job, merged);
      assert.deepEqual(index.state.segments, []);
      index.reopen();
      index.run([addition(documents(0, 3, "again"))]);
      index.compare();
      assert.equal(index.storage.list(index.folder).length, 2);
      index.close();
    }
  });

  it("stops when it is told to, and leaves no file", () => {
    const index = fourSegments(false);
    const files = index.storage.list(index.folder);
    const job = index.writer.beginMerge(index.folder)!;
    const isAborted = (error: unknown) => error instanceof TarsierError && error.code === "aborted";
    assert.throws(() => index.merger.merge(job, Int32Array.of(1)), isAborted);
    assert.deepEqual(index.storage.list(index.folder), files);
    index.writer.endMerge(job);
    assert.deepEqual(index.storage.list(index.folder), files);
    assert.ok(index.mergeAll() > 0);
    index.compare();
    index.close();
  });

  it("leaves no file, none open and no memory taken wherever it is stopped", () => {
    const index = new TestIndex();
    for (let part = 0; part < 4; part++) index.run([addition(manyWords(part))]);
    const { storage, folder } = index;
    const files = storage.list(folder);
    const openFiles = openFilesOf(storage);
    const job = index.writer.beginMerge(folder)!;
    const core = new Core();
    const limits = { spoolBytes: 4096, graphs: { threads: 1, bytesMax: 2 ** 20 }, blockHelper: false };
    const share = { core, storage, buffers: new BuildBuffers(core, limits) };
    let stops = 0;
    let spoolSeen = 0;
    for (let isDone = false; !isDone; stops++) {
      let looks = 0;
      const merge = () =>
        mergeSegments(share, job, () => {
          if (looks++ < stops) return;
          if (storage.exists(`${folder}/${job.name}.tmp`)) spoolSeen++;
          throw new TarsierError("aborted");
        });
      isDone = outcomeOf(merge) === "done";
      if (!isDone) assert.deepEqual(storage.list(folder), files);
      assert.equal(openFiles(), 0);
    }
    assert.ok(stops > 3 && spoolSeen > 0, `${stops} ${spoolSeen}`);
    const reserved = core.reservedBytes;
    for (let i = 0; i < 5; i++) mergeSegments(share, { ...job, name: `again-${i}` }, () => {});
    assert.equal(core.reservedBytes, reserved);
    index.close();
  });

  it("leaves out the last document of a segment, whatever its number", () => {
    for (const count of [63, 64, 65, 128, 129]) {
      const index = new TestIndex();
      index.run([addition(documents(0, count, "some"))]);
      index.run([{ kind: "deleteIds", ids: [String(count - 1)] }]);
      index.run([addition(documents(1000, 1100, "more"))]);
      const job = index.writer.beginMerge(index.folder, "whole")!;
      assert.equal(index.merge(job)!.documents, count - 1 + 100);
      index.close();
    }
  });

  it("leaves nothing of segments whose documents are all deleted, nor a file open of a damaged one", () => {
    const index = fourSegments(false);
    const { storage, folder } = index;
    const job = index.writer.beginMerge(folder)!;
    const core = new Core();
    const limits = { spoolBytes: 4096, graphs: { threads: 1, bytesMax: 2 ** 20 }, blockHelper: false };
    const share = { core, storage, buffers: new BuildBuffers(core, limits) };
    const deleted = (docids: Tombstones) => ({
      ...job,
      entries: job.entries.map((entry) => {
        const { count } = docids;
        return { ...entry, tombstones: { count, file: null, inline: docids.encode() } };
      }),
    });
    const files = storage.list(folder);
    const all = Tombstones.of(Array.from({ length: 5000 }, (_, docid) => docid));
    assert.equal(
      mergeSegments(share, deleted(all), () => {}),
      null,
    );
    const openFiles = openFilesOf(storage);
    const [first] = deleted(all).entries;
    first.tombstones.count++;
    const damaged = { ...job, entries: [first] };
    assert.throws(() => mergeSegments(share, damaged, () => {}), { code: "invalid_store_file" });
    assert.equal(openFiles(), 0);
    assert.deepEqual(storage.list(folder), files);
    index.close();
  });

  it("closes what it has read", () => {
    const index = fourSegments(true);
    const openFiles = openFilesOf(index.storage);
    const job = index.writer.beginMerge(index.folder)!;
    const merged = index.merge(job);
    assert.equal(openFiles(), 0);
    index.writer.commitMerge(job, merged);
    index.close();
  });

  it("survives that its writer is closed for others meanwhile", () => {
    const index = fourSegments(false);
    const job = index.writer.beginMerge(index.folder)!;
    const merged = index.merge(job);
    crowdOut(index);
    index.writer.commitMerge(job, merged);
    assert.equal(index.state.segments.length, 1);
    index.compare();
    index.close();
  });
});

describe("what was replaced", () => {
  it("goes though its writer was closed meanwhile, and a dropped index stays dropped", () => {
    const index = fourSegments(false);
    const { folder, storage, writer } = index;
    assert.ok(index.mergeAll() > 0);
    crowdOut(index);
    const segmentFiles = () => storage.list(folder).filter((name) => name.startsWith("segment-"));
    assert.ok(segmentFiles().length > index.state.segments.length);
    writer.tidy(folder);
    assert.deepEqual(
      segmentFiles(),
      index.state.segments.map(({ name }) => name),
    );
    index.compare();
    writer.drop(folder);
    writer.tidy(folder);
    assert.equal(storage.exists(folder), false);
  });
});

describe("an index at rest", () => {
  it("becomes one segment, and stays as it was for who reads it", () => {
    const index = new TestIndex();
    index.run([addition(documents(0, 400, "first"))]);
    index.run([addition(documents(400, 900, "second"))]);
    index.run([addition(documents(200, 300, "third"))]);
    assert.equal(index.mergeAll(), 0);
    assert.equal(index.mergeAll("rest"), 1);
    assert.equal(index.state.segments.length, 1);
    index.compare();
    index.close();
  });
});

/** Commits segments of these sizes one after the other and merges as planned; sizes simply add up. */
function simulate(
  sizes: readonly number[],
  reach: MergeReach = "usual",
): { mostSegments: number; rewrites: number } {
  let segments: SegmentEntry[] = [];
  let mostSegments = 0;
  let written = 0;
  sizes.forEach((bytes, i) => {
    segments.push(entry(String(i), bytes));
    for (let plan = planMerges[reach](segments); plan; plan = planMerges[reach](segments)) {
      const sources = new Set(plan);
      const merged = entry(
        `${i}+`,
        plan.reduce((sum, one) => sum + one.bytes, 0),
      );
      written += merged.bytes;
      segments = [...segments.filter((one) => !sources.has(one)), merged];
    }
    mostSegments = Math.max(mostSegments, segments.length);
  });
  return { mostSegments, rewrites: written / sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

function entry(name: string, bytes: number): SegmentEntry {
  const range = { documents: 1000, firstDocid: 0, lastDocid: 999 };
  return { name, ...range, bytes, rawDocumentBytes: bytes, settingsHash: "", tombstones: null };
}

describe("the policy of merges", () => {
  const sizes: Record<string, number[]> = {
    "20,000 tiny batches": Array.from({ length: 20_000 }, () => 3_000),
    "batches of 100 KB": Array.from({ length: 5_000 }, () => 100_000),
    "large batches with tiny ones between": Array.from({ length: 3_000 }, (_, i) =>
      i % 50 ? 4_000 : 5_000_000,
    ),
    "a large index, then tiny batches": [1_900_000_000, ...Array.from({ length: 3_000 }, () => 4_000)],
  };

  for (const [name, list] of Object.entries(sizes)) {
    it(`keeps segments few and rewrites bounded over ${name}`, () => {
      const { mostSegments, rewrites } = simulate(list);
      assert.ok(mostSegments <= SEGMENTS_MAX, `${mostSegments} segments`);
      assert.ok(rewrites <= REWRITES_MAX, `every byte is rewritten ${rewrites.toFixed(1)} times`);
    });
  }

  it("does not touch a large segment for the sake of tiny ones", () => {
    const { rewrites } = simulate([1_900_000_000, ...Array.from({ length: 3_000 }, () => 4_000)]);
    assert.ok(rewrites < 0.1, `${rewrites}`);
  });

  it("never makes a segment that is too large", () => {
    const large = Array.from({ length: 12 }, (_, i) => entry(String(i), 900_000_000));
    const plan = planMerges.usual(large)!;
    assert.ok(plan.length >= 2);
    assert.ok(plan.reduce((sum, { bytes }) => sum + bytes, 0) <= 2 ** 31);
    assert.equal(
      planMerges.usual(Array.from({ length: 12 }, (_, i) => entry(String(i), 1_900_000_000))),
      null,
    );
  });

  it("rewrites a segment of which much is deleted, and mixes no settings", () => {
    const tombstones = { count: 450, file: null, inline: new Uint8Array(0) };
    const hollow = { ...entry("a", 10_000), tombstones };
    assert.deepEqual(planMerges.usual([hollow, entry("b", 10_000)]), [hollow]);
    const mixed = Array.from({ length: 6 }, (_, i) => ({
      ...entry(String(i), 5_000),
      settingsHash: String(i % 2),
    }));
    assert.equal(planMerges.usual(mixed), null);
  });

  it("merges at rest what is a good part of the whole, and leaves the rest alone", () => {
    const sizesAtRest = (...sizes: number[]) =>
      planMerges.rest(sizes.map((bytes, i) => entry(String(i), bytes)))?.map(({ bytes }) => bytes) ?? null;
    assert.deepEqual(sizesAtRest(40_000_000, 45_000_000, 41_000_000), [40_000_000, 41_000_000, 45_000_000]);
    assert.deepEqual(sizesAtRest(100_000_000, 24_000_000), null);
    assert.deepEqual(sizesAtRest(100_000_000, 12_000_000, 13_000_000), [12_000_000, 13_000_000, 100_000_000]);
    assert.deepEqual(sizesAtRest(100_000_000, 3_000, 4_000), [3_000, 4_000]);
    assert.deepEqual(sizesAtRest(400_000_000, 200_000_000), null);
    assert.deepEqual(sizesAtRest(400_000_000, 200_000_000, 100_000_000), [100_000_000, 200_000_000]);
    assert.equal(sizesAtRest(100_000_000), null);
  });

  it("rewrites little over an index that is at rest after each batch", () => {
    const { mostSegments, rewrites } = simulate(
      Array.from({ length: 5_000 }, () => 20_000),
      "rest",
    );
    assert.ok(mostSegments <= SEGMENTS_MAX, `${mostSegments} segments`);
    assert.ok(rewrites <= REWRITES_AT_REST_MAX, `every byte is rewritten ${rewrites.toFixed(1)} times`);
  });
});

describe("an index fed document by document", () => {
  it("has few segments at any time", () => {
    const index = new TestIndex();
    let most = 0;
    for (let i = 0; i < 300; i++) {
      index.run([addition([`{"id":${i},"text":"word ${i % 9}"}`])]);
      index.mergeAll();
      most = Math.max(most, index.state.segments.length);
    }
    assert.ok(most <= SEGMENTS_MAX, `${most} segments`);
    index.compare();
    index.close();
  });
});
