// Which tasks join which batch: every cell of the table, keys, creation rights, limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { autobatch, type BatchLimits, type IndexBefore } from "../../src/tasks/autobatch.ts";
import type { TaskKind } from "../../src/tasks/kinds.ts";
import type { Task } from "../../src/tasks/task.ts";

const EXISTING: IndexBefore = { uid: "ferns", exists: true, primaryKey: null };
const KEYED: IndexBefore = { uid: "ferns", exists: true, primaryKey: "id" };
const MISSING: IndexBefore = { uid: "ferns", exists: false, primaryKey: null };
const UNLIMITED: BatchLimits = { tasksMax: 1000, payloadBytesMax: 1e9, memoryBytesMax: 1e9 };
const indexUid = "ferns";

function addition(changes: object = {}): TaskKind {
  return {
    type: "documentAdditionOrUpdate",
    indexUid,
    method: "replace",
    primaryKey: null,
    documentsCount: 1,
    payload: null,
    payloadBytes: 10,
    allowIndexCreation: true,
    skipCreation: false,
    ...changes,
  };
}

const weak = addition({ allowIndexCreation: false });
const ids: TaskKind = { type: "documentDeletion", indexUid, by: "ids", ids: ["1"], count: 1 };
const filter: TaskKind = { type: "documentDeletion", indexUid, by: "filter", filter: "a = 1" };
const clear: TaskKind = { type: "documentDeletion", indexUid, by: "all" };
const deletion: TaskKind = { type: "indexDeletion", indexUid };
const creation: TaskKind = { type: "indexCreation", indexUid, primaryKey: null };
const update: TaskKind = { type: "indexUpdate", indexUid, primaryKey: null, newIndexUid: null };
const swap: TaskKind = { type: "indexSwap", swaps: [{ indexes: [indexUid, "b"], rename: false }] };
const edition: TaskKind = { type: "documentEdition", indexUid, filter: null, context: null, function: "" };
const settings: TaskKind = {
  type: "settingsUpdate",
  indexUid,
  patch: {},
  shown: {},
  isDeletion: false,
  allowIndexCreation: true,
};

function run(kinds: TaskKind[], index: IndexBefore = EXISTING, limits: BatchLimits = UNLIMITED) {
  const candidates = kinds.map((kind, uid) => ({ task: { uid, kind } as Task, memoryBytes: 10 * uid }));
  const batch = autobatch(candidates, index, limits);
  return { work: batch.work, length: batch.tasks.length, stop: batch.stop };
}

/** [batch so far, incoming] -> what the batch becomes, or the reason why the incoming task stays out. */
const TABLE: [TaskKind[], TaskKind, string | RegExp][] = [
  [[addition()], addition(), "documents"],
  [[addition()], ids, "documents"],
  [[addition()], filter, /deletion by filter/],
  [[addition()], clear, "clear"],
  [[addition()], settings, /operations on documents are not mixed with changes of settings/],
  [[addition()], deletion, "indexDeletion"],
  [[ids], addition(), "documents"],
  [[ids], ids, "deletion"],
  [[ids], filter, "deletionByFilter"],
  [[ids], clear, "clear"],
  [[ids], settings, /operations on documents are not mixed with changes of settings/],
  [[ids], deletion, "indexDeletion"],
  [[filter], addition(), "documents"],
  [[filter], ids, "deletionByFilter"],
  [[filter], filter, "deletionByFilter"],
  [[filter], clear, "clear"],
  [[filter], settings, /operations on documents are not mixed with changes of settings/],
  [[filter], deletion, "indexDeletion"],
  [[clear], addition(), /changes of settings and operations on documents/],
  [[clear], ids, "clear"],
  [[clear], filter, "clear"],
  [[clear], clear, "clear"],
  [[clear], settings, /changes of settings and operations on documents/],
  [[clear], deletion, "indexDeletion"],
  [[settings], addition(), /changes of settings and operations on documents/],
  [[settings], ids, /changes of settings and operations on documents/],
  [[settings], filter, /changes of settings and operations on documents/],
  [[settings], clear, "clearAndSettings"],
  [[settings], settings, "settings"],
  [[settings], deletion, "indexDeletion"],
  [[settings, clear], addition(), /changes of settings and operations on documents/],
  [[settings, clear], ids, "clearAndSettings"],
  [[settings, clear], filter, "clearAndSettings"],
  [[settings, clear], clear, "clearAndSettings"],
  [[settings, clear], settings, "clearAndSettings"],
  [[settings, clear], deletion, "indexDeletion"],
];

for (const [before, incoming, expected] of TABLE) {
  const name = (kind: TaskKind) => (kind.type === "documentDeletion" ? `deletion by ${kind.by}` : kind.type);
  test(`${before.map(name).join(" + ")}, then ${name(incoming)}`, () => {
    const { work, length, stop } = run([...before, incoming]);
    if (typeof expected === "string") {
      assert.equal(work, expected);
      assert.equal(length, before.length + 1);
    } else {
      assert.equal(length, before.length);
      assert.match(stop!, expected);
      assert.match(stop!, new RegExp(`before task ${before.length}`));
    }
  });
}

test("tasks that stand alone neither start nor join a batch", () => {
  for (const alone of [creation, update, swap, edition]) {
    assert.deepEqual({ ...run([alone, addition()]), stop: "" }, { work: "single", length: 1, stop: "" });
    for (const before of [addition(), ids, filter, clear, settings]) {
      const { length, stop } = run([before, alone]);
      assert.equal(length, 1);
      assert.match(stop!, new RegExp(`before task 1.*\`${alone.type}\``));
    }
  }
});

test("nothing joins after the deletion of the index", () => {
  const { work, length, stop } = run([addition(), deletion, addition()]);
  assert.deepEqual([work, length], ["indexDeletion", 2]);
  assert.match(stop!, /after task 1: it deletes the index/);
});

test("a deletion by filter that additions joined is followed by no other one", () => {
  assert.deepEqual(run([filter, addition(), ids, filter]).length, 3);
});

test("an addition that may create the missing index does not join tasks that may not", () => {
  assert.match(run([weak, addition()], MISSING).stop!, /before task 1: it may create the index/);
  assert.match(run([ids, addition()], MISSING).stop!, /before task 1: it may create the index/);
  assert.match(run([ids, settings], MISSING).stop!, /before task 1: it may create the index/);
  assert.equal(run([ids, weak], MISSING).length, 2);
  assert.equal(run([addition(), weak], MISSING).length, 2);
  assert.equal(run([weak, addition()], EXISTING).length, 2);
});

test("an update with another key than that of the index stands alone", () => {
  const other = addition({ method: "update", primaryKey: "sku" });
  assert.match(run([other, addition()], KEYED).stop!, /only task 0: its primary key `sku` differs from `id`/);
  assert.match(
    run([addition(), other], KEYED).stop!,
    /before task 1: its primary key `sku` differs from `id`/,
  );
  assert.equal(run([addition(), addition({ method: "update", primaryKey: "id" })], KEYED).length, 2);
});

test("a replacing addition with another key than that of the index joins: its key is ignored", () => {
  const other = addition({ primaryKey: "sku" });
  assert.equal(run([other, addition(), other], KEYED).length, 3);
});

test("an update with another key than that of the batch stays out, a replacing addition joins", () => {
  const first = addition({ primaryKey: "id" });
  const { length, stop } = run([first, addition({ method: "update", primaryKey: "sku" })]);
  assert.equal(length, 1);
  assert.match(stop!, /before task 1: its primary key `sku` differs from `id` of the batch/);
  assert.equal(run([first, addition({ primaryKey: "sku" }), addition()]).length, 3);
});

test("a key stays out of a batch that is still guessing its own", () => {
  const { length, stop } = run([addition(), addition({ primaryKey: "sku" })]);
  assert.equal(length, 1);
  assert.match(stop!, /before task 1: its primary key `sku` would interfere/);
  assert.equal(run([ids, addition({ primaryKey: "sku" })]).length, 2);
});

test("limits cut the batch, its own reasons come first", () => {
  const five = Array.from({ length: 5 }, () => addition());
  assert.match(run(five, EXISTING, { ...UNLIMITED, tasksMax: 3 }).stop!, /limit of 3 tasks/);
  const bySize = run(five, EXISTING, { ...UNLIMITED, payloadBytesMax: 25 });
  assert.deepEqual(bySize.length, 2);
  assert.match(bySize.stop!, /limit of 25 bytes .* with 20 bytes/);
  assert.equal(run(five, EXISTING, { ...UNLIMITED, payloadBytesMax: 20 }).length, 2);
  for (const payloadBytesMax of [0, 1])
    assert.equal(run(five, EXISTING, { ...UNLIMITED, payloadBytesMax }).length, 1);
  assert.equal(run([ids, ids, ids], EXISTING, { ...UNLIMITED, payloadBytesMax: 70 }).length, 2);
  assert.equal(run(five, EXISTING, { ...UNLIMITED, memoryBytesMax: 60 }).length, 4);
  const byMemory = run(five, EXISTING, { ...UNLIMITED, memoryBytesMax: 59 });
  assert.equal(byMemory.length, 3);
  assert.match(byMemory.stop!, /limit of 59 bytes of memory .* with 30 bytes/);
  assert.match(run([...five, settings], EXISTING, { ...UNLIMITED, tasksMax: 6 }).stop!, /before task 5/);
  assert.match(
    run([addition(), deletion, addition()], EXISTING, { ...UNLIMITED, tasksMax: 2 }).stop!,
    /deletes the/,
  );
});
