// What a repair makes of damaged files: what is sound is kept, what is lost is told, nothing is deleted, and
// the folder opens, is sound, and takes writes afterwards.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { checkStorage } from "../../src/segment/check.ts";
import { JOURNAL_KIND, JOURNAL_NAME } from "../../src/segment/journalfile.ts";
import { crc32c } from "../../src/storage/crc32c.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { LOG_HEADER_BYTES } from "../../src/storage/recordformat.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { checkCatalog } from "../../src/tasks/catalogcheck.ts";
import { pack } from "../../src/tasks/codec.ts";
import type { Remedy } from "../../src/tasks/repair/remedy.ts";
import { writeVersion } from "../../src/tasks/versionfile.ts";
import { bytesOf, filesOf, makeFolder, type SoundFolder, withFlip, work } from "../crash/bitrot.ts";
import { copyOf } from "../crash/faultrun.ts";
import { closeFixture, openFixture, readAll, register, searchAll } from "../crash/localfixture.ts";
import { contents, remediesFor, remediesKilledBeforeMoving, VERSION } from "./repairing.ts";

const DOCUMENTS = 3002;

interface Outcome {
  remedy: Remedy;
  ids: number[];
  storage: Storage;
}

/** Repairs a copy with a flipped bit, after a dry run that must change nothing. */
async function repaired(sound: SoundFolder, name: string, offset: number): Promise<Outcome> {
  return withFlip(sound.storage, { name, offset }, async () => {
    const storage = copyOf(sound.storage);
    const before = contents(storage);
    const planned = await remediesFor(storage, true);
    assert.deepEqual(contents(storage), before, "a dry run changes nothing");
    const done = await remediesFor(storage, false);
    assert.deepEqual(
      done.map(({ place, kept, lost }) => ({ place, kept, lost })),
      planned.map(({ place, kept, lost }) => ({ place, kept, lost })),
    );
    assert.equal(done.length, 1);
    assert.ok(done[0].action);
    const damaged = bytesOf(sound.storage, name);
    const aside = `damaged-2026-01-02T03-04-05-678Z/${name}`;
    assert.deepEqual(bytesOf(storage, aside), damaged, "the damaged file is kept");
    assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
    assert.deepEqual(await remediesFor(storage, false), []);
    const fixture = await openFixture(storage);
    await fixture.instance.idle();
    const ids = (await readAll(fixture, "alpha")).map(({ id }) => id as number);
    assert.equal(fixture.instance.stats("alpha").description.numberOfDocuments, ids.length);
    assert.equal((await readAll(fixture, "beta")).length, 20);
    await work(fixture, [
      { kind: "add", index: "alpha", method: "replace", documents: [{ id: 7, title: "zebra" }] },
    ]);
    assert.deepEqual(
      (await searchAll(fixture, "alpha", "zebra")).map(({ id }) => id),
      [7],
    );
    await closeFixture(fixture);
    return { remedy: done[0], ids, storage };
  });
}

async function idsIn({ storage }: SoundFolder): Promise<number[]> {
  const fixture = await openFixture(storage);
  const ids = (await readAll(fixture, "alpha")).map(({ id }) => id as number);
  await closeFixture(fixture);
  return ids;
}

const sorted = (ids: number[]) => [...ids].sort((a, b) => a - b);

describe("a repair", () => {
  test("leaves what a newer version wrote as it is, also where VERSION is lost", async () => {
    const sound = await makeFolder(30);
    const [manifest] = filesOf(sound.storage, sound.handles.alpha, /^manifest-/);
    for (const name of [manifest, JOURNAL_NAME]) {
      const storage = copyOf(sound.storage);
      storage.remove("VERSION");
      const header = bytesOf(storage, name).slice(0, LOG_HEADER_BYTES);
      const view = new DataView(header.buffer);
      view.setUint32(8, 2, true);
      view.setUint32(16, crc32c(header, 0, 16), true);
      const bytes = Buffer.concat([header, bytesOf(storage, name).subarray(LOG_HEADER_BYTES)]);
      storage.remove(name);
      const file = storage.create(name);
      file.append(bytes);
      file.close();
      const before = contents(storage);
      const [remedy, ...others] = await remediesFor(storage, false);
      assert.match(remedy.lost, /another version wrote it/);
      assert.equal(remedy.action, null);
      assert.deepEqual(others, []);
      assert.deepEqual(contents(storage), before);
    }
  });

  test("of a sound folder finds nothing to do", async () => {
    const { storage } = await makeFolder(30);
    const before = contents(storage);
    assert.deepEqual(await remediesFor(storage, false), []);
    assert.deepEqual(contents(storage), before);
  });

  test("of a block of documents loses these, names some, and keeps the others and the settings", async () => {
    const sound = await makeFolder(DOCUMENTS);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    const all = await idsIn(sound);
    const { remedy, ids, storage } = await repaired(sound, name, 200);
    const lost = all.length - ids.length;
    assert.ok(lost > 0 && lost < 1000, `${lost} documents are lost`);
    assert.match(remedy.lost, new RegExp(`^${lost} documents that cannot be read \\(among them \`1\``));
    assert.match(remedy.kept, new RegExp(`settings and ${ids.length} documents`));
    assert.ok(remedy.findings.some(({ file, offset }) => file === name && offset === 0));
    const before = await openFixture(sound.storage);
    const settings = await before.engine.settings(before.instance.handle("alpha"));
    await closeFixture(before);
    const fixture = await openFixture(storage);
    assert.deepEqual(await fixture.engine.settings(fixture.instance.handle("alpha")), settings);
    assert.equal(fixture.instance.index("alpha").primaryKey, "id");
    await closeFixture(fixture);
  });

  test("of the words of a segment loses nothing", async () => {
    const sound = await makeFolder(DOCUMENTS);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    const all = await idsIn(sound);
    // Behind the documents: lists of words, tables, columns.
    const size = bytesOf(sound.storage, name).length;
    const { remedy, ids } = await repaired(sound, name, Math.floor(size * 0.6));
    assert.deepEqual(sorted(ids), sorted(all));
    assert.equal(remedy.lost, "nothing.");
  });

  test("of the end of a segment loses the segment", async () => {
    const sound = await makeFolder(200);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    const all = await idsIn(sound);
    const { remedy, ids } = await repaired(sound, name, bytesOf(sound.storage, name).length - 3);
    assert.match(remedy.lost, new RegExp(`^${all.length - ids.length} documents`));
  });

  test("of the last record of a manifest goes back to the state before", async () => {
    const sound = await makeFolder(200);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^manifest/);
    const { remedy, ids } = await repaired(sound, name, bytesOf(sound.storage, name).length - 3);
    assert.match(remedy.lost, /the last \d+ changes/);
    assert.ok(ids.length >= 200);
  });

  test("of tombstones never brings an older version back", async () => {
    const sound = await makeFolder(40_000);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /\.del$/);
    const { remedy, ids } = await repaired(sound, name, 900);
    assert.match(remedy.lost, /deletions of up to \d+ documents/);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("of the journal keeps the indexes, and the payloads of lost tasks", async () => {
    const sound = await makeFolder(200);
    const name = "journal.log";
    const half = bytesOf(sound.storage, name).length >> 1;
    await withFlip(sound.storage, { name, offset: half }, async () => {
      const storage = copyOf(sound.storage);
      const orphan = storage.create("payloads/lost.ndjson");
      orphan.append(Buffer.from('{"id":1}\n'));
      orphan.close();
      await assert.rejects(openFixture(storage), { code: "invalid_store_file" });
      const [remedy] = await remediesFor(storage, false);
      assert.match(remedy.kept, /\d+ records: \d indexes and \d tasks/);
      assert.ok(storage.exists("damaged-2026-01-02T03-04-05-678Z/payloads/lost.ndjson"));
      assert.ok(storage.exists("damaged-2026-01-02T03-04-05-678Z/journal.log"));
      const fixture = await openFixture(storage);
      await fixture.instance.idle();
      assert.equal((await readAll(fixture, "beta")).length, 20);
      await closeFixture(fixture);
      assert.deepEqual([...checkStorage(storage)], []);
    });
  });

  test("of the journal that stops at its last step leaves the old one in place", async () => {
    const sound = await makeFolder(30);
    const offset = bytesOf(sound.storage, "journal.log").length >> 1;
    await withFlip(sound.storage, { name: "journal.log", offset }, async () => {
      const storage = copyOf(sound.storage);
      const rename = storage.rename.bind(storage);
      storage.rename = (from, to) => {
        if (to === "journal.log") throw new Error("killed");
        rename(from, to);
      };
      await assert.rejects(remediesFor(storage, false), /killed/);
      assert.deepEqual(bytesOf(storage, "journal.log"), bytesOf(sound.storage, "journal.log"));
    });
  });

  test("of an index that stops at its last step is finished by the next one", async () => {
    const sound = await makeFolder(200);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    await withFlip(sound.storage, { name, offset: 200 }, async () => {
      const storage = copyOf(sound.storage);
      const { folder } = sound.handles.alpha;
      await assert.rejects(remediesKilledBeforeMoving(storage, "alpha", folder), /killed/);
      const [remedy, ...others] = await remediesFor(storage, false);
      assert.match(remedy.place, /which no index has/);
      assert.equal(remedy.action, "the folder is moved aside.");
      assert.deepEqual(others, []);
      assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
      assert.equal(storage.exists(sound.handles.alpha.folder), false);
      assert.ok(storage.exists(`damaged-2026-01-02T03-04-05-678Z/${name}`));
    });
  });

  test("of an index that stops on the way leaves nothing behind after the next start", async () => {
    const sound = await makeFolder(DOCUMENTS);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    await withFlip(sound.storage, { name, offset: 200 }, async () => {
      const storage = copyOf(sound.storage);
      const before = [storage.list(""), storage.listFolders("indexes")];
      const create = storage.create.bind(storage);
      storage.create = (file) => {
        if (/segment-/.test(file)) throw new TarsierError("io_error", { reason: "no room" });
        return create(file);
      };
      const [remedy] = await remediesFor(storage, false);
      assert.equal(remedy.action, null);
      assert.match(remedy.lost, /cannot be built again: .*no room/);
      assert.deepEqual(storage.list("payloads"), []);
      storage.create = create;
      const fixture = await openFixture(storage);
      await fixture.instance.idle();
      await closeFixture(fixture);
      assert.deepEqual([storage.list(""), storage.listFolders("indexes")], before);
    });
  });

  test("of sound journal records that fit to nothing goes without them", async () => {
    const { storage } = await makeFolder(30);
    const log = RecordLog.open(storage, JOURNAL_NAME, JOURNAL_KIND, () => {});
    log.append(pack(["no record"]));
    log.close();
    const before = bytesOf(storage, JOURNAL_NAME);
    await assert.rejects(openFixture(storage), { code: "invalid_store_file" });
    const [remedy, ...others] = await remediesFor(storage, false);
    assert.match(remedy.lost, /1 records that need them/);
    assert.deepEqual(others, []);
    assert.deepEqual(bytesOf(storage, `damaged-2026-01-02T03-04-05-678Z/${JOURNAL_NAME}`), before);
    const fixture = await openFixture(storage);
    assert.equal((await readAll(fixture, "beta")).length, 20);
    await closeFixture(fixture);
    assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
  });

  test("of a folder of a newer version is refused, and changes nothing", async () => {
    const { storage } = await makeFolder(30);
    writeVersion(storage, "1.3.0");
    const before = contents(storage);
    await assert.rejects(remediesFor(storage, true), /1\.3\.0, which is newer/);
    await assert.rejects(remediesFor(storage, false), { code: "database_refused" });
    assert.deepEqual(contents(storage), before);
  });

  test("of a header goes on with the records behind it", async () => {
    const sound = await makeFolder(200);
    const [manifest] = filesOf(sound.storage, sound.handles.alpha, /^manifest-/);
    const before = sorted(await idsIn(sound));
    const parts = { magic: 2, kind: 5, salt: 13, checksum: 17 };
    for (const name of [manifest, "journal.log"])
      for (const [part, offset] of Object.entries(parts)) {
        const { remedy, ids } = await repaired(sound, name, offset);
        assert.match(remedy.findings[0].expected, part === "magic" ? /^TLOG$/ : /^checksum /);
        assert.deepEqual(sorted(ids), before, `${name}, ${part}`);
      }
  });

  test("of documents that wait and are cut off can do nothing; their task fails, and no other", async () => {
    const storage = new MemoryStorage();
    const queue = await openFixture(storage, { batchTasksMax: 0 });
    const documents = Array.from({ length: 2000 }, (_, id) => ({ id, text: "x".repeat(50) }));
    for (const _ of [0, 1])
      await register(queue, { kind: "add", index: "alpha", method: "replace", documents });
    const name = queue.instance.payloadName(0)!;
    await closeFixture(queue);
    const half = bytesOf(storage, name).lastIndexOf(10, 50_000) + 1;
    const file = storage.openToAppend(name);
    file.truncate(half);
    file.close();
    assert.deepEqual([...checkStorage(storage)], []);
    const [finding] = checkCatalog(storage);
    assert.deepEqual([finding.file, finding.found], [name, `${half} bytes`]);
    const remedies = await remediesFor(storage, false);
    assert.deepEqual(
      remedies.map(({ place, action }) => [place, action]),
      [[name, null]],
    );
    const fixture = await openFixture(storage);
    await fixture.instance.idle();
    const [cut, whole] = [0, 1].map((uid) => fixture.instance.task(uid, null));
    assert.equal(cut.status, "failed");
    assert.match(String(cut.error?.message), new RegExp(`has ${half} bytes, and \\d+ were accepted`));
    assert.equal(whole.status, "succeeded");
    assert.equal(fixture.instance.stats("alpha").damage, null);
    await closeFixture(fixture);
  });

  test("of an index without any state can do nothing, says so, and leaves everything as it is", async () => {
    const { storage, handles } = await makeFolder(30);
    for (const manifest of filesOf(storage, handles.alpha, /^manifest-/)) storage.remove(manifest);
    const before = contents(storage);
    const [remedy, ...others] = await remediesFor(storage, false);
    assert.equal(remedy.action, null);
    assert.deepEqual(others, []);
    assert.deepEqual(contents(storage), before);
  });

  test("of VERSION writes the version of the program", async () => {
    const storage = new MemoryStorage();
    const file = storage.create("VERSION");
    file.append(Buffer.from("1.x"));
    file.close();
    const [remedy] = await remediesFor(storage, false);
    assert.equal(remedy.place, "VERSION");
    assert.equal(Buffer.from(bytesOf(storage, "VERSION")).toString(), VERSION);
  });
});
