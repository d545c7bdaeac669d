// The version of a data folder: which program may open it, and what becomes of one that an older program
// wrote.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { upgradeTask, watchUpgrades } from "../../src/tasks/upgrades.ts";
import { checkVersion, writeVersion } from "../../src/tasks/versionfile.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { openCopyFixture, Place } from "./copyfixture.ts";
import { add } from "./setup.ts";

function versionOf(storage: MemoryStorage): string {
  const file = storage.open("VERSION");
  const bytes = new Uint8Array(file.size);
  file.readInto(bytes, 0);
  return Buffer.from(bytes).toString();
}

test("a new folder gets the version of the program, and is opened by it", () => {
  const storage = new MemoryStorage();
  assert.equal(checkVersion(storage, "1.2.3", false), null);
  assert.equal(versionOf(storage), "1.2.3");
  assert.equal(checkVersion(storage, "1.2.3", false), null);
});

test("another version is refused, a newer one for good, an older one unless it is to be upgraded", () => {
  const storage = new MemoryStorage();
  writeVersion(storage, "1.10.0");
  for (const version of ["1.9.9", "0.11.0", "1.2.30"]) {
    assert.throws(() => checkVersion(storage, version, true), /1\.10\.0.*newer/);
  }
  assert.throws(() => checkVersion(storage, "1.10.1", false), /1\.10\.0.*1\.10\.1.*--upgrade-db/);
  assert.deepEqual(checkVersion(storage, "1.10.1", true), { from: "1.10.0", to: "1.10.1" });
  assert.equal(versionOf(storage), "1.10.0");
  writeVersion(storage, "not a version");
  assert.throws(() => checkVersion(storage, "1.10.1", true), /damaged/);
});

test("an upgrade runs before what waited when it came; canceled, it gives the folder back", async () => {
  const place = new Place();
  try {
    const storage = new MemoryStorage();
    const queue = await openCopyFixture(place, "queue", { batchTasksMax: 0 });
    await add(queue.instance, "teas", [{ id: 1 }]);
    await queue.close();
    const first = upgradeTask({ from: "1.0.0", to: "1.1.0" });
    const running = await openCopyFixture(place, "queue", { first });
    await running.instance.idle();
    const { status, details, batchUid } = running.instance.task(1, null);
    assert.deepEqual(
      [status, details, batchUid],
      ["succeeded", { upgradeFrom: "v1.0.0", upgradeTo: "v1.1.0" }, 0],
    );
    await running.close();
    const second = upgradeTask({ from: "1.1.0", to: "1.2.0" });
    const again = await openCopyFixture(place, "queue", { batchTasksMax: 0, first: second });
    writeVersion(storage, "1.2.0");
    await again.instance.cancelTasks({ uids: [2] }, null, "?uids=2");
    await again.close();
    const canceled = await openCopyFixture(place, "queue");
    watchUpgrades(canceled.instance, storage);
    await canceled.instance.idle();
    assert.equal(canceled.instance.task(2, null).status, "canceled");
    assert.equal(versionOf(storage), "1.1.0");
    await canceled.close();
  } finally {
    place.remove();
  }
});

test("a version that finds no space leaves an empty folder, which an import takes", () => {
  const storage = new FaultyStorage();
  storage.rule = (kind) => (kind === "write" ? { code: "ENOSPC", effect: "none" } : null);
  assert.throws(() => checkVersion(storage, "1.2.3", false), { code: "no_space_left_on_device" });
  assert.deepEqual(storage.list(""), []);
});
