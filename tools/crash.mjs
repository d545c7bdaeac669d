// The long forms of the crash tests, of which `npm test` runs slices.
//   node tools/crash.mjs [--kills 200] [--seed N]   kills the server under load (test/crash/kill.test.ts)
//   node tools/crash.mjs --faults                   every crash, every failing operation, every flipped bit
//   --build DIR                                     a build in another folder than build/
// The first form prints its seed, which repeats the same choices (not the same moments). Exit code 1 when
// data is lost.
import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    build: { type: "string", default: "build" },
    faults: { type: "boolean", default: false },
  },
});
const tests = join(resolve(root, values.build), "test");
if (values.faults) runFaults();
else await runKills(Number(values.kills), Number(values.seed));

function runFaults() {
  const files = ["crash/faults.test.js", "engine/damage.test.js"].map((name) => join(tests, name));
  const env = { ...process.env, TARSIER_FAULTS: "all" };
  process.exitCode = spawnSync(process.execPath, ["--test", ...files], { env, stdio: "inherit" }).status ?? 1;
}

async function runKills(kills, seed) {
  const run = await import(pathToFileURL(join(tests, "crash/killrun.js")));
  console.log(`seed ${seed}`);
  const began = Date.now();
  const report = await run.runKills({
    kills,
    seed,
    onRound: ({ kills, acknowledged, tasks }) => {
      const seconds = Math.round((Date.now() - began) / 1000);
      console.log(`${seconds} s: ${kills} kills, ${acknowledged} tasks acknowledged, ${tasks} found`);
    },
  });
  console.log(`nothing lost: ${JSON.stringify(report)}`);
}
