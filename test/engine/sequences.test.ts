// The engine against naive evaluators of everything at once: a short slice of tools/model.mjs.
import { test } from "node:test";
import { runSequences } from "./sequences.ts";

const SEQUENCES = 40;
const MILLISECONDS_MAX = 8_000;

test("whatever happens to an index, searches answer as the definitions say", (context) => {
  const seed = Date.now() % 2 ** 31;
  let done = 0;
  runSequences({ sequences: SEQUENCES, seed, milliseconds: MILLISECONDS_MAX, onSequence: () => done++ });
  context.diagnostic(`seed ${seed}: ${done} sequences`);
});
