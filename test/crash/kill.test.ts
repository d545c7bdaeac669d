// The real server, killed again and again under load: a short slice of tools/crash.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runKills } from "./killrun.ts";

const KILLS = 8;

test("kill -9 under load loses nothing that was acknowledged", { timeout: 600_000 }, async (context) => {
  const seed = Date.now() % 2 ** 32;
  const { kills, acknowledged, tasks } = await runKills({ kills: KILLS, seed });
  context.diagnostic(`seed ${seed}: ${kills} kills, ${acknowledged} tasks acknowledged, ${tasks} found`);
  assert.equal(kills, KILLS);
  assert.ok(acknowledged > KILLS, "there was a load");
});
