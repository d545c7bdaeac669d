// How many calls a provider gets at once.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Lane, WIDTH_MAX } from "../../src/embedders/lane.ts";

/** As many calls as the lane lets in are begun, and ended again: their number. One more gives up its wait. */
async function roomOf(lane: Lane): Promise<number> {
  const leaves: (() => void)[] = [];
  for (;;) {
    const before = leaves.length;
    const stop = new AbortController();
    const entered = lane.enter(false, stop.signal).then((leave) => leaves.push(leave));
    await turn();
    if (leaves.length > before) continue;
    stop.abort(new Error("no longer"));
    await rejects(entered, /no longer/);
    for (const leave of leaves) leave();
    return before;
  }
}

test("one that has too many gets half as many, then slowly more again", async () => {
  const lane = new Lane();
  const rooms = [await roomOf(lane), await roomOf(lane)];
  lane.narrow(0);
  rooms.push(await roomOf(lane));
  for (let answers = 0; answers <= WIDTH_MAX / 2; answers++) lane.widen();
  rooms.push(await roomOf(lane));
  deepEqual(rooms, [40, 40, 20, 21]);
  for (let refusals = 0; refusals < 9; refusals++) lane.narrow(0);
  equal(await roomOf(lane), 1);
});

test("a search does not wait, and whoever waits is let in when it ends", async () => {
  const lane = new Lane();
  for (let refusals = 0; refusals < 9; refusals++) lane.narrow(0);
  const leave = await lane.enter(false);
  const leaveSearch = await lane.enter(true);
  let isIn = false;
  const waiting = lane.enter(false).then(() => (isIn = true));
  leave();
  await turn();
  equal(isIn, false);
  leaveSearch();
  await waiting;
});

test("whoever gives up its wait takes no place, and its signal keeps nothing", async () => {
  const lane = new Lane();
  for (let refusals = 0; refusals < 9; refusals++) lane.narrow(0);
  const leave = await lane.enter(false);
  const [stop, lasting] = [new AbortController(), new AbortController()];
  const given = rejects(lane.enter(false, stop.signal), /no longer/);
  const next = lane.enter(false, lasting.signal);
  stop.abort(new Error("no longer"));
  await given;
  leave();
  (await next)();
  deepEqual(getEventListeners(lasting.signal, "abort"), []);
  (await lane.enter(false))();
});
