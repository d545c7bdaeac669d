// Seconds of the load that tools/soak.mjs and tools/overload.mjs put on a server: nothing is asserted about
// time, which other programs on the machine take part in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { overload } from "./overload.ts";
import { soak } from "./soak.ts";

const SOAK_MS = 4000;
const OVERLOAD_SECONDS = 1;

test("a server under mixed load stays within its memory", { timeout: 120_000 }, async (context) => {
  const seed = Date.now() % 2 ** 32;
  const report = await soak(SOAK_MS, seed);
  context.diagnostic(`seed ${seed}: ${JSON.stringify(report)}`);
  assert.deepEqual(report.strange, []);
  assert.ok(report.rssMost <= report.rssBound, `${report.rssMost} bytes, ${report.rssBound} are the bound`);
});

test("a server with too many clients accepts what it can and refuses the rest", {
  timeout: 120_000,
}, async (context) => {
  const { full, over, silent } = await overload(OVERLOAD_SECONDS);
  context.diagnostic(JSON.stringify({ full, over }));
  assert.equal(full.strange + over.strange, 0);
  assert.ok(full.accepted > 0 && over.accepted > 0, "searches are answered");
  assert.ok(over.refused > 0, "and others are not");
  assert.equal(silent, 0, "these are told when to come again");
});
