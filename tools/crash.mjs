// Kills the real server under load, many times: the long form of test/crash/kill.test.ts.
//   node tools/crash.mjs [--kills 200] [--seed N] [--build DIR]
// Prints the seed, which makes the same choices again (not the same moments). Exit code 1 when something is lost.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    build: { type: "string", default: "build" },
  },
});
const seed = Number(values.seed);
const { runKills } = await import(pathToFileURL(join(resolve(root, values.build), "test/crash/killrun.js")));
console.log(`seed ${seed}`);
const began = Date.now();
const report = await runKills({
  kills: Number(values.kills),
  seed,
  onRound: ({ kills, acknowledged, tasks }) => {
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(`${seconds} s: ${kills} kills, ${acknowledged} tasks acknowledged, ${tasks} found`);
  },
});
console.log(`nothing lost: ${JSON.stringify(report)}`);
