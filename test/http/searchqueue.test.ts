// The queue before the searches: how many run, how many wait, who is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { SearchQueue } from "../../src/http/searchqueue.ts";
import { INDEX, startFixture } from "./harness.ts";

const refused = { code: "too_many_search_requests", status: 503 };
const stays = () => false;
const settled = () => new Promise((resolve) => setTimeout(resolve, 1));

/** A search that ends when it is told to. */
function heldSearch(started: string[], name: string) {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const search = () => {
    started.push(name);
    return held;
  };
  return { search, end };
}

test("no more searches run than allowed, and those that wait start in their order", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax: 1000 });
  const started: string[] = [];
  const [first, second, third] = ["first", "second", "third"].map((name) => heldSearch(started, name));
  const runs = [first, second, third].map(({ search }) => queue.run(search, stays));
  await settled();
  assert.deepEqual(started, ["first"]);
  first.end();
  await settled();
  assert.deepEqual(started, ["first", "second"]);
  second.end();
  third.end();
  await Promise.all(runs);
  assert.deepEqual(started, ["first", "second", "third"]);
});

test("a search that fails gives its place to the next one", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax: 1000 });
  const failing = queue.run(() => Promise.reject(new Error("broken")), stays);
  const next = queue.run(async () => "answer", stays);
  await assert.rejects(failing, /broken/);
  assert.equal(await next, "answer");
});

test("a search that is away lets others run, and goes on before those that wait", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax: 1000 });
  const started: string[] = [];
  const provider = heldSearch(started, "provider");
  const away = queue.run(async (turn) => {
    await turn.away(provider.search);
    started.push("back");
  }, stays);
  const [first, second] = ["first", "second"].map((name) => heldSearch(started, name));
  const runs = [first, second].map(({ search }) => queue.run(search, stays));
  await settled();
  assert.deepEqual([started, queue.running], [["provider", "first"], 1]);
  provider.end();
  await settled();
  assert.deepEqual(started, ["provider", "first"]);
  first.end();
  await away;
  await settled();
  assert.deepEqual(started, ["provider", "first", "back", "second"]);
  second.end();
  await Promise.all(runs);
  assert.equal(queue.running, 0);
});

test("a search that comes back is not run for who has left, nor after too long", async () => {
  for (const [waitMsMax, expected] of [
    [1000, "bad_request"],
    [0, "too_many_search_requests"],
  ] as const) {
    const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax });
    const [provider, other] = [heldSearch([], "provider"), heldSearch([], "other")];
    let hasLeft = false;
    let goesOn = false;
    const search = queue.run(
      async (turn) => {
        await turn.away(provider.search);
        goesOn = true;
      },
      () => hasLeft,
    );
    const refusal = assert.rejects(search, { code: expected });
    const running = queue.run(other.search, stays);
    await settled();
    provider.end();
    await settled();
    hasLeft = waitMsMax > 0;
    other.end();
    await Promise.all([refusal, running]);
    assert.deepEqual([goesOn, queue.running], [false, 0]);
  }
});

test("a search that ends while a part of it is away leaves no place taken", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax: 1000 });
  const provider = heldSearch([], "provider");
  const failing = queue.run(async (turn) => {
    const away = turn.away(provider.search);
    await settled();
    await Promise.race([away, Promise.reject(new Error("another part"))]);
  }, stays);
  await assert.rejects(failing, /another part/);
  assert.equal(queue.running, 0);
  provider.end();
  await settled();
  assert.equal(queue.running, 0);
  assert.equal(await queue.run(async () => "answer", stays), "answer");
});

test("a part that wants its place back when the search has ended takes none", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax: 1000 });
  const provider = heldSearch([], "provider");
  let fail = (_: Error) => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const failing = queue.run((turn) => Promise.race([turn.away(provider.search), failed]), stays);
  const held = heldSearch([], "held");
  const running = queue.run(held.search, stays);
  // It wants to come back, and waits behind the one that runs.
  provider.end();
  await settled();
  fail(new Error("another part"));
  await assert.rejects(failing, /another part/);
  held.end();
  await running;
  await settled();
  assert.equal(queue.running, 0);
});

test("a search whose asker has left meanwhile does not come back", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax: 1000 });
  const provider = heldSearch([], "provider");
  const gone = new Set<string>();
  const started: string[] = [];
  const leaving = queue.run(
    async (turn) => {
      await turn.away(provider.search);
      started.push("second half");
    },
    () => gone.has("leaving"),
  );
  gone.add("leaving");
  provider.end();
  await assert.rejects(leaving, { code: "bad_request" });
  assert.deepEqual([started, queue.running], [[], 0]);
});

test("two parts of a search that are away at once give one place away, and take one back", async () => {
  const queue = new SearchQueue({ runningMax: 2, waitingMax: 5, waitMsMax: 1000 });
  const parts = ["first", "second"].map((name) => heldSearch([], name));
  const search = queue.run((turn) => Promise.all(parts.map((part) => turn.away(part.search))), stays);
  await settled();
  assert.equal(queue.running, 0);
  parts[1].end();
  parts[0].end();
  await search;
  await settled();
  assert.equal(queue.running, 0);
});

test("no more searches are away than may wait: others keep their place meanwhile", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 1, waitMsMax: 1000 });
  const provider = heldSearch([], "provider");
  const runs = [1, 2].map(() => queue.run((turn) => turn.away(provider.search), stays));
  await settled();
  assert.equal(queue.running, 1);
  provider.end();
  await Promise.all(runs);
  assert.equal(queue.running, 0);
});

test("a search that came back leaves others their turn to be away", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 1, waitMsMax: 1000 });
  for (let i = 0; i < 2; i++) {
    const running = await queue.run((turn) => turn.away(async () => queue.running), stays);
    assert.equal(running, 0);
  }
});

test("what nobody waits for any more is not run, and is dropped first when the queue is full", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 4, waitMsMax: 1000 });
  const held = heldSearch([], "held");
  const running = queue.run(held.search, stays);
  const started: string[] = [];
  const gone = new Set<string>();
  const wait = (name: string) => {
    const search = async () => started.push(name);
    return queue.run(search, () => gone.has(name)).catch((error) => error.code);
  };
  const waiting = ["one", "two", "three", "four"].map(wait);
  gone.add("two").add("four");
  const fifth = wait("five");
  assert.equal(await waiting[1], "bad_request");
  held.end();
  await running;
  assert.deepEqual(await Promise.all([...waiting, fifth]), [1, "bad_request", 2, "bad_request", 3]);
  assert.deepEqual(started, ["one", "three", "five"]);
  assert.deepEqual([queue.running, queue.waiting], [0, 0]);
});

test("any of those that wait makes room in a full queue, but first one that has left", async (t) => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 4, waitMsMax: 1000 });
  const held = heldSearch([], "held");
  const running = queue.run(held.search, stays);
  const refusals: string[] = [];
  const gone = new Set<string>();
  const wait = (name: string) =>
    queue
      .run(
        async () => {},
        () => gone.has(name),
      )
      .catch((error) => refusals.push(`${name} ${error.code}`));
  const waiting = ["a", "b", "c", "d"].map(wait);
  gone.add("a");
  // Of b, c, d and e; then of b, c, d and f; then of b, c, f and g.
  const numbers = [0.999, 0.5, 0];
  t.mock.method(Math, "random", () => numbers.shift()!);
  waiting.push(wait("e"));
  waiting.push(...["f", "g", "h"].map(wait));
  held.end();
  await Promise.all([running, ...waiting]);
  const excess = ["b", "d", "e"].map((name) => `${name} too_many_search_requests`);
  assert.deepEqual(refusals.sort(), ["a bad_request", ...excess]);
});

test("a full queue drops one of those that wait; without a queue the new search is refused", async () => {
  const full = new SearchQueue({ runningMax: 1, waitingMax: 1, waitMsMax: 1000 });
  const held = heldSearch([], "held");
  const running = full.run(held.search, stays);
  const dropped = assert.rejects(
    full.run(async () => "dropped", stays),
    refused,
  );
  const last = full.run(async () => "last", stays);
  await dropped;
  held.end();
  await running;
  assert.equal(await last, "last");

  const none = new SearchQueue({ runningMax: 1, waitingMax: 0, waitMsMax: 1000 });
  const other = heldSearch([], "other");
  const busy = none.run(other.search, stays);
  await assert.rejects(
    none.run(async () => "late", stays),
    refused,
  );
  other.end();
  await busy;
});

test("refusals are held back for a moment, but no more of them than 1,024", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 0, waitMsMax: 1000 });
  const held = heldSearch([], "held");
  const running = queue.run(held.search, stays);
  const told: number[] = [];
  const refusals = Array.from({ length: 1026 }, (_, at) =>
    assert
      .rejects(
        queue.run(async () => "late", stays),
        refused,
      )
      .then(() => told.push(at)),
  );
  await Promise.all(refusals);
  assert.deepEqual(told.slice(0, 3), [1024, 1025, 0]);
  // Those that were held back make room for others.
  const later = assert
    .rejects(
      queue.run(async () => "later", stays),
      refused,
    )
    .then(() => told.push(-1));
  await settled();
  assert.ok(!told.includes(-1));
  await later;
  held.end();
  await running;
});

test("a refusal is not held back for who has left", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 0, waitMsMax: 1000 });
  const held = heldSearch([], "held");
  const running = queue.run(held.search, stays);
  const told: string[] = [];
  const refuse = (name: string, hasLeft: () => boolean) =>
    queue.run(async () => "late", hasLeft).catch(() => told.push(name));
  await Promise.all([refuse("stays", stays), refuse("gone", () => true)]);
  assert.deepEqual(told, ["gone", "stays"]);
  held.end();
  await running;
});

test("a search that waited too long is refused when its turn comes", async () => {
  const queue = new SearchQueue({ runningMax: 1, waitingMax: 5, waitMsMax: 0 });
  const held = heldSearch([], "held");
  const running = queue.run(held.search, stays);
  const late = assert.rejects(
    queue.run(async () => "late", stays),
    refused,
  );
  await settled();
  held.end();
  await Promise.all([running, late]);
});

test("a refusal for lack of room says when to come again", async () => {
  const { app, engine } = await startFixture();
  engine.search = () => Promise.reject(new TarsierError("too_many_search_requests", { capacity: 10 }));
  const response = await app.inject({ method: "GET", url: `/indexes/${INDEX}/search` });
  assert.deepEqual([response.statusCode, response.headers["retry-after"]], [503, "10"]);
  assert.equal(response.json().type, "system");
});
