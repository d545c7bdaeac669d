// The real server, killed again and again under load: a short slice of tools/crash.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runKills } from "./killrun.ts";

const KILLS = 8;

test("kill -9 under load loses nothing that was acknowledged", { timeout: 600_000 }, async (context) => {
  const seed = Date.now() % 2 ** 32;
  // Kills may come so early that nothing is acknowledged yet: it goes on until there was a load.
  const report = await runKills({ kills: KILLS, seed, acknowledgedMin: KILLS + 1 });
  const { kills, acknowledged, tasks } = report;
  context.diagnostic(`seed ${seed}: ${kills} kills, ${acknowledged} tasks acknowledged, ${tasks} found`);
  assert.ok(kills >= KILLS);
  assert.ok(acknowledged > KILLS, "there was a load");
  assert.ok(tasks >= acknowledged, "what was acknowledged is found");
});
