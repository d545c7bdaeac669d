// Snapshots: the data folder in one file, as of one moment, whatever goes on meanwhile.
import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { openServer } from "../../src/node.ts";
import { defaultOptions } from "../../src/options.ts";
import { checkStorage } from "../../src/segment/check.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { checkCatalog } from "../../src/tasks/catalogcheck.ts";
import type { OutgoingDraft } from "../../src/tasks/outgoing.ts";
import { removeUnfinished } from "../../src/tasks/unfinished.ts";
import { type CopyFixture, fill, openCopyFixture, Place, VERSION } from "./copyfixture.ts";
import { writeArchive } from "./oldlines.ts";
import { ALL, add, create, deleteIds, settings } from "./setup.ts";

const place = new Place();
after(() => place.remove());

/** Of the bits that are flipped. */
const FLIPS_APART = 37;

const snapshotPath = (name: string) => join(place.folder("snapshots"), `${name}.snapshot`);

async function snapshot({ instance }: CopyFixture): Promise<number> {
  const { taskUid } = await instance.register({ type: "snapshotCreation" });
  return taskUid;
}

function complaints(name: string): string[] {
  const storage = new FileStorage(place.folder(name));
  return [...checkStorage(storage), ...checkCatalog(storage)].map(
    ({ file, section }) => `${file} ${section}`,
  );
}

test("a snapshot holds what was there when it was made, and nothing of itself", async () => {
  const fixture = await openCopyFixture(place, "first");
  await fixture.instance.register(create("empty"));
  await add(fixture.instance, "teas", [{ id: 1 }, { id: 2 }]);
  await fixture.instance.register(settings("teas"));
  await fixture.instance.register(deleteIds("teas", "1"));
  await fixture.instance.idle();
  const taskUid = await snapshot(fixture);
  await fixture.instance.idle();
  const { status, details } = fixture.instance.task(taskUid, null);
  assert.deepEqual([status, details], ["succeeded", null]);
  await add(fixture.instance, "teas", [{ id: 3 }]);
  await fixture.instance.idle();
  assert.deepEqual(place.files("snapshots"), ["first.snapshot"]);
  assert.equal(await fill(place, "second", { importSnapshot: snapshotPath("first") }), "snapshot");
  assert.deepEqual(complaints("second"), []);
  const second = await openCopyFixture(place, "second");
  assert.deepEqual(await second.documents("teas"), [{ id: 2 }]);
  assert.deepEqual(await second.documents("empty"), []);
  const tasks = fixture.instance.tasks({}, ALL, null).results.filter(({ uid }) => uid < taskUid);
  assert.deepEqual(second.instance.tasks({}, ALL, null).results, tasks);
  assert.equal((await second.instance.register(create("new"))).taskUid, taskUid + 1);
  await second.close();
  await fixture.close();
});

test("additions that wait are in it, with small and with large payloads; later ones are not", async () => {
  const queue = await openCopyFixture(place, "queue", { batchTasksMax: 0 });
  await add(
    queue.instance,
    "teas",
    Array.from({ length: 4000 }, (_, id) => ({ id, text: `document ${id}` })),
  );
  await add(queue.instance, "teas", [{ id: 4000 }]);
  const first = await snapshot(queue);
  const second = await snapshot(queue);
  await queue.close();
  const running = await openCopyFixture(place, "queue");
  const late = add(running.instance, "late", [{ id: 1 }]);
  await running.instance.idle();
  await late;
  for (const uid of [first, second]) assert.equal(running.instance.task(uid, null).status, "succeeded");
  assert.equal(running.instance.task(first, null).batchUid, running.instance.task(second, null).batchUid);
  await running.close();
  await fill(place, "waiting", { importSnapshot: snapshotPath("queue") });
  const waiting = await openCopyFixture(place, "waiting", { batchTasksMax: 0 });
  const statuses = waiting.instance.tasks({}, ALL, null).results.map(({ status }) => status);
  assert.deepEqual(statuses, ["enqueued", "enqueued"]);
  await waiting.close();
  const resumed = await openCopyFixture(place, "waiting");
  await resumed.instance.idle();
  assert.equal((await resumed.documents("teas")).length, 4001);
  await resumed.close();
});

test("a write that waits for other servers is not in it: a copy would send it once more", async () => {
  const fixture = await openCopyFixture(place, "sending");
  const outgoing: OutgoingDraft = {
    method: "POST",
    path: "/indexes",
    json: '{"uid":"teas"}',
    hasBody: true,
    self: "a",
    members: ["a", "b", "c"],
    waiting: ["b", "c"],
  };
  const { taskUid } = await fixture.instance.register({ ...create("teas"), outgoing });
  await fixture.instance.idle();
  await snapshot(fixture);
  await fixture.instance.idle();
  await fill(place, "sent", { importSnapshot: snapshotPath("sending") });
  const copy = await openCopyFixture(place, "sent");
  const { status, network } = copy.instance.task(taskUid, null);
  assert.equal(status, "succeeded");
  const unsent = { error: "not sent when the snapshot was taken from which this server was restored" };
  assert.deepEqual(network, { remotes: { b: unsent, c: unsent } });
  assert.deepEqual([...copy.instance.outgoing()], []);
  assert.deepEqual(
    Array.from(fixture.instance.outgoing(), (write) => write.taskUid),
    [taskUid],
  );
  await copy.close();
  await fixture.close();
});

test("merges that go on meanwhile do not tear it", async () => {
  const fixture = await openCopyFixture(place, "merging");
  for (let round = 0; round < 12; round++) {
    const documents = Array.from({ length: 50 }, (_, i) => ({ id: (round * 30 + i) % 200, round }));
    await add(fixture.instance, "teas", documents);
    await fixture.instance.idle();
  }
  // Merges of the last batches may run now, beside the snapshot.
  await snapshot(fixture);
  await fixture.instance.idle();
  await fill(place, "merged", { importSnapshot: snapshotPath("merging") });
  assert.deepEqual(complaints("merged"), []);
  const merged = await openCopyFixture(place, "merged");
  assert.deepEqual(await merged.documents("teas"), await fixture.documents("teas"));
  await merged.close();
  await fixture.close();
});

test("a snapshot of another version, or a damaged one, is refused, and the folder stays", async () => {
  const fixture = await openCopyFixture(place, "sound");
  await add(fixture.instance, "teas", [{ id: 1 }]);
  await fixture.instance.idle();
  await snapshot(fixture);
  await fixture.instance.idle();
  await fixture.close();
  const path = snapshotPath("sound");
  await assert.rejects(fill(place, "none", { importSnapshot: path }, "1.2.2"), /1\.2\.3.*newer/);
  await assert.rejects(fill(place, "none", { importSnapshot: path }, "1.3.0"), /--upgrade-db/);
  const broken = join(place.path, "broken.snapshot");
  writeFileSync(broken, readFileSync(path));
  truncateSync(broken, 500);
  await assert.rejects(fill(place, "none", { importSnapshot: broken }), { code: "invalid_archive" });
  assert.deepEqual(place.files("none"), []);
  assert.equal(await fill(place, "none", { importSnapshot: path }, VERSION), "snapshot");
  assert.equal(await fill(place, "upgraded", { importSnapshot: path, upgradeDb: true }, "1.3.0"), "snapshot");
});

test("a schedule makes snapshots by itself", async () => {
  const paths = { dbPath: place.folder("timed"), snapshotDir: place.folder("timed-snapshots") };
  const server = await openServer({
    ...defaultOptions(),
    ...paths,
    dumpDir: place.folder("timed-dumps"),
    httpAddr: "127.0.0.1:0",
    threads: 0,
    logLevel: "off" as const,
    durability: "os" as const,
    scheduleSnapshot: 1,
  });
  while (!place.files("timed-snapshots").includes("timed.snapshot"))
    await new Promise((resolve) => setTimeout(resolve, 20));
  await server.close();
  const importSnapshot = join(paths.snapshotDir, "timed.snapshot");
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.equal(await fill(place, "timed-copy", { importSnapshot }, version), "snapshot");
});

test("a flipped bit anywhere in a snapshot is found, or changes nothing", async () => {
  const fixture = await openCopyFixture(place, "flips");
  await add(fixture.instance, "teas", [{ id: 1, title: "almond" }]);
  await fixture.instance.idle();
  await snapshot(fixture);
  await fixture.instance.idle();
  const expected = await fixture.documents("teas");
  await fixture.close();
  const sound = readFileSync(snapshotPath("flips"));
  const path = join(place.path, "flipped.snapshot");
  let refused = 0;
  let flips = 0;
  for (let at = 0; at < sound.length; at += FLIPS_APART) {
    flips++;
    const flipped = Buffer.from(sound);
    flipped[at] ^= 1 << (at & 7);
    writeFileSync(path, flipped);
    const target = `flip-${at}`;
    const problem = await fill(place, target, { importSnapshot: path }).catch((error: Error) => error);
    if (problem instanceof Error) {
      refused++;
      assert.ok(problem instanceof TarsierError, `byte ${at}: ${problem}`);
      assert.deepEqual(place.files(target), [], `byte ${at}`);
      continue;
    }
    const copy = await openCopyFixture(place, target);
    assert.deepEqual(await copy.documents("teas"), expected, `byte ${at}`);
    await copy.close();
  }
  assert.ok(refused > flips * 0.9, `${refused} of ${flips} were refused`);
});

test("a snapshot of a file that was damaged before is refused with its place", async () => {
  const fixture = await openCopyFixture(place, "rotten");
  await add(fixture.instance, "teas", [{ id: 1, title: "almond" }]);
  await fixture.instance.idle();
  const { folder } = fixture.instance.handle("teas");
  const file = join(place.folder("rotten"), folder, "segment-00000001");
  const bytes = readFileSync(file);
  bytes[60] ^= 4;
  writeFileSync(file, bytes);
  await snapshot(fixture);
  await fixture.instance.idle();
  await fixture.close();
  const importing = fill(place, "fresh", { importSnapshot: snapshotPath("rotten") });
  await assert.rejects(importing, /segment-00000001.* at offset 0 .*expected checksum/);
  assert.deepEqual(place.files("fresh"), []);
});

test("a snapshot with what an import leaves behind is none", async () => {
  const files = { "journal.log": "", "import.tmp/VERSION": VERSION };
  await writeArchive(place.path, "nested.snapshot", files);
  const importing = fill(place, "nested", { importSnapshot: join(place.path, "nested.snapshot") });
  await assert.rejects(importing, /is no snapshot of a database/);
  assert.deepEqual(place.files("nested"), []);
});

test("an index that is known to be damaged ends a snapshot, and the one before stays", async () => {
  const fixture = await openCopyFixture(place, "known");
  await add(fixture.instance, "teas", [{ id: 1, title: "almond" }]);
  await snapshot(fixture);
  await fixture.instance.idle();
  const before = readFileSync(snapshotPath("known"));
  fixture.engine.damage.noteAll(fixture.instance.handle("teas").folder, [
    { error: new TarsierError("invalid_store_file", { reason: "`x` at offset 7" }).toObject() },
  ]);
  const taskUid = await snapshot(fixture);
  await fixture.instance.idle();
  const { error } = fixture.instance.task(taskUid, null);
  assert.equal(error?.code, "invalid_store_file");
  assert.match(error.message, /offset 7/);
  assert.deepEqual(readFileSync(snapshotPath("known")), before);
  assert.deepEqual(
    place.files("snapshots").filter((name) => name.endsWith(".tmp")),
    [],
  );
  await fixture.close();
});

test("what an interrupted import leaves is removed, and a finished one is kept", async () => {
  const storage = new MemoryStorage();
  const write = (name: string) => storage.create(name).append(Buffer.from(name));
  for (const folder of ["import.tmp/indexes/a", "indexes/b", "photos"]) storage.makeFolder(folder);
  for (const name of ["VERSION", "import.tmp/journal.log", "indexes/b/segment-1", "notes.txt"]) write(name);
  removeUnfinished(storage);
  assert.deepEqual([storage.list(""), storage.listFolders("")], [["notes.txt"], ["photos"]]);
  for (const folder of ["import.tmp/unpacked", "indexes/b"]) storage.makeFolder(folder);
  for (const name of ["VERSION", "journal.log", "indexes/b/segment-1"]) write(name);
  removeUnfinished(storage);
  removeUnfinished(storage);
  assert.deepEqual(storage.list("").sort(), ["VERSION", "journal.log", "notes.txt"]);
  assert.deepEqual(storage.listFolders("").sort(), ["indexes", "photos"]);
});
