// What `tarsier check` tells of damage: every place, by file, offset and section.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { checkStorage } from "../../src/segment/check.ts";
import { SegmentFile } from "../../src/segment/file.ts";
import type { Finding } from "../../src/segment/finding.ts";
import { CHUNK_BYTES, TRAILER_BYTES } from "../../src/segment/format.ts";
import { JOURNAL_KIND, JOURNAL_NAME } from "../../src/segment/journalfile.ts";
import { MANIFEST_KIND } from "../../src/segment/manifestreader.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import { RecordReader } from "../../src/storage/recordreader.ts";
import { checkCatalog } from "../../src/tasks/catalogcheck.ts";
import { pack } from "../../src/tasks/codec.ts";
import { Journal } from "../../src/tasks/journal.ts";
import {
  bytesOf,
  filesOf,
  makeFolder,
  type SoundFolder,
  withBytes,
  withFlip,
  work,
} from "../crash/bitrot.ts";
import { closeFixture, openFixture, readAll } from "../crash/localfixture.ts";

/** Enough for tombstones in a file of their own. */
const DOCUMENTS = 40_000;
const SMALL_DOCUMENTS = 200;

let small: SoundFolder;
before(async () => {
  small = await makeFolder(SMALL_DOCUMENTS);
});

const findings = async ({ storage }: SoundFolder): Promise<Finding[]> => [...checkStorage(storage)];

test("a sound folder has no findings", async () => {
  assert.deepEqual(await findings(small), []);
});

test("a document may have more values in a field than the room of a thread begins with", async () => {
  const storage = new MemoryStorage();
  const fixture = await openFixture(storage);
  const tags = Array.from({ length: 3000 }, (_, i) => `tag ${i}`);
  const documents = [
    { id: 0, tags: ["tag 7"] },
    { id: 1, tags },
  ] as never[];
  await work(fixture, [
    { kind: "settings", index: "many", patch: { filterableAttributes: ["tags"] } },
    { kind: "add", index: "many", method: "replace", documents },
  ]);
  assert.equal((await readAll(fixture, "many")).length, 2);
  await closeFixture(fixture);
  assert.deepEqual([...checkStorage(storage)], []);
});

describe("segments", () => {
  test("a flipped bit in any section is told with its chunk and section", async () => {
    const sections = new Set<string>();
    for (const name of filesOf(small.storage, small.handles.alpha, /^segment-\d+$/)) {
      const file = new SegmentFile(small.storage, name);
      for (const [section, { offset, length }] of file.sections) {
        for (const at of new Set([offset, offset + (length >> 1), offset + length - 1])) {
          const found = await withFlip(small.storage, { name, offset: at }, () => findings(small));
          assert.equal(found.length, 1, `one place for a bit at ${at}`);
          assert.equal(found[0].file, name);
          assert.equal(found[0].offset, at - (at % CHUNK_BYTES));
          assert.ok(found[0].section.split(", ").includes(section), `${section} is in ${found[0].section}`);
          assert.match(found[0].expected, /^checksum [0-9a-f]{8}$/);
          sections.add(section);
        }
      }
    }
    const all = [
      "blocks",
      "columns",
      "documents",
      "geometries",
      "ids",
      "meta",
      "offsets",
      "order",
      "points",
      "positions",
      "postings",
      "shapes",
      "terms",
    ];
    assert.deepEqual([...sections].sort(), all);
  });

  test("header, tables and trailer are no less guarded", async () => {
    const [name] = filesOf(small.storage, small.handles.alpha, /^segment-\d+$/);
    const { size, covered } = new SegmentFile(small.storage, name);
    const places = [0, 6, 7, 12];
    for (let at = covered; at < size; at += at < size - TRAILER_BYTES ? 7 : 1) places.push(at);
    for (const offset of places) {
      const found = await withFlip(small.storage, { name, offset }, () => findings(small));
      assert.ok(found.length > 0, `a bit at ${offset} of ${size} is told`);
      for (const { file } of found) assert.equal(file, name);
    }
  });

  test("all damage is told, not only the first", async () => {
    const [first, second] = filesOf(small.storage, small.handles.alpha, /^segment-\d+$/);
    const found = await withFlip(small.storage, { name: first, offset: 100 }, () =>
      withFlip(small.storage, { name: first, offset: 2 * CHUNK_BYTES + 5 }, () =>
        withFlip(small.storage, { name: second, offset: 40 }, () => findings(small)),
      ),
    );
    const places = found.map(({ file, offset }) => [file, offset]);
    assert.deepEqual(places, [
      [first, 0],
      [first, 2 * CHUNK_BYTES],
      [second, 0],
    ]);
  });

  test("a file cut short, and one that is missing, are told", async () => {
    const [name] = filesOf(small.storage, small.handles.alpha, /^segment-\d+$/);
    const sound = bytesOf(small.storage, name);
    for (const length of [0, 1, 47, 48, 5000, sound.length - 1]) {
      const [found] = await withBytes(small.storage, name, sound.subarray(0, length), () => findings(small));
      assert.equal(found?.file, name, `${length} of ${sound.length} bytes`);
    }
    const [found] = await withBytes(small.storage, name, sound, async () => {
      small.storage.remove(name);
      return findings(small);
    });
    assert.equal(found.file, name);
    assert.match(found.found, /does not exist/);
  });

  test("two chunks that changed places are told", async () => {
    const [name] = filesOf(small.storage, small.handles.alpha, /^segment-\d+$/);
    const bytes = bytesOf(small.storage, name);
    const first = bytes.slice(0, CHUNK_BYTES);
    bytes.copyWithin(0, CHUNK_BYTES, 2 * CHUNK_BYTES);
    bytes.set(first, CHUNK_BYTES);
    const found = await withBytes(small.storage, name, bytes, () => findings(small));
    assert.deepEqual(
      found.map(({ offset }) => offset),
      [0, CHUNK_BYTES],
    );
  });
});

test("a flipped bit in a file of tombstones is told", { timeout: 60_000 }, async () => {
  const large = await makeFolder(DOCUMENTS);
  const [name] = filesOf(large.storage, large.handles.alpha, /\.del$/);
  for (const offset of [0, 5, 9, 2000]) {
    const found = await withFlip(large.storage, { name, offset }, () => findings(large));
    assert.deepEqual(
      found.map(({ file, offset, section }) => ({ file, offset, section })),
      [{ file: name, offset: 0, section: "tombstones" }],
    );
  }
});

describe("logs", () => {
  for (const [what, kind, nameOf] of [
    ["journal", "TASK", () => "journal.log"],
    ["manifest", MANIFEST_KIND, () => filesOf(small.storage, small.handles.alpha, /^manifest/)[0]],
  ] as const) {
    test(`${what}: a flipped bit in any record but the last is told with its offset`, async () => {
      const name = nameOf();
      const starts = recordStarts(small, name, kind);
      assert.ok(starts.length > 2);
      for (let i = 0; i < starts.length - 2; i++) {
        // In the checksum, the length, what was synced, and the payload.
        for (const inside of [0, 4, 7, 8, 12, (starts[i + 1] - starts[i]) >> 1]) {
          const offset = starts[i] + inside;
          const found = await withFlip(small.storage, { name, offset }, () => findings(small));
          const places = found.filter(({ file }) => file === name).map(({ offset }) => offset);
          assert.deepEqual(places, [starts[i]], `record ${i}, byte ${inside}`);
        }
      }
      for (const offset of [0, 5, 9, 13, 17]) {
        const found = await withFlip(small.storage, { name, offset }, () => findings(small));
        assert.ok(found.some(({ file, offset }) => file === name && offset <= 4));
      }
    });

    test(`${what}: two damaged records are both told`, async () => {
      const name = nameOf();
      const [first, , third] = recordStarts(small, name, kind);
      const flip = (at: number, run: () => Promise<Finding[]>) =>
        withFlip(small.storage, { name, offset: at + 14 }, run);
      const found = await flip(first, () => flip(third, () => findings(small)));
      const places = found.filter(({ file }) => file === name).map(({ offset }) => offset);
      assert.deepEqual(places, [first, third].slice(0, places.length));
      if (what === "journal") assert.equal(places.length, 2);
    });
  }
});

test("a manifest that lost its last record is told by what the journal knows", async () => {
  for (const handle of Object.values(small.handles)) {
    const [name] = filesOf(small.storage, handle, /^manifest/);
    const starts = recordStarts(small, name, MANIFEST_KIND);
    const last = starts[starts.length - 2];
    const check = async () => [...checkStorage(small.storage), ...checkCatalog(small.storage)];
    const found = await withFlip(small.storage, { name, offset: last + 20 }, check);
    assert.deepEqual(
      found.map(({ file, offset }) => ({ file, offset })),
      [{ file: name, offset: last }],
    );
  }
  assert.deepEqual([...checkCatalog(small.storage)], []);
});

/** Offsets of the records, and of the end. */
function recordStarts({ storage }: SoundFolder, name: string, kind: string): number[] {
  const reader = RecordReader.open(storage.open(name), name, kind);
  const starts = [reader.offset];
  while (reader.next()) starts.push(reader.offset);
  return starts;
}

test("sound records of the journal that do not fit together are told: no server starts with them", () => {
  const storage = new MemoryStorage();
  const log = RecordLog.open(storage, JOURNAL_NAME, JOURNAL_KIND, () => {});
  log.append(pack(["no record"]));
  log.close();
  assert.throws(() => Journal.open(storage), { code: "invalid_store_file" });
  assert.deepEqual([...checkStorage(storage)], []);
  const [{ file, offset, expected }] = checkCatalog(storage);
  assert.deepEqual([file, offset, expected], [JOURNAL_NAME, 20, "records that fit together"]);
});
