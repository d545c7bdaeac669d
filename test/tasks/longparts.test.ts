// What is long in tasks and batches stays in the journal: memory does not hold it, and everything that is
// told of them is as if it did, also while the journal is rewritten and after a start.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JOURNAL_NAME } from "../../src/segment/journalfile.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { packBatchBody } from "../../src/tasks/batchtable.ts";
import { BriefBodies } from "../../src/tasks/briefbodies.ts";
import { pack, unpack } from "../../src/tasks/codec.ts";
import { Journal } from "../../src/tasks/journal.ts";
import type { TaskKind } from "../../src/tasks/kinds.ts";
import type { FinishRecord, JournalRecord } from "../../src/tasks/records.ts";
import { State } from "../../src/tasks/state.ts";
import { packUids } from "../../src/tasks/uidranges.ts";
import { Random } from "../crash/random.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { waitingRecord } from "./waitingrecord.ts";

const LONG = 3000;

const textOf = (length: number, uid: number) => `${uid} `.repeat(length).slice(0, length);

const KINDS: ((uid: number, length: number) => TaskKind)[] = [
  (uid, length) => {
    const synonyms = { word: [textOf(length, uid)] };
    const shown = { synonyms };
    const rights = { isDeletion: false, allowIndexCreation: true };
    return { type: "settingsUpdate", indexUid: `i${uid % 3}`, patch: { synonyms }, shown, ...rights };
  },
  (uid, length) => {
    const ids = [textOf(length, uid)];
    return { type: "documentDeletion", indexUid: `i${uid % 3}`, by: "ids", ids, count: 1 };
  },
  (uid, length) => {
    return { type: "documentDeletion", indexUid: `i${uid % 3}`, by: "filter", filter: textOf(length, uid) };
  },
  (uid, length) => {
    const rest = { filter: null, context: null, function: textOf(length, uid) };
    return { type: "documentEdition", indexUid: `i${uid % 3}`, ...rest };
  },
  (uid, length) => {
    const swaps = [{ indexes: [`i${uid % 3}`, textOf(length, uid)] as [string, string], rename: false }];
    return { type: "indexSwap", swaps };
  },
];

function taskRecord(uid: number, kind: TaskKind, inlineBytes: number): JournalRecord {
  const task = waitingRecord({
    uid,
    kind: kind.type,
    shown: "indexUid" in kind ? kind.indexUid : null,
    touched: kind.type === "indexSwap" ? kind.swaps[0].indexes : null,
    body: pack({ kind }),
    inline: inlineBytes > 0 ? new Uint8Array(inlineBytes).fill(uid) : null,
  });
  return { type: "task", task };
}

function finishRecord(uid: number, tasks: number[], detailBytes: number): FinishRecord {
  const stats = { totalNbTasks: tasks.length, status: {}, types: {}, indexUids: {} };
  const details = { synonyms: textOf(detailBytes, uid) };
  return {
    type: "finish",
    batch: {
      uid,
      startedAt: uid,
      finishedAt: uid + 1,
      oldest: 0,
      newest: 0,
      body: packBatchBody({ details, stats, strategy: "" }),
    },
    ends: tasks.map((task) => [task, task % 2 === 0, pack({ error: null, counters: { of: task } })]),
    canceled: null,
    catalog: [],
    drops: [],
    renames: [],
    renamesBelow: 0,
    deleted: [],
  };
}

/** Everything that is told of tasks and batches. */
function tell({ tasks, batches }: State) {
  const uids = [...tasks.columns.uids.subarray(0, tasks.size)];
  const records = [...tasks.snapshot()].map(({ body, ...rest }) => ({ ...rest, body: unpack(body) }));
  return {
    records,
    whole: uids.map((uid) => tasks.get(uid)),
    brief: uids.map((uid) => tasks.brief(uid)),
    inlines: uids.map((uid) => tasks.inlinePayload(uid)),
    batches: Array.from({ length: batches.size }, (_, row) => batches.body(row)),
    batchRecords: [...batches.snapshot()].map(({ body, ...rest }) => ({ ...rest, body: unpack(body) })),
  };
}

/** A record of a snapshot, with what is packed in it. */
const told = (record: JournalRecord) =>
  record.type === "task"
    ? { ...record.task, body: unpack(record.task.body) }
    : record.type === "batch"
      ? { ...record.batch, body: unpack(record.batch.body) }
      : record;

/** After the journal was rewritten, what it needs is known. */
function assertCounted({ tasks, batches }: State): void {
  const lengthOf = (bytes: Uint8Array | null) => bytes?.length ?? 0;
  let needed = 0;
  for (const { body, outcome, inline } of tasks.snapshot())
    needed += lengthOf(body) + lengthOf(outcome) + lengthOf(inline);
  for (const { body } of batches.snapshot()) needed += body.length;
  const counted = tasks.bytes + batches.bytes;
  // An arena has a length before each part; what other servers told since is not counted.
  const [least, most] = [needed - 50 * tasks.size, needed + 4 * (3 * tasks.size + batches.size)];
  assert.ok(counted >= least && counted <= most, `${counted} bytes counted, ${needed} needed`);
}

test("a state that reads from the journal tells the same as one that keeps all in memory", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = new Random(seed);
    const below = (end: number) => random.between(0, end - 1);
    const storage = new MemoryStorage();
    let journal = Journal.open(storage);
    const twin = new State();
    let rewriting: Promise<void> = Promise.resolve();
    let written: Promise<void>[] = [];
    const write = (record: JournalRecord) => {
      twin.apply(record);
      return journal.write(record);
    };
    for (let step = 0; step < 120; step++) {
      for (let count = below(4); count > 0; count--) {
        const uid = twin.nextTaskUid;
        const kind = KINDS[below(KINDS.length)](uid, below(2) === 0 ? 10 : LONG + below(70_000));
        written.push(write(taskRecord(uid, kind, [0, 100, LONG][below(3)])));
      }
      if (below(6) === 0) rewriting = rewriting.then(() => journal.compactNow());
      const waiting = [...twin.tasks.waiting].filter(() => below(3) === 0);
      if (waiting.length > 0) {
        const finish = finishRecord(twin.nextBatchUid, waiting, below(2) === 0 ? 10 : 9000);
        if (below(5) === 0) Object.assign(finish, { renames: [["i0", "i1"]], renamesBelow: waiting[0] });
        written.push(write(finish));
      }
      const network = { remotes: { there: { task_uid: step } } };
      const taskUid = below(twin.nextTaskUid + 1);
      const delivery = { taskUid, remote: "r", outcome: { error: "no" }, isFinal: false };
      if (below(3) === 0) written.push(write({ type: "network", taskUid, network }));
      if (below(3) === 0) written.push(write({ type: "delivery", ...delivery }));
      if (below(15) === 0) {
        const ended = [...twin.tasks.columns.uids.subarray(0, twin.tasks.size)];
        const deleted = ended.filter((uid) => !twin.tasks.waiting.has(uid) && below(2) === 0);
        written.push(write({ ...finishRecord(twin.nextBatchUid, [], 10), deleted: packUids(deleted) }));
      }
      // Without waiting the writes stand in line while the journal is rewritten.
      if (below(2) === 0) await Promise.all(written);
      if (below(10) !== 0) continue;
      await Promise.all([...written, rewriting]);
      written = [];
      const before = journal.state.snapshot();
      if (below(2) === 0) {
        await journal.compactNow();
        assertCounted(journal.state);
      }
      assert.deepEqual(tell(journal.state), tell(twin), `seed ${seed}, step ${step}`);
      assert.deepEqual([...before].map(told), [...twin.snapshot()].map(told), `seed ${seed}, step ${step}`);
      if (below(3) !== 0) continue;
      await journal.close();
      journal = Journal.open(storage);
      assert.deepEqual(tell(journal.state), tell(twin), `seed ${seed}, step ${step}, after a start`);
    }
    await Promise.all([...written, rewriting]);
    await journal.close();
  }
});

test("settings, filters, functions, payloads and details of any length take no memory", async () => {
  const journal = Journal.open(new MemoryStorage());
  const uids = Array.from({ length: 100 }, (_, uid) => uid);
  for (const uid of uids)
    await journal.write(taskRecord(uid, KINDS[uid % 4](uid, 50_000), uid % 4 === 1 ? 16_000 : 0));
  const { tasks, batches } = journal.state;
  const waiting = tasks.bytes;
  assert.ok(waiting > 100 * 60_000, `${waiting} bytes in the journal`);
  const heldOf = () => Object.values(tasks.arenas).reduce((sum, { length }) => sum + length, 0);
  assert.ok(heldOf() < 100 * 200, `${heldOf()} bytes while they wait`);
  await journal.write(finishRecord(0, uids, 1_000_000));
  assert.ok(heldOf() < 100 * 600, `${heldOf()} bytes when they ended`);
  assert.ok(batches.bytes > 1_000_000);
  assert.ok(batches.isPlaced(0));
  assert.ok(tasks.bytes < waiting * 0.6, `${tasks.bytes} of ${waiting} bytes are left`);
  await journal.close();
});

test("a journal with ids of ended deletions is rewritten, and what is left of it is counted", async () => {
  const storage = new MemoryStorage();
  const journal = Journal.open(storage);
  for (let uid = 0; uid < 20; uid++) {
    await journal.write(taskRecord(uid, KINDS[uid < 10 ? 1 : 0](uid, 1_000_000), 0));
    await journal.write(finishRecord(uid, [uid], 10));
  }
  const before = storage.size(JOURNAL_NAME);
  await journal.compact();
  assert.ok(storage.size(JOURNAL_NAME) < before / 2, `${before} -> ${storage.size(JOURNAL_NAME)} bytes`);
  const after = storage.size(JOURNAL_NAME);
  await journal.compact();
  assert.equal(storage.size(JOURNAL_NAME), after);
  await journal.close();
});

test("what is long is told also after the step failed that gives a rewritten journal its name", async () => {
  for (const step of ["rename", "syncFolder"]) {
    const storage = new FaultyStorage();
    const journal = Journal.open(storage);
    // Not a part of the rewritten journal: everything gets another place.
    for (const value of ["old", "new"]) await journal.write({ type: "put", kind: "keys", key: "a", value });
    await journal.write(taskRecord(0, KINDS[0](0, LONG), 0));
    const before = tell(journal.state);
    storage.rule = (kind) => (kind === step ? { code: "EIO", effect: "none" } : null);
    await assert.rejects(journal.compactNow(), { code: "io_error" });
    assert.deepEqual(tell(journal.state), before, step);
    assert.notEqual(journal.failure, null);
    await journal.close();
  }
});

test("what is long is told also after the file could not be closed from which it is read", async () => {
  const storage = new FaultyStorage();
  const journal = Journal.open(storage);
  await journal.write(taskRecord(0, KINDS[0](0, LONG), 0));
  const before = tell(journal.state);
  let closed = 0;
  // The first one is that of who writes.
  storage.rule = (kind, name) =>
    kind === "close" && name === JOURNAL_NAME && ++closed === 2 ? { code: "EIO", effect: "done" } : null;
  await assert.rejects(journal.compactNow(), { code: "io_error" });
  assert.equal(closed, 2);
  assert.deepEqual(tell(journal.state), before);
  await journal.close();
  assert.equal(storage.openFiles, 0);
});

test("a record that is damaged after the start is told of where it is read", async () => {
  const storage = new MemoryStorage();
  const journal = Journal.open(storage);
  await journal.write(taskRecord(0, KINDS[0](0, LONG), 0));
  await journal.write(taskRecord(1, KINDS[0](1, LONG), 0));
  const file = storage.open(JOURNAL_NAME);
  const bytes = new Uint8Array(file.size);
  file.readInto(bytes, 0);
  const broken = bytes.slice();
  broken[200] ^= 1;
  const damaged = storage.create(JOURNAL_NAME);
  damaged.append(broken);
  assert.throws(() => journal.state.tasks.get(0), { code: "invalid_store_file" });
  assert.equal(journal.state.tasks.get(1)?.uid, 1);
  await journal.close();
});

test("what was told lately is kept within bounds, the last in any case", () => {
  const briefs = new BriefBodies();
  const body = { kind: KINDS[0](1, 10) };
  const MIB = 2 ** 20;
  for (let uid = 0; uid < 10; uid++) briefs.set(uid, body, 2 * MIB);
  const kept = () => Array.from({ length: 12 }, (_, uid) => uid).filter((uid) => briefs.get(uid) !== null);
  assert.deepEqual(kept(), [6, 7, 8, 9]);
  briefs.get(6);
  briefs.set(10, body, 2 * MIB);
  assert.deepEqual(kept(), [6, 8, 9, 10]);
  briefs.delete(8);
  briefs.set(8, body, 2 * MIB);
  assert.deepEqual(kept(), [6, 8, 9, 10]);
  briefs.set(11, body, 100 * MIB);
  assert.deepEqual(kept(), [11]);
});

test("briefs of long bodies are made once, and count what they hold", async () => {
  const storage = new MemoryStorage();
  const journal = Journal.open(storage);
  await journal.write(taskRecord(0, KINDS[2](0, 5_000_000), 0));
  await journal.write(taskRecord(1, KINDS[2](1, 5_000_000), 0));
  const { tasks } = journal.state;
  const kindOf = (uid: number) => tasks.brief(uid)!.kind;
  assert.equal(kindOf(0), kindOf(0));
  const first = kindOf(0);
  kindOf(1);
  assert.notEqual(kindOf(0), first, "both are more than is kept");
  await journal.close();
});
