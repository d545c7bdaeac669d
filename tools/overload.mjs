// The long form of the overload test (test/load/overload.ts), of which `npm test` runs some seconds.
//   node tools/overload.mjs [--seconds 20] [--build DIR]
// Exit code 1 when ten times the clients make accepted searches (p99) more than twice as slow, or when
// refused ones are not told when to try again.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const SLOWER_TIMES_MAX = 2;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "20" }, build: { type: "string", default: "build" } },
});
const path = join(resolve(root, values.build), "test", "load", "overload.js");
const { overload } = await import(pathToFileURL(path));
const { full, over, seen, silent, rssMost } = await overload(Number(values.seconds));
const shown = ({ accepted, refused, strange, p50Ms, p99Ms }) =>
  [
    `${accepted} accepted, ${refused} refused, ${strange} strange`,
    `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  ].join(", ");
console.log(`full load:       ${shown(full)}`);
console.log(`ten times as much: ${shown(over)}`);
const times = over.p99Ms / full.p99Ms;
console.log(`p99 ${times.toFixed(2)} times as long, at most ${Math.round(rssMost / 1e6)} MB`);
console.log(`${seen} refusals looked at, ${silent} do not say when to come again`);
process.exitCode = times <= SLOWER_TIMES_MAX && seen > 0 && silent === 0 && over.strange === 0 ? 0 : 1;
