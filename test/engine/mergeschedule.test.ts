// When merges run: after a batch as far as needed, further once an index is at rest, and never after a close.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { MergeReach } from "../../src/engine/ingest/mergepolicy.ts";
import { MergeSchedule } from "../../src/engine/mergeschedule.ts";
import { LocalCaller } from "../../src/engine/remote.ts";

const REST_AFTER_MS = 100;
/** Longer than the rest, on a machine that has other things to do. */
const LONG_MS = 5 * REST_AFTER_MS;
const CALL_MS = 10;

/** A schedule over indexes that have one merge at each reach; tells the reaches that were asked for. */
function openSchedule(fails = false) {
  const asked: string[] = [];
  const done = new Set<string>();
  const writer = new LocalCaller(() => ({
    beginMerge: async ([folder, reach]: [string, MergeReach]) => {
      await setTimeout(CALL_MS);
      const name = `${folder} ${reach}`;
      asked.push(name);
      return done.has(name) ? null : { folder, name, entries: [] };
    },
    commitMerge: ([{ name }]: [{ name: string }]) => done.add(name).size,
    endMerge: () => {},
    tidy: () => {},
  }));
  const merger = new LocalCaller(() => ({
    merge: () => {
      if (fails) throw new Error("the disk is full");
      return null;
    },
  }));
  const listener = { merged: () => {}, failed: () => {} };
  const schedule = new MergeSchedule(writer, merger, listener, REST_AFTER_MS);
  const write = (folder: string, changed = true) => {
    schedule.begin(folder);
    schedule.end(folder, changed);
  };
  return { asked, done, schedule, write };
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
  const failing = openSchedule(true);
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
