// A few inputs for every parser of bytes from outside: a short slice of tools/fuzz.mjs.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { fuzz } from "./fuzzing.ts";
import { targets } from "./targets.ts";

const SLICE_MS = 20_000;
/** The same inputs each time: what is new is looked for by the long form, which has time to tell of it. */
const SEED = 18_413_491;

for (const target of targets) {
  test(`nothing that goes to "${target.name}" breaks it`, async (context) => {
    const options = { seed: SEED, inputs: target.slice, milliseconds: SLICE_MS, isMeasured: false };
    const { inputs, accepted } = await fuzz(target, options);
    context.diagnostic(`seed ${SEED}: ${inputs} inputs, ${accepted} accepted`);
  });
}

test("the thread of the long form says which input it is at, and what became of all", async () => {
  const current = new Int32Array(new SharedArrayBuffer(4));
  const options = { seed: 1, first: 3, inputs: 5, milliseconds: SLICE_MS, isMeasured: true };
  const url = new URL("./fuzzworker.js", import.meta.url);
  const worker = new Worker(url, { workerData: { name: "sort", current, ...options } });
  const [{ report }] = await once(worker, "message");
  assert.equal(report.inputs, 5);
  assert.equal(current[0], 7);
});
