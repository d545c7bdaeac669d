// The order of writes by itself: whose turn comes when, whatever becomes of the writes before.
import { deepEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type Place, WriteOrder } from "../../src/tasks/writeorder.ts";

/** Three writes that note their turns, and how each is let go. */
function threeWrites(order: WriteOrder) {
  const turns: number[] = [];
  const places: Place[] = [];
  const ends = [0, 1, 2].map(() => {
    let end: (outcome: Promise<void>) => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    return { end, ended };
  });
  const outcomes = ends.map(({ ended }, at) =>
    order.run(async (place) => {
      places.push(place);
      void place.turn.then(() => turns.push(at));
      await ended;
      return at;
    }),
  );
  return { turns, places, ends, outcomes };
}

test("all writes are called at once, and each gets its turn when those before have left", async () => {
  const { turns, places } = threeWrites(new WriteOrder());
  await setImmediate();
  deepEqual([places.length, turns], [3, [0]]);
  places[1].leave();
  await setImmediate();
  deepEqual(turns, [0]);
  places[0].leave();
  await setImmediate();
  deepEqual(turns, [0, 1, 2]);
});

test("a write leaves its place at its end, also by failing", async () => {
  const order = new WriteOrder();
  const { turns, ends, outcomes } = threeWrites(order);
  const refused = rejects(outcomes[0], /refused/);
  ends[0].end(Promise.reject(new Error("refused")));
  await refused;
  ends[1].end(Promise.resolve());
  deepEqual(await outcomes[1], 1);
  await setImmediate();
  deepEqual(turns, [0, 1, 2]);
});

test("the order is settled when the writes have ended, not when they have left", async () => {
  const order = new WriteOrder();
  await order.settled();
  const { places, ends, outcomes } = threeWrites(order);
  let isSettled = false;
  const settled = order.settled().then(() => {
    isSettled = true;
  });
  for (const place of places) place.leave();
  ends[2].end(Promise.resolve());
  ends[1].end(Promise.reject(new Error("refused")));
  await rejects(outcomes[1], /refused/);
  await setImmediate();
  deepEqual(isSettled, false);
  ends[0].end(Promise.resolve());
  await settled;
});
