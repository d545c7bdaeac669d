// The long form of the memory test (test/load/soak.ts), of which `npm test` runs some seconds.
//   node tools/soak.mjs [--minutes 20] [--seed N] [--build DIR]
// Exit code 1 when the server takes more memory than its bounds and 150 MB, grows, or answers strangely.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** Growth from the second to the last quarter of the run: by then, caches are filled up to their bounds. */
const GROWTH_MAX = 0.1;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    build: { type: "string", default: "build" },
  },
});
const { soak } = await import(pathToFileURL(join(resolve(root, values.build), "test", "load", "soak.js")));
console.log(`seed ${values.seed}, ${values.minutes} minutes`);
const report = await soak(Number(values.minutes) * 60_000, Number(values.seed));
const { writes, searches, rssMost, rssBound, growth, strange } = report;
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
console.log(`${writes} writes, ${searches} searches`);
console.log(`at most ${megabytes(rssMost)} of ${megabytes(rssBound)}, growth ${(100 * growth).toFixed(1)} %`);
for (const answer of strange.slice(0, 10)) console.log(`strange: ${answer}`);
const isFine = rssMost <= rssBound && growth <= GROWTH_MAX && strange.length === 0;
console.log(isFine ? "within its bounds" : "NOT within its bounds");
process.exitCode = isFine ? 0 : 1;
