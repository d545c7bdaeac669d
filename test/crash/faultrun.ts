// Plays the script over a storage that writes down what happens and fails on demand, and looks at what is
// left after a crash: what was acknowledged is there, everything else is as if it had never been or had been
// done. Called by faults.test.ts.
import assert from "node:assert/strict";
import { checkStorage } from "../../src/segment/check.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { checkCatalog } from "../../src/tasks/catalogcheck.ts";
import type { TaskView } from "../../src/tasks/views.ts";
import type { FaultyStorage } from "../storage/faulty.ts";
import {
  closeFixture,
  type LocalFixture,
  openFixture,
  readAll,
  register,
  searchAll,
} from "./localfixture.ts";
import { idsWith, Model, type Write } from "./model.ts";
import { SCRIPT } from "./script.ts";

/** What a run has promised, and when: lengths of the trace. */
export interface FaultRun {
  storage: FaultyStorage;
  /** Writes that were asked for, in order of their uids. */
  asked: { write: Write; at: number }[];
  /** Tasks that were acknowledged. */
  accepted: { uid: number; at: number }[];
  /** Tasks whose end was shown. */
  ended: { uid: number; status: string; at: number }[];
  troubles: Error[];
}

const ALL = { limit: 1000, from: null, reverse: true };
/** A run that is stopped by a fault does not get further than this. */
const STUCK_MS = 30;
const IDLE_MS_MAX = 20_000;

/** Plays the script until its end, or until a fault stops the instance. */
export async function play(storage: FaultyStorage): Promise<FaultRun> {
  const run: FaultRun = { storage, asked: [], accepted: [], ended: [], troubles: [] };
  const fixture = await openFixture(storage).catch((error: Error) => {
    run.troubles.push(error);
    return null;
  });
  if (!fixture) return run;
  fixture.instance.on("trouble", (error) => run.troubles.push(error));
  fixture.instance.on("finished", (tasks) => {
    for (const { uid, status } of tasks) run.ended.push({ uid, status, at: storage.trace.length });
  });
  for (const writes of SCRIPT) {
    for (const write of writes) {
      const at = storage.trace.length;
      try {
        const uid = await register(fixture, write);
        run.asked[uid] = { write, at };
        run.accepted.push({ uid, at: storage.trace.length });
      } catch (error) {
        // It may be on the disk all the same, under the next uid.
        run.asked[run.accepted.length] ??= { write, at };
        run.troubles.push(error as Error);
      }
    }
    if (!(await isIdle(fixture, run))) break;
    await fixture.engine.settled();
  }
  await readThrough(fixture, run);
  await closeFixture(fixture);
  return run;
}

async function isIdle({ instance }: LocalFixture, run: FaultRun): Promise<boolean> {
  const limit = run.troubles.length > 0 ? STUCK_MS : IDLE_MS_MAX;
  return within(limit, instance.idle(), () => run.troubles.length > 0);
}

/** True when the promise was fulfilled in time; gives up earlier when `isHopeless`. */
async function within(
  milliseconds: number,
  done: Promise<void>,
  isHopeless: () => boolean,
): Promise<boolean> {
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  let end = Date.now() + milliseconds;
  while (!isDone && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (isHopeless()) end = Math.min(end, Date.now() + STUCK_MS);
  }
  return isDone;
}

/** Reads go on, whatever failed. */
async function readThrough(fixture: LocalFixture, run: FaultRun): Promise<void> {
  const { results } = fixture.instance.indexes(0, 100, null);
  for (const { uid } of results) {
    const documents = await readAll(fixture, uid);
    assert.ok(Array.isArray(documents), `${uid} is readable after ${run.storage.failed}`);
  }
}

/** What must hold for a storage that a crash left when the trace had `steps` steps. */
export async function verifyCrashed(left: Storage, run: FaultRun, steps: number): Promise<void> {
  const accepted = run.accepted.filter(({ at }) => at <= steps).length;
  const begun = run.asked.filter(({ at }) => at <= steps).length;
  const ended = new Map(run.ended.filter(({ at }) => at <= steps).map(({ uid, status }) => [uid, status]));
  const resting = await openFixture(left, { batchTasksMax: 0 });
  const found = tasksOf(resting);
  await readThrough(resting, run);
  await closeFixture(resting);
  assert.ok(found.length >= accepted, `${accepted} tasks were acknowledged, ${found.length} are there`);
  assert.ok(found.length <= begun, `${begun} tasks were asked for, ${found.length} are there`);
  for (const [uid, status] of ended) assert.equal(found[uid].status, status, `task ${uid} had ended`);
  const fixture = await openFixture(left);
  const troubles: Error[] = [];
  fixture.instance.on("trouble", (error) => troubles.push(error));
  const isDone = await within(IDLE_MS_MAX, fixture.instance.idle(), () => troubles.length > 0);
  assert.deepEqual(troubles, []);
  assert.ok(isDone, "what waited is worked off");
  await fixture.engine.settled();
  await compare(fixture, run);
  await closeFixture(fixture);
  assert.deepEqual([...checkStorage(left), ...checkCatalog(left)], []);
}

/** Tasks and documents are as the model has them, but for tasks that a fault of the disk made fail. */
async function compare(fixture: LocalFixture, run: FaultRun): Promise<void> {
  const model = new Model();
  /** Indexes that tasks made before they failed. */
  const empty = new Set<string>();
  for (const { uid, status, error } of tasksOf(fixture)) {
    const { write } = run.asked[uid];
    if (error?.type === "system") {
      assert.equal(status, "failed");
      if ("index" in write) empty.add(write.index);
      continue;
    }
    const ends: string[] = model.apply(write);
    assert.ok(ends.includes(status), `task ${uid}, ${write.kind}, is ${status}: ${error?.message}`);
  }
  const { results } = fixture.instance.indexes(0, 100, null);
  for (const { uid } of results) {
    const documents = await readAll(fixture, uid);
    const index = model.indexes.get(uid);
    if (!index && empty.has(uid)) assert.deepEqual(documents, []);
    else {
      assert.ok(index, `${uid} is an index of the model`);
      const byId = new Map(documents.map((document) => [document.id, document]));
      assert.deepEqual(
        byId,
        new Map([...index.documents].sort(([a], [b]) => place(byId, a) - place(byId, b))),
        uid,
      );
      assert.equal(fixture.instance.stats(uid).description.numberOfDocuments, documents.length);
      const hits = (await searchAll(fixture, uid, "almond")).map(({ id }) => id).sort((a, b) => a - b);
      assert.deepEqual(hits, idsWith(index, "almond"), `almond in ${uid}`);
    }
  }
  for (const uid of model.indexes.keys())
    assert.ok(
      results.some((index) => index.uid === uid),
      `${uid} is there`,
    );
}

function place(order: ReadonlyMap<number, unknown>, id: number): number {
  return [...order.keys()].indexOf(id);
}

function tasksOf({ instance }: LocalFixture): TaskView[] {
  return instance.tasks({}, ALL, null).results;
}

/** A copy, so that one storage can be reopened in several ways. */
export function copyOf(storage: Storage): MemoryStorage {
  const copy = new MemoryStorage();
  const visit = (folder: string) => {
    for (const name of storage.listFolders(folder)) {
      const inside = folder === "" ? name : `${folder}/${name}`;
      copy.makeFolder(inside);
      visit(inside);
    }
    for (const name of storage.list(folder)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const source = storage.open(path);
      const bytes = new Uint8Array(source.size);
      source.readInto(bytes, 0);
      source.close();
      const target = copy.create(path);
      target.append(bytes);
      target.close();
    }
  };
  visit("");
  return copy;
}
