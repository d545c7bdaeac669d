// A disk that is full, or that refuses to make something durable: what fails says so, what was there stays
// readable, and nothing is acknowledged that might not be there after a restart.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { afterCrash } from "../storage/disk.ts";
import { type Fault, FaultyStorage } from "../storage/faulty.ts";
import {
  closeFixture,
  type LocalFixture,
  openFixture,
  readAll,
  register,
  searchAll,
} from "./localfixture.ts";
import type { Write } from "./model.ts";

const FULL: Fault = { code: "ENOSPC", effect: "part" };
const BROKEN: Fault = { code: "EIO", effect: "none" };
const STUCK_MS = 200;

let storage: FaultyStorage;
let fixture: LocalFixture;
let troubles: Error[];

beforeEach(async () => {
  storage = new FaultyStorage();
  await open();
  await register(fixture, addition(1));
  await fixture.instance.idle();
});

async function open(): Promise<void> {
  fixture = await openFixture(storage);
  troubles = [];
  fixture.instance.on("trouble", (error) => troubles.push(error));
}

function addition(...ids: number[]): Write {
  const documents = ids.map((id) => ({ id, title: "almond" }));
  return { kind: "add", index: "alpha", method: "replace", documents };
}

/** Lets operations of a kind fail on files of a name. */
function fail(fault: Fault, kind: string, name: RegExp): void {
  storage.rule = (itsKind, itsName) => (itsKind === kind && name.test(itsName) ? fault : null);
}

async function ids(): Promise<number[]> {
  const read = (await readAll(fixture, "alpha")).map(({ id }) => id);
  const found = (await searchAll(fixture, "alpha", "almond")).map(({ id }) => id);
  assert.deepEqual(found, read, "searches and reads see the same");
  return read;
}

describe("a batch that the disk refuses", () => {
  const refusals: [what: string, fault: Fault, kind: string, name: RegExp, code: string][] = [
    ["a full disk while a segment is written", FULL, "write", /segment-/, "no_space_left_on_device"],
    ["a full disk while a segment is begun", FULL, "create", /segment-/, "no_space_left_on_device"],
    ["a full disk while the manifest is written", FULL, "write", /manifest-/, "no_space_left_on_device"],
    ["a segment that does not become durable", BROKEN, "sync", /segment-/, "io_error"],
    ["too many open files", { code: "EMFILE", effect: "none" }, "create", /segment-/, "too_many_open_files"],
  ];
  for (const [what, fault, kind, name, code] of refusals) {
    test(`${what}: it fails and says so, reads go on, and so does the next batch`, async () => {
      fail(fault, kind, name);
      const uid = await register(fixture, addition(2, 3));
      await fixture.instance.idle();
      const { status, error } = fixture.instance.task(uid, null);
      assert.deepEqual([status, error?.type, error?.code], ["failed", "system", code]);
      assert.deepEqual(await ids(), [1]);
      storage.rule = null;
      const next = await register(fixture, addition(4));
      await fixture.instance.idle();
      assert.equal(fixture.instance.task(next, null).status, "succeeded");
      assert.deepEqual(await ids(), [1, 4]);
      await closeFixture(fixture);
      assert.deepEqual(troubles, []);
    });
  }
});

test("a batch is not called failed for what fails after its commit", async () => {
  storage.rule = (kind, name) => {
    const isCommitted =
      storage.trace.at(-1)?.kind === "sync" && storage.trace.at(-1)?.name.includes("manifest-");
    return isCommitted && kind === "list" && name.startsWith("indexes")
      ? { code: "EMFILE", effect: "none" }
      : null;
  };
  const uid = await register(fixture, addition(2));
  await fixture.instance.idle();
  storage.rule = null;
  assert.equal(fixture.instance.task(uid, null).status, "succeeded");
  assert.deepEqual(await ids(), [1, 2]);
  await closeFixture(fixture);
});

describe("a commit of a batch that does not become durable", () => {
  for (const [what, kind, name] of [
    ["the manifest", "sync", /manifest-/],
    ["the names of segments", "syncFolder", /^indexes/],
  ] as const) {
    test(`${what}: the task waits for the next start, nothing else runs, reads go on`, async () => {
      fail(BROKEN, kind, name);
      const uid = await register(fixture, addition(2));
      const stopped = await stops();
      assert.ok(stopped);
      storage.rule = null;
      const other = { ...addition(3), index: "beta" };
      const next = await register(fixture, other);
      assert.ok(await stops());
      assert.equal(fixture.instance.task(uid, null).status, "enqueued");
      assert.equal(fixture.instance.task(next, null).status, "enqueued");
      assert.equal((troubles[0] as TarsierError).code, "commit_in_doubt");
      assert.ok((await ids()).includes(1));
      await closeFixture(fixture);
      for (const fate of [{ kind: "kept" }, { kind: "lost" }] as const) {
        const left = await openFixture(afterCrash(storage.trace, fate));
        await left.instance.idle();
        assert.equal(left.instance.task(uid, null).status, "succeeded");
        assert.equal(left.instance.task(next, null).status, "succeeded");
        const found = (await readAll(left, "alpha")).map(({ id }) => id);
        assert.deepEqual(found, [1, 2]);
        await closeFixture(left);
      }
    });
  }
});

/** True when the scheduler has given up for now. */
async function stops(): Promise<boolean> {
  const before = troubles.length;
  for (
    const end = Date.now() + STUCK_MS;
    Date.now() < end;
    await new Promise((resolve) => setTimeout(resolve, 2))
  ) {
    if (troubles.length > before) return true;
  }
  return false;
}

describe("a journal", () => {
  test("that does not become durable acknowledges nothing any more; reads go on", async () => {
    fail(BROKEN, "sync", /journal/);
    await assert.rejects(register(fixture, addition(2)), { code: "io_error" });
    storage.rule = null;
    for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(register(fixture, addition(3)));
    assert.deepEqual(await ids(), [1]);
    const { results } = fixture.instance.tasks({}, { limit: 10, from: null, reverse: true }, null);
    assert.equal(results.length, 1);
    await closeFixture(fixture);
    for (const [kind, expected] of [
      ["kept", [1, 2]],
      ["lost", [1]],
    ] as const) {
      const left = await openFixture(afterCrash(storage.trace, { kind }));
      await left.instance.idle();
      const found = (await readAll(left, "alpha")).map(({ id }) => id);
      assert.deepEqual(found, expected);
      await closeFixture(left);
    }
  });

  test("for which there is no room refuses, and takes writes again once there is", async () => {
    fail(FULL, "write", /journal/);
    const refused = await register(fixture, addition(2)).catch((error: Error) => error);
    assert.ok(refused instanceof TarsierError);
    assert.deepEqual([refused.code, refused.type], ["no_space_left_on_device", "system"]);
    assert.deepEqual(await ids(), [1]);
    storage.rule = null;
    await register(fixture, addition(3));
    await fixture.instance.idle();
    assert.deepEqual(await ids(), [1, 3]);
    await closeFixture(fixture);
  });

  test("whose end of a batch cannot be written keeps the task waiting; it is not done twice", async () => {
    let writes = 0;
    // The second one after the registration: the end of the batch.
    storage.rule = (kind, name) =>
      kind === "sync" && /journal/.test(name) && ++writes === 2 ? BROKEN : null;
    const uid = await register(fixture, { kind: "delete", index: "alpha", ids: [1] });
    assert.ok(await stops());
    assert.notEqual(fixture.instance.task(uid, null).status, "succeeded");
    await closeFixture(fixture);
    for (const kind of ["kept", "lost"] as const) {
      const left = await openFixture(afterCrash(storage.trace, { kind }));
      await left.instance.idle();
      const task = left.instance.task(uid, null);
      // Done again it would find nothing to delete.
      assert.deepEqual([task.status, task.details?.deletedDocuments], ["succeeded", 1]);
      assert.deepEqual(await readAll(left, "alpha"), []);
      await closeFixture(left);
    }
  });
});

test("a payload for which there is no room is refused, and leaves nothing behind", async () => {
  fail(FULL, "write", /payloads/);
  // Large enough for a file of its own.
  const large = addition(...Array.from({ length: 1000 }, (_, i) => i + 10));
  await assert.rejects(register(fixture, large), { code: "no_space_left_on_device" });
  storage.rule = null;
  await register(fixture, addition(3));
  await fixture.instance.idle();
  assert.deepEqual(await ids(), [1, 3]);
  await closeFixture(fixture);
  await open();
  assert.deepEqual(storage.list("payloads"), []);
  await closeFixture(fixture);
});

test("a payload that does not become durable ends all acknowledgements until a restart", async () => {
  fail(BROKEN, "sync", /payloads/);
  const large = addition(...Array.from({ length: 1000 }, (_, i) => i + 10));
  await assert.rejects(register(fixture, large), { code: "io_error" });
  storage.rule = null;
  await assert.rejects(register(fixture, large), { code: "io_error" });
  await assert.rejects(register(fixture, addition(3)), { code: "io_error" });
  await assert.rejects(register(fixture, { kind: "delete", index: "alpha", ids: [1] }), { code: "io_error" });
  await fixture.instance.idle();
  assert.deepEqual(await ids(), [1]);
  assert.deepEqual(storage.list("payloads"), []);
  await closeFixture(fixture);
  await open();
  await register(fixture, addition(3));
  await fixture.instance.idle();
  assert.deepEqual(await ids(), [1, 3]);
  await closeFixture(fixture);
});

test("a payload for which a sync finds no room is refused alone", async () => {
  fail(FULL, "sync", /payloads/);
  const large = addition(...Array.from({ length: 1000 }, (_, i) => i + 10));
  await assert.rejects(register(fixture, large), { code: "no_space_left_on_device" });
  storage.rule = null;
  await register(fixture, addition(3));
  await fixture.instance.idle();
  assert.deepEqual(await ids(), [1, 3]);
  await closeFixture(fixture);
});
