// When merges run: after a batch as far as needed, further once an index is at rest; a close does small
// ones that are due, and after it there are none.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { MergeReach } from "../../src/engine/ingest/mergepolicy.ts";
import { MergeSchedule } from "../../src/engine/mergeschedule.ts";
import { LocalCaller } from "../../src/engine/remote.ts";
import { newStop } from "../../src/engine/stop.ts";
import { TarsierError } from "../../src/errors.ts";

const REST_AFTER_MS = 100;
/** Longer than the rest, on a machine that has other things to do. */
const LONG_MS = 5 * REST_AFTER_MS;
const CALL_MS = 10;

interface Merges {
  fail?: boolean;
  /** Until they are stopped. */
  last?: boolean;
  /** Of the segments of each. */
  bytes?: number;
}

/** A schedule over indexes that have one merge at each reach; tells the reaches that were asked for. */
function openSchedule({ fail = false, last = false, bytes = 0 }: Merges = {}) {
  const asked: string[] = [];
  const done = new Set<string>();
  const writer = new LocalCaller(() => ({
    beginMerge: async ([folder, reach]: [string, MergeReach]) => {
      await setTimeout(CALL_MS);
      const name = `${folder} ${reach}`;
      asked.push(name);
      return done.has(name) ? null : { folder, name, entries: [{ bytes }] };
    },
    commitMerge: ([{ name }]: [{ name: string }]) => done.add(name).size,
    endMerge: () => {},
    tidy: () => {},
  }));
  const merger = new LocalCaller(() => ({
    merge: async ([, stop]: [unknown, Int32Array]) => {
      if (fail) throw new Error("the disk is full");
      while (last && Atomics.load(stop, 0) === 0) await setTimeout(CALL_MS);
      if (Atomics.load(stop, 0) !== 0) throw new TarsierError("aborted");
      return null;
    },
  }));
  const failures: string[] = [];
  const failed = (folder: string, error: Error) => failures.push(`${folder}: ${error.message}`);
  const listener = { merged: () => {}, failed };
  const schedule = new MergeSchedule(writer, merger, listener, REST_AFTER_MS);
  const write = (folder: string, changed = true) => {
    schedule.begin(folder);
    schedule.end(folder, changed);
  };
  return { asked, done, failures, schedule, write };
}

test("an index is merged after a batch, and further once it is at rest", async () => {
  const { asked, done, schedule, write } = openSchedule();
  write("a");
  await schedule.settled();
  deepEqual(asked, ["a usual", "a usual"]);
  await setTimeout(LONG_MS);
  await schedule.settled();
  deepEqual([...done], ["a usual", "a rest"]);
  const { length } = asked;
  await setTimeout(LONG_MS);
  equal(asked.length, length, "rest comes once");
});

test("batches keep an index awake, and no other one", async () => {
  const { done, write } = openSchedule();
  write("quiet");
  for (let i = 0; i < 20; i++) {
    write("busy", i % 2 === 0);
    await setTimeout(REST_AFTER_MS / 5);
  }
  equal(done.has("quiet rest"), true);
  equal(done.has("busy rest"), false);
  await setTimeout(LONG_MS);
  equal(done.has("busy rest"), true);
});

test("an index that is cancelled, or whose merge failed, is not merged at rest", async () => {
  const { done, schedule, write } = openSchedule();
  write("a");
  await schedule.settled();
  await schedule.cancel("a");
  const failing = openSchedule({ fail: true });
  failing.write("b");
  await setTimeout(LONG_MS);
  deepEqual([...done], ["a usual"]);
  deepEqual(failing.asked, ["b usual"]);
});

test("a schedule that was closed merges nothing any more", async () => {
  const { asked, schedule, write } = openSchedule();
  write("a");
  await schedule.settled();
  await schedule.close();
  const { length } = asked;
  await setTimeout(LONG_MS);
  equal(asked.length, length);
});

test("a close does the merges that are due, and those alone", async () => {
  const { done, schedule, write } = openSchedule();
  write("a");
  write("b");
  await schedule.close();
  deepEqual([...done], ["a usual", "b usual"]);
  write("c");
  await setTimeout(LONG_MS);
  deepEqual([...done], ["a usual", "b usual"]);
});

test("a close waits for no large merge, whether it runs or is due", async () => {
  for (const runs of [true, false]) {
    const { asked, done, schedule, write } = openSchedule({ last: true, bytes: 2 ** 30 });
    write("a");
    if (runs) await setTimeout(LONG_MS);
    const began = performance.now();
    await schedule.close();
    equal(performance.now() - began < 2 * LONG_MS, true);
    deepEqual([asked, [...done]], [["a usual"], []]);
  }
});

test("a close waits for no merge that lasts, nor for one at rest", async () => {
  const lasting = openSchedule({ last: true });
  lasting.write("a");
  lasting.write("b");
  const began = performance.now();
  await lasting.schedule.close();
  deepEqual([lasting.asked, [...lasting.done]], [["a usual"], []]);
  const takenMs = performance.now() - began;
  equal(takenMs > LONG_MS && takenMs < 20 * LONG_MS, true, `${takenMs} ms`);
  const resting = openSchedule({ last: true });
  resting.done.add("a usual");
  resting.write("a");
  await setTimeout(LONG_MS);
  const restBegan = performance.now();
  await resting.schedule.close();
  equal(performance.now() - restBegan < 2 * LONG_MS, true);
  deepEqual(resting.asked, ["a usual", "a rest"]);
});

test("an index that is cancelled while a merge is looked for is not looked at again", async () => {
  const { asked, done, schedule, write } = openSchedule();
  done.add("a usual");
  write("a");
  await setTimeout(0);
  await schedule.cancel("a");
  deepEqual(asked, ["a usual"]);
  await setTimeout(LONG_MS);
  deepEqual(asked, ["a usual"]);
});

test("an index is not at rest while a batch runs, and is after one that changed nothing", async () => {
  const { done, schedule, write } = openSchedule();
  write("a");
  await schedule.settled();
  schedule.begin("a");
  await setTimeout(LONG_MS);
  deepEqual([...done], ["a usual"]);
  schedule.end("a", false);
  await setTimeout(LONG_MS);
  await schedule.settled();
  deepEqual([...done], ["a usual", "a rest"]);
});

test("a merge at rest that waits for others gives way to a batch", async () => {
  const { done, schedule, write } = openSchedule();
  write("a");
  await schedule.settled();
  for (let i = 0; i < 2 * REST_AFTER_MS; i += CALL_MS) {
    write(`other ${i}`);
    await setTimeout(CALL_MS / 2);
  }
  schedule.begin("a");
  await schedule.settled();
  equal(done.has("a rest"), false);
  schedule.end("a", false);
  await setTimeout(LONG_MS);
  await schedule.settled();
  equal(done.has("a rest"), true);
});

test("merges that came during a compaction run after it", async () => {
  const { asked, done, schedule, write } = openSchedule();
  const compaction = schedule.compact("a", newStop());
  await setTimeout(0);
  write("b");
  write("c");
  await compaction;
  await schedule.settled();
  deepEqual([...done], ["a whole", "b usual", "c usual"]);
  equal(asked.indexOf("b usual") > asked.lastIndexOf("a whole"), true);
});

test("a close breaks off merges before they begin large jobs, and a compaction is told so", async () => {
  const large = 2 ** 40;
  const compacting = openSchedule({ bytes: large });
  const compaction = rejects(compacting.schedule.compact("a", newStop()), { code: "aborted" });
  await setTimeout(0);
  await Promise.all([compacting.schedule.close(), compaction]);
  deepEqual([...compacting.done], []);
  const usual = openSchedule({ bytes: large });
  usual.write("a");
  await setTimeout(0);
  await usual.schedule.close();
  deepEqual([[...usual.done], usual.failures, usual.schedule.figures.failed], [[], [], 0]);
});

test("a merge that was stopped has not failed, one that met an error has", async () => {
  const stopped = openSchedule({ last: true });
  stopped.write("a");
  while (stopped.schedule.figures.running === 0) await setTimeout(CALL_MS);
  await stopped.schedule.cancel("a");
  deepEqual([stopped.schedule.figures.failed, stopped.failures], [0, []]);
  const failing = openSchedule({ fail: true });
  failing.write("b");
  await failing.schedule.settled();
  deepEqual([failing.schedule.figures.failed, failing.failures], [1, ["b: the disk is full"]]);
});
