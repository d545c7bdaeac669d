// The long form of the model test of the engine (test/engine/sequences.ts), of which `npm test` runs a slice.
//   node tools/model.mjs [--sequences 50000] [--seed N] [--build DIR]
// Prints the seed, which repeats the same sequences. Exit code 1 when the engine answers differently from the
// model; the sequence is then made as short as possible.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const SHOWN_EVERY = 1000;
/** Sequences per run: fast-check keeps nothing between runs, and the progress shows a seed for each. */
const RUN_SEQUENCES = 500;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "50000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    build: { type: "string", default: "build" },
  },
});
const path = join(resolve(root, values.build), "test", "engine", "sequences.js");
const { runSequences } = await import(pathToFileURL(path));
const sequences = Number(values.sequences);
const began = Date.now();
console.log(`seed ${values.seed}`);
let done = 0;
for (let seed = Number(values.seed); done < sequences; seed++) {
  runSequences({ sequences: Math.min(RUN_SEQUENCES, sequences - done), seed });
  done = Math.min(sequences, done + RUN_SEQUENCES);
  if (done % SHOWN_EVERY === 0 || done === sequences)
    console.log(`${Math.round((Date.now() - began) / 1000)} s: ${done} sequences, seed ${seed}`);
}
console.log(`${done} sequences as the model has them`);
