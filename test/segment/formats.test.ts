// Files that were written once, in every format that a release has had (test/formats, made by
// tools/formats.mjs): they open, are searched, changed and merged. Formats that this version does not read,
// older ones and newer ones, are refused with what was found and what is read, and nothing is touched.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Packr } from "msgpackr/pack";
import { searchQueryOf } from "../../src/schemas/search.ts";
import { checkStorage } from "../../src/segment/check.ts";
import { SegmentFile } from "../../src/segment/file.ts";
import { TRAILER_BYTES } from "../../src/segment/format.ts";
import { readManifest } from "../../src/segment/manifestreader.ts";
import { decodeState } from "../../src/segment/manifeststate.ts";
import { Tombstones } from "../../src/segment/tombstones.ts";
import { crc32c } from "../../src/storage/crc32c.ts";
import { FileStorage } from "../../src/storage/file.ts";
import type { MemoryStorage } from "../../src/storage/memory.ts";
import { checkCatalog } from "../../src/tasks/catalogcheck.ts";
import { Journal } from "../../src/tasks/journal.ts";
import { State } from "../../src/tasks/state.ts";
import { bytesOf } from "../crash/bitrot.ts";
import { copyOf } from "../crash/faultrun.ts";
import {
  closeFixture,
  type LocalFixture,
  openFixture,
  readAll,
  register,
  searchAll,
} from "../crash/localfixture.ts";

const FOLDER = join("test", "formats");
const READ = ["segment3-manifest2", "segment4-manifest2"];
const REFUSED = [
  ["segment1-manifest1", 1],
  ["segment2-manifest1", 1],
] as const;
const NEWER = /a newer version wrote it/;

const folderOf = (name: string): MemoryStorage => copyOf(new FileStorage(join(FOLDER, name)));

async function hits(fixture: LocalFixture, query: object): Promise<unknown[]> {
  const asked = searchQueryOf({ limit: 100, ...query }, "00000000-0000-7000-8000-000000000000", null);
  const answer = await fixture.engine.search(fixture.instance.handle("teas"), asked);
  return JSON.parse(Buffer.from(answer).toString()).hits.map(({ id }: { id: number }) => id);
}

async function assertContents(fixture: LocalFixture, more: number[]): Promise<void> {
  const documents = await readAll(fixture, "teas");
  assert.equal(documents.length, 58 + more.length);
  const kept = documents.find(({ id }) => id === 7);
  assert.deepEqual(kept?.extra, { deep: [1, "two"] });
  assert.deepEqual(
    (await searchAll(fixture, "teas", "daisy")).map(({ id }) => id),
    [7],
  );
  assert.deepEqual(
    await hits(fixture, { q: "almond", filter: "year 1900 TO 1906", sort: ["year:desc"] }),
    [6, 3, 0],
  );
  assert.deepEqual(await hits(fixture, { filter: "_geoRadius(0, 0, 70000)", sort: ["year:asc"] }), [0, 4]);
  const near = await hits(fixture, {
    vector: [1, 0],
    hybrid: { embedder: "own", semanticRatio: 1 },
    limit: 1,
  });
  assert.deepEqual(near, [7]);
  for (const id of more) assert.ok(documents.some((document) => document.id === id));
}

describe("a folder of an older release", () => {
  for (const name of READ) {
    test(`${name}: is sound, is searched, takes writes, and is merged`, async () => {
      const storage = folderOf(name);
      assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
      const resting = await openFixture(storage, { batchTasksMax: 0 });
      await assertContents(resting, []);
      await closeFixture(resting);
      const fixture = await openFixture(storage);
      await fixture.instance.idle();
      await assertContents(fixture, [1000]);
      const documents = [{ id: 2000, title: "new", _vectors: { own: null } }];
      await register(fixture, { kind: "add", index: "teas", method: "replace", documents });
      const { taskUid } = await fixture.instance.register({ type: "indexCompaction", indexUid: "teas" });
      await fixture.instance.idle();
      assert.equal(fixture.instance.task(taskUid, null).status, "succeeded");
      await assertContents(fixture, [1000, 2000]);
      await closeFixture(fixture);
      assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
    });
  }

  test("tombstones in both forms are read", () => {
    const read = (file: string) => Tombstones.decode(readFileSync(join(FOLDER, READ[0], file)), file).docids;
    assert.deepEqual([...read("deltas.del")], [3, 4, 900, 70_000]);
    assert.equal(read("bitmap.del").length, 90);
  });
});

describe("formats from before the first release", () => {
  for (const [name, manifest] of REFUSED) {
    test(`${name}: reads and writes are refused, and nothing is touched`, async () => {
      const storage = folderOf(join("refused", name));
      const fixture = await openFixture(storage, { batchTasksMax: 0 });
      const { folder } = fixture.instance.handle("teas");
      const before = storage.list(folder).map((file) => bytesOf(storage, `${folder}/${file}`));
      const refusal = new RegExp(`format version.*expected 2, .*dump by the version.*found ${manifest}$`);
      await assert.rejects(readAll(fixture, "teas"), { code: "invalid_store_file", message: refusal });
      await closeFixture(fixture);
      const running = await openFixture(storage);
      const documents = [{ id: 1 }];
      const uid = await register(running, { kind: "add", index: "teas", method: "replace", documents });
      await running.instance.idle();
      assert.equal(running.instance.task(uid, null).error?.code, "invalid_store_file");
      await closeFixture(running);
      assert.deepEqual(
        storage.list(folder).map((file) => bytesOf(storage, `${folder}/${file}`)),
        before,
      );
      const segment = storage.list(folder).find((file) => file.startsWith("segment-"))!;
      const open = () => new SegmentFile(storage, `${folder}/${segment}`);
      assert.throws(open, { message: /format version.*expected 4, .*found [12]$/ });
    });
  }
});

describe("a newer format is refused with a message that says so", () => {
  const storage = folderOf(READ[0]);
  const [index] = storage.listFolders("indexes");
  const folder = `indexes/${index}`;

  function replace(name: string, change: (bytes: Uint8Array) => void): MemoryStorage {
    const copy = copyOf(storage);
    const bytes = bytesOf(storage, name).slice();
    change(bytes);
    copy.remove(name);
    const file = copy.create(name);
    file.append(bytes);
    file.close();
    return copy;
  }

  const newerLog = (bytes: Uint8Array) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    view.setUint32(8, 2, true);
    view.setUint32(16, crc32c(bytes, 0, 16), true);
  };

  test("journal", () => {
    assert.throws(() => Journal.open(replace("journal.log", newerLog)), NEWER);
    assert.throws(
      () => new State().apply({ type: "gift" } as never),
      /record of the unknown type "gift": a newer version/,
    );
  });

  test("manifest: its log, and the state in it", () => {
    const changed = replace(`${folder}/manifest-00000001.log`, newerLog);
    assert.throws(() => readManifest(changed, folder, 0), NEWER);
    const packr = new Packr({ useRecords: false });
    const state = Buffer.concat([Buffer.alloc(8), packr.pack({ formatVersion: 3 })]);
    assert.throws(() => decodeState(state, "manifest"), NEWER);
  });

  test("segment", () => {
    const name = `${folder}/segment-00000001`;
    const changed = replace(name, (bytes) => {
      bytes[bytes.length - TRAILER_BYTES + 20] = 200;
    });
    assert.throws(() => new SegmentFile(changed, name), NEWER);
  });

  test("tombstones", () => {
    const bytes = Tombstones.of([1]).encode();
    bytes[4] = 2;
    new DataView(bytes.buffer).setUint32(0, crc32c(bytes, 4), true);
    assert.throws(() => Tombstones.decode(bytes, "a.del"), NEWER);
  });
});
