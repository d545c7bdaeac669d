// When a server warms up, when it makes way, and that the index of the warm-up is found and answers.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openThreadedEngine } from "../../src/engine/pool.ts";
import { type SearchBody, searchQueryOf } from "../../src/schemas/search.ts";
import { findWarmUp, WarmUp } from "../../src/tasks/warmup.ts";
import { add, openHouse } from "./setup.ts";

const MEBIBYTE = 1024 * 1024;
const root = findWarmUp()!;
const large = [{ id: 1, text: "x".repeat(300 * 1024) }];

function queries(): SearchBody[] {
  return JSON.parse(readFileSync(join(root, "queries.json"), "utf8"));
}

/** Searches of the warm-up end at once here; `quietMs` is what the test says. */
async function watch(context: TestContext, quietMs = 1000) {
  const engine = {
    quietMs,
    asked: 0,
    ended: 0,
    async warmUp() {
      engine.asked++;
      await setTimeout(1);
      return new Uint8Array();
    },
    async endWarmUp() {
      engine.ended++;
    },
  };
  const { instance } = await openHouse();
  const failures: unknown[] = [];
  const warmUp = new WarmUp({ instance, engine, root, onFailure: (error) => failures.push(error) });
  context.after(async () => {
    await warmUp.close();
    await instance.close();
  });
  return { engine, instance, warmUp, failures };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(10);
}

test("a server that gets much data asks every query of the warm-up several times, once", async (context) => {
  const { engine, instance } = await watch(context);
  await add(instance, "many", large);
  await add(instance, "many", large);
  await until(() => engine.ended > 0);
  assert.equal(engine.asked % queries().length, 0);
  assert.ok(engine.asked > queries().length);
  await add(instance, "many", large);
  await instance.idle();
  await setTimeout(50);
  assert.equal(engine.ended, 1);
});

test("a server with little data does not warm up", async (context) => {
  const { engine, instance } = await watch(context);
  await add(instance, "few", [{ id: 1 }]);
  await instance.idle();
  await setTimeout(500);
  assert.equal(engine.asked, 0);
});

test("the warm-up waits while somebody searches", async (context) => {
  const { engine, instance } = await watch(context, 0);
  await add(instance, "many", large);
  await setTimeout(500);
  assert.equal(engine.asked, 0);
  engine.quietMs = 1000;
  await until(() => engine.asked > 0);
});

test("a warm-up that is closed stops without a failure", async (context) => {
  const { engine, instance, warmUp, failures } = await watch(context);
  await add(instance, "many", large);
  await until(() => engine.asked > 0);
  await warmUp.close();
  const { asked } = engine;
  await setTimeout(50);
  assert.deepEqual([engine.asked, engine.ended, failures], [asked, 0, []]);
});

test("a failure is told, and nothing else happens", async (context) => {
  const { engine, instance, failures } = await watch(context);
  engine.warmUp = () => Promise.reject(new Error("no such index"));
  await add(instance, "many", large);
  await until(() => failures.length > 0);
  assert.match(String(failures), /no such index/);
});

test("the index of the build answers the queries, and leaves no trace in the data", async (context) => {
  const data = mkdtempSync(join(tmpdir(), "tarsier-warm-up-"));
  const sizes = { threads: 1, indexingBytes: 64 * MEBIBYTE, searchBytes: 64 * MEBIBYTE };
  const engine = openThreadedEngine(data, { ...sizes, warmUpRoot: root });
  context.after(async () => {
    await engine.close();
    rmSync(data, { recursive: true });
  });
  let found = 0;
  for (const body of queries()) {
    const answer = await engine.warmUp(searchQueryOf(body, "", null));
    if (JSON.parse(Buffer.from(answer).toString()).hits.length > 0) found++;
  }
  await engine.endWarmUp();
  assert.ok(found > 0.8 * queries().length, `${found} of ${queries().length}`);
  assert.equal((await engine.figures([])).answers.bytes, 0);
  assert.deepEqual(readdirSync(data), []);
});
