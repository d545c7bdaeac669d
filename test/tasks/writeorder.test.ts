// The order of writes by itself: whose turn comes when, whatever becomes of the writes before.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { kindOf } from "../../src/tasks/registration.ts";
import { type Place, WriteOrder } from "../../src/tasks/writeorder.ts";
import { FaultyStorage } from "../storage/faulty.ts";
import { openOver, remove } from "./setup.ts";

const SYNCS_MAX = 5;

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

test("of very many writes only some begin, and each that leaves lets the next one begin", async () => {
  const order = new WriteOrder();
  const places: Place[] = [];
  const outcomes = Array.from({ length: 100 }, (_, at) =>
    order.run(async (place) => {
      places.push(place);
      await place.turn;
      return at;
    }),
  );
  const held = order.run(async ({ turn }) => turn);
  const begun = places.length;
  ok(begun > 1 && begun < 50, `${begun}`);
  deepEqual(
    await Promise.all(outcomes),
    Array.from({ length: 100 }, (_, at) => at),
  );
  await held;
  places.length = 0;
  const more = Array.from({ length: begun + 2 }, () =>
    order.run((place) => new Promise<void>(() => places.push(place))),
  );
  equal(places.length, begun);
  places[0].leave();
  await setImmediate();
  equal(places.length, begun + 1);
  equal(more.length, begun + 2);
});

test("a write that calls another as it begins stays before it; one that throws is passed", async () => {
  const order = new WriteOrder();
  const turns: string[] = [];
  const inner: Promise<void>[] = [];
  const outer = order.run(async ({ turn }) => {
    inner.push(
      order.run(async (place) => {
        await place.turn;
        turns.push("inner");
      }),
    );
    await setImmediate();
    await turn;
    turns.push("outer");
  });
  const thrown = order.run(() => {
    throw new Error("no write");
  });
  await rejects(thrown, /no write/);
  await order.settled();
  deepEqual(turns, ["outer", "inner"]);
  await Promise.all([outer, ...inner]);
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

test("writes that follow each other are made durable together", async () => {
  const { storage, instance } = await openOver(new FaultyStorage(), { batchTasksMax: 0 });
  const before = storage.trace.length;
  const writes = Array.from({ length: 50 }, (_, at) =>
    instance.inOrder((place) => instance.register({ ...remove(`ferns-${at}`), place })),
  );
  const tasks = await Promise.all(writes);
  deepEqual(
    tasks.map(({ indexUid }) => indexUid),
    tasks.map(({ taskUid }) => `ferns-${taskUid}`),
  );
  const syncs = storage.trace.slice(before).filter(({ kind }) => kind === "sync").length;
  ok(syncs <= SYNCS_MAX, `${syncs} syncs`);
  await instance.close();
});

test("the place of a write is no part of its task", () => {
  const place: Place = { turn: Promise.resolve(), settled: Promise.resolve(), leave: () => {} };
  deepEqual(kindOf({ ...remove("ferns"), place }), remove("ferns"));
});
