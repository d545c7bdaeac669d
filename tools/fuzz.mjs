// The long form of the fuzzers (test/fuzz), of which `npm test` runs a slice.
//   node tools/fuzz.mjs [TARGET ...] [--seconds 60] [--cases N] [--seed N] [--first N]
//   node tools/fuzz.mjs --list
//   --seconds   for each target;  --cases: inputs for each target at most
//   --first     the input to begin with: `--seed S --first N --cases 1` tries one again
// Exit code 1 when something was found, or when an input takes longer than half a minute.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

const HANG_MS = 30_000;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    cases: { type: "string", default: "1000000000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    first: { type: "string", default: "0" },
    list: { type: "boolean", default: false },
    build: { type: "string", default: "build" },
  },
});
const folder = join(resolve(root, values.build), "test", "fuzz");
const { targets } = await import(pathToFileURL(join(folder, "targets.js")));
const names = targets.map(({ name }) => name);
const unknown = positionals.find((name) => !names.includes(name));
if (values.list || unknown) {
  if (unknown) console.error(`no target is called ${unknown}`);
  console.log(names.join("\n"));
  process.exit(unknown ? 1 : 0);
}
for (const name of positionals.length > 0 ? positionals : names) {
  const { report, finding } = await run(name);
  if (finding) {
    console.log(`${name}: FOUND\n${finding}`);
    process.exitCode = 1;
  } else {
    const { inputs, accepted, slowestMs, slowest, grownBytes } = report;
    const share = Math.round((100 * accepted) / Math.max(inputs, 1));
    const slow = `slowest ${slowestMs.toFixed(1)} ms/KB (input ${slowest})`;
    console.log(`${name}: ${inputs} inputs, ${share} % accepted, ${slow}, memory +${grownBytes >> 10} KB`);
  }
}
process.exit();

/** Tries a target in its own thread, so that this one survives a hang. */
function run(name) {
  const current = new Int32Array(new SharedArrayBuffer(4));
  const [seed, first, inputs] = [Number(values.seed), Number(values.first), Number(values.cases)];
  const options = { seed, first, inputs, milliseconds: Number(values.seconds) * 1000, isMeasured: true };
  const worker = new Worker(join(folder, "fuzzworker.js"), { workerData: { name, current, ...options } });
  console.log(`${name}, seed ${seed}`);
  return new Promise((done) => {
    let last = -1;
    const watch = setInterval(() => {
      const now = Atomics.load(current, 0);
      if (now === last) end({ finding: `input ${now} takes longer than ${HANG_MS / 1000} s` });
      last = now;
    }, HANG_MS);
    const end = (answer) => {
      clearInterval(watch);
      worker.terminate();
      done(answer);
    };
    worker.on("message", end);
    worker.on("error", (error) => end({ finding: `input ${Atomics.load(current, 0)}: ${error.stack}` }));
  });
}
