// A few inputs for every parser of bytes from outside: a short slice of tools/fuzz.mjs.
import { test } from "node:test";
import { fuzz } from "./fuzzing.ts";
import { targets } from "./targets.ts";

const SLICE_MS = 20_000;

for (const target of targets) {
  test(`nothing that goes to "${target.name}" breaks it`, async (context) => {
    const seed = Date.now() % 2 ** 32;
    const options = { seed, inputs: target.slice, milliseconds: SLICE_MS, isMeasured: false };
    const { inputs, accepted } = await fuzz(target, options);
    context.diagnostic(`seed ${seed}: ${inputs} inputs, ${accepted} accepted`);
  });
}
