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

/** A schedule over indexes that have one merge at each reach; tells the reaches that were asked for. */
function openSchedule(fails = false) {
  const asked: string[] = [];
  const done = new Set<string>();
  const writer = new LocalCaller(() => ({
    beginMerge: ([folder, reach]: [string, MergeReach]) => {
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
  return { asked, done, schedule: new MergeSchedule(writer, merger, listener, REST_AFTER_MS) };
}

test("an index is merged after a batch, and further once it is at rest", async () => {
  const { asked, done, schedule } = openSchedule();
  schedule.request("a");
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
  const { done, schedule } = openSchedule();
  schedule.request("quiet");
  for (let i = 0; i < 20; i++) {
    schedule.request("busy");
    await setTimeout(REST_AFTER_MS / 5);
  }
  equal(done.has("quiet rest"), true);
  equal(done.has("busy rest"), false);
  await setTimeout(LONG_MS);
  equal(done.has("busy rest"), true);
});

test("an index that is cancelled, or whose merge failed, is not merged at rest", async () => {
  const { done, schedule } = openSchedule();
  schedule.request("a");
  await schedule.settled();
  await schedule.cancel("a");
  const failing = openSchedule(true);
  failing.schedule.request("b");
  await setTimeout(LONG_MS);
  deepEqual([...done], ["a usual"]);
  deepEqual(failing.asked, ["b usual"]);
});

test("a schedule that was closed merges nothing any more", async () => {
  const { asked, schedule } = openSchedule();
  schedule.request("a");
  await schedule.settled();
  await schedule.close();
  const { length } = asked;
  await setTimeout(LONG_MS);
  equal(asked.length, length);
});
