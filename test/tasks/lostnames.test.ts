// What a repair makes of indexes whose names the journal has lost, and of a journal that is lost itself.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkStorage } from "../../src/segment/check.ts";
import { JOURNAL_NAME } from "../../src/segment/journalfile.ts";
import { LOG_HEADER_BYTES } from "../../src/storage/recordformat.ts";
import { join, type Storage } from "../../src/storage/storage.ts";
import { checkCatalog } from "../../src/tasks/catalogcheck.ts";
import { Journal } from "../../src/tasks/journal.ts";
import { Aside } from "../../src/tasks/repair/aside.ts";
import { bytesOf, filesOf, makeFolder, withFlip } from "../crash/bitrot.ts";
import { copyOf } from "../crash/faultrun.ts";
import { closeFixture, openFixture, readAll } from "../crash/localfixture.ts";
import { contents, remediesFor, remediesKilledBeforeMoving } from "./repairing.ts";

const DOCUMENTS = 3002;

/** The journal loses all its records, as if they had never been written. */
function cutJournal(storage: Storage): void {
  const file = storage.openToAppend(JOURNAL_NAME);
  file.truncate(LOG_HEADER_BYTES);
  file.close();
}

function copyInto(storage: Storage, from: string, to: string): void {
  const file = storage.create(to);
  file.append(bytesOf(storage, from));
  file.close();
}

/** What an index is called whose name is lost. */
const recoveredName = (folder: string) => `recovered-${folder.split("/")[1]}`;

describe("a repair", () => {
  test("of indexes without a journal gives them names, and nothing starts before that", async () => {
    const { storage, handles } = await makeFolder(30);
    storage.remove("journal.log");
    const before = contents(storage);
    const [finding] = checkStorage(storage);
    assert.deepEqual([finding.file, finding.found], ["journal.log", "no file"]);
    await assert.rejects(openFixture(storage), { code: "invalid_store_file" });
    const planned = await remediesFor(storage, true);
    assert.deepEqual(contents(storage), before, "a dry run changes nothing");
    const remedies = await remediesFor(storage, false);
    assert.match(remedies[0].lost, /names of the indexes, all keys, webhooks and tasks/);
    assert.equal(remedies.length, 1 + Object.keys(handles).length);
    assert.deepEqual(remedies, planned);
    assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
    const fixture = await openFixture(storage);
    assert.equal((await readAll(fixture, recoveredName(handles.beta.folder))).length, 20);
    await closeFixture(fixture);
  });

  test("of a damaged folder that was to be removed moves it aside", async () => {
    const { storage, handles } = await makeFolder(200);
    const journal = Journal.open(storage);
    await journal.write({ type: "catalog", changes: [{ uid: "alpha", entry: null }] });
    await journal.write({ type: "drop", folder: handles.alpha.folder });
    await journal.close();
    const [name] = filesOf(storage, handles.alpha, /^segment-\d+$/);
    await withFlip(storage, { name, offset: 200 }, async () => {
      const damaged = copyOf(storage);
      const [remedy, ...others] = await remediesFor(damaged, false);
      assert.match(remedy.place, /which no index has/);
      assert.deepEqual(others, []);
      assert.ok(damaged.exists(`damaged-2026-01-02T03-04-05-678Z/${name}`));
    });
  });

  test("of what an interrupted import left does nothing: the next start removes it", async () => {
    const { storage } = await makeFolder(30);
    storage.remove("journal.log");
    storage.makeFolder("import.tmp");
    const before = contents(storage);
    const remedies = await remediesFor(storage, false);
    assert.deepEqual(
      remedies.map(({ place, action }) => [place, action]),
      [["journal.log", null]],
    );
    assert.deepEqual(contents(storage), before);
  });

  test("of an index that is damaged and has no name builds it again, under another name", async () => {
    const sound = await makeFolder(DOCUMENTS);
    cutJournal(sound.storage);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    await withFlip(sound.storage, { name, offset: 200 }, async () => {
      const storage = copyOf(sound.storage);
      const planned = await remediesFor(storage, true);
      assert.deepEqual(await remediesFor(storage, false), planned);
      const rebuilt = planned.find(({ findings }) => findings.length > 1)!;
      assert.match(rebuilt.place, /an index whose name is lost/);
      assert.match(rebuilt.lost, /its name.*documents that cannot be read/);
      assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
      assert.deepEqual(await remediesFor(storage, false), []);
      assert.ok(storage.exists(`damaged-2026-01-02T03-04-05-678Z/${name}`));
      const fixture = await openFixture(storage);
      const kept = (await readAll(fixture, recoveredName(sound.handles.alpha.folder))).length;
      assert.ok(kept > 0 && kept < DOCUMENTS, `${kept} documents`);
      await closeFixture(fixture);
    });
  });

  test("of an index without a name that stops at its last step is finished by the next one", async () => {
    const sound = await makeFolder(200);
    cutJournal(sound.storage);
    const [name] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    await withFlip(sound.storage, { name, offset: 200 }, async () => {
      const storage = copyOf(sound.storage);
      const { folder } = sound.handles.alpha;
      await assert.rejects(remediesKilledBeforeMoving(storage, recoveredName(folder), folder), /killed/);
      const remedies = await remediesFor(storage, false);
      assert.match(remedies.find(({ findings }) => findings.length > 1)!.place, /which no index has/);
      assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
      assert.ok(storage.exists(`damaged-2026-01-02T03-04-05-678Z/${name}`));
    });
  });

  test("that is killed while it moves a folder is finished by the next one", async () => {
    const sound = await makeFolder(200);
    const [name, other] = filesOf(sound.storage, sound.handles.alpha, /^segment-\d+$/);
    await withFlip(sound.storage, { name, offset: 200 }, async () => {
      const storage = copyOf(sound.storage);
      const { folder } = sound.handles.alpha;
      const rename = storage.rename.bind(storage);
      storage.rename = (from, to) => {
        if (from === other) throw new Error("killed");
        rename(from, to);
      };
      await assert.rejects(remediesFor(storage, false), /killed/);
      storage.rename = rename;
      assert.ok(storage.exists(other), "it was moved in part");
      await remediesFor(storage, false);
      assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
      assert.equal(storage.exists(folder), false);
      const fixture = await openFixture(storage);
      assert.deepEqual(
        fixture.instance.indexes(0, 10, null).results.map(({ uid }) => uid),
        ["alpha", "beta"],
      );
      await closeFixture(fixture);
    });
  });

  test("knows a folder whose successor was replaced, too, and minds no note that is a folder", async () => {
    const { storage, handles } = await makeFolder(30);
    const { folder } = handles.alpha;
    const between = "indexes/between";
    storage.makeFolder(between);
    for (const name of storage.list(folder)) copyInto(storage, join(folder, name), join(between, name));
    cutJournal(storage);
    const first = new Aside(storage, new Date(0));
    first.begin(folder, between);
    first.begin(between, handles.beta.folder);
    storage.makeFolder(`damaged-x/${folder}/replaced-by`);
    const journal = Journal.open(storage);
    const description = { documents: 0 } as never;
    const entry = { folder: handles.beta.folder, createdAt: 0, updatedAt: 0, description };
    await journal.write({ type: "catalog", changes: [{ uid: "beta", entry }] });
    await journal.close();
    const places = (await remediesFor(storage, true)).map(({ place }) => place);
    for (const each of [folder, between])
      assert.ok(places.includes(`${each}, which no index has`), `${each} in ${places}`);
  });

  test("of an index that was repaired takes a copy that is put back, and no name of another", async () => {
    const sound = await makeFolder(30);
    cutJournal(sound.storage);
    const { folder } = sound.handles.alpha;
    const [manifest] = filesOf(sound.storage, sound.handles.alpha, /^manifest-/);
    const bytes = bytesOf(sound.storage, manifest);
    const { storage } = sound;
    const file = storage.openToAppend(manifest);
    file.truncate(LOG_HEADER_BYTES);
    file.close();
    await remediesFor(storage, false);
    assert.equal(storage.exists(folder), false);
    const aside = `damaged-2026-01-02T03-04-05-678Z/${folder}`;
    storage.makeFolder(folder);
    for (const name of storage.list(aside)) storage.rename(`${aside}/${name}`, `${folder}/${name}`);
    storage.remove(manifest);
    const restored = storage.create(manifest);
    restored.append(bytes);
    restored.close();
    const journal = Journal.open(storage);
    const [{ entry }] = journal.state.catalog.changes();
    await journal.write({ type: "catalog", changes: [{ uid: recoveredName(folder), entry }] });
    await journal.close();
    const [remedy, ...others] = await remediesFor(storage, false);
    assert.match(remedy.action!, /^the index is called `recovered-/);
    assert.doesNotMatch(remedy.action!, new RegExp(recoveredName(folder)));
    assert.deepEqual(others, []);
    assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
  });

  test("of an index of which neither a name nor a state is left moves it aside", async () => {
    const { storage, handles } = await makeFolder(30);
    cutJournal(storage);
    const [manifest] = filesOf(storage, handles.beta, /^manifest-/);
    const file = storage.openToAppend(manifest);
    file.truncate(LOG_HEADER_BYTES);
    file.close();
    const remedies = await remediesFor(storage, false);
    const remedy = remedies.find(({ place }) => place.includes(handles.beta.folder))!;
    assert.equal(remedy.action, "the folder is moved aside.");
    assert.ok(storage.exists(`damaged-2026-01-02T03-04-05-678Z/${manifest}`));
    assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
  });

  test("of a journal that lost its last records gives indexes without a name another one", async () => {
    const { storage, handles } = await makeFolder(200);
    cutJournal(storage);
    const orphan = storage.create("payloads/lost.ndjson");
    orphan.append(Buffer.from('{"id":1}\n'));
    orphan.close();
    assert.deepEqual([...checkStorage(storage)], []);
    const lost = [...checkCatalog(storage)];
    assert.deepEqual(
      lost.map(({ file, expected }) => [file, expected]),
      Object.values(handles)
        .map(({ folder }) => ["journal.log", `a record that names the folder \`${folder}\``])
        .sort(),
    );
    const before = contents(storage);
    await assert.rejects(openFixture(storage), { code: "invalid_store_file" });
    assert.deepEqual(contents(storage), before);
    const planned = await remediesFor(storage, true);
    assert.deepEqual(contents(storage), before);
    assert.deepEqual(await remediesFor(storage, false), planned);
    assert.deepEqual([...checkStorage(storage), ...checkCatalog(storage)], []);
    assert.ok(storage.exists("damaged-2026-01-02T03-04-05-678Z/payloads/lost.ndjson"));
    const fixture = await openFixture(storage);
    const { beta } = handles;
    assert.equal((await readAll(fixture, recoveredName(beta.folder))).length, 20);
    await closeFixture(fixture);
  });

  test("is proposed at the start when the journal has lost some of the names", async () => {
    const { storage, handles } = await makeFolder(30);
    const journal = Journal.open(storage);
    await journal.write({ type: "catalog", changes: [{ uid: "beta", entry: null }] });
    await journal.close();
    const orphan = storage.create("payloads/lost.ndjson");
    orphan.append(Buffer.from('{"id":1}\n'));
    orphan.close();
    const fixture = await openFixture(storage);
    assert.ok(storage.exists("payloads/lost.ndjson"), "its task may be lost with the name");
    const trouble = new Promise<Error>((resolve) => fixture.instance.on("trouble", resolve));
    assert.match((await trouble).message, new RegExp(`${handles.beta.folder}.*tarsier repair --dry-run`));
    assert.ok((await readAll(fixture, "alpha")).length > 0);
    await closeFixture(fixture);
  });

  test("of a journal that is replaced gives a name to what it was about to remove", async () => {
    const { storage, handles } = await makeFolder(30);
    const journal = Journal.open(storage);
    const entry = journal.state.catalog.get("beta")!;
    await journal.write({ type: "catalog", changes: [{ uid: "beta", entry: null }] });
    await journal.write({ type: "drop", folder: entry.folder });
    await journal.close();
    await withFlip(storage, { name: "journal.log", offset: 2 }, async () => {
      const damaged = copyOf(storage);
      assert.equal((await remediesFor(damaged, false)).length, 2);
      assert.deepEqual([...checkStorage(damaged), ...checkCatalog(damaged)], []);
      const fixture = await openFixture(damaged);
      assert.equal((await readAll(fixture, recoveredName(handles.beta.folder))).length, 20);
      await closeFixture(fixture);
    });
  });
});
