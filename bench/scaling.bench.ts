// What do a document and a query cost as the data grows? Tarsier on prefixes of pypi and, beyond its end, the
// same documents again with new ids; on one processor and on all. After each figure stands its ratio to the
// size before. Written to bench/results.
//
//   npm run bench:scaling -- [--sets pypi@10000,pypi@100000] [--only indexing,start,search,freshness]
//                            [--quick] [--no-write] [--results DIR] [--options "--max-..."]
import { availableParallelism } from "node:os";
import { readCommandLine } from "./commandline.ts";
import { datasetNames, loadDataset } from "./datasets.ts";
import { type Figure, growth, type Measurement, printProgress, show } from "./figures.ts";
import type { Part } from "./plan.ts";
import { Results } from "./results.ts";
import { tarsier } from "./server.ts";
import { measureServer } from "./serverfigures.ts";

const MEASURED: Part[] = ["indexing", "start", "search", "freshness"];
/** All of pypi is 886,323 documents. */
const COUNTS = [10_000, 100_000, 886_323, 1_772_646, 2_000_000];
const QUICK_COUNTS = [10_000, 100_000];
const UNIT_DOCUMENTS = 100_000;

const { plan, isQuick, sets: asked, results: folder } = readCommandLine();
const base = datasetNames().includes("pypi") ? "pypi" : "cities";
const sets = asked ?? (isQuick ? QUICK_COUNTS : COUNTS).map((count) => `${base}@${count}`);
const parts = new Set(MEASURED.filter((part) => plan.parts.has(part)));
const all = availableParallelism();
const allocations = [
  { engine: "1 core", processors: "0" },
  ...(all > 1 ? [{ engine: `${all} cores`, processors: undefined }] : []),
];
const notes = [
  "In brackets: times the figure of the size before. With 1 core the server alone is bound to it " +
    "(`taskset`), and whoever asks has another one.",
];
const results = new Results("scaling", folder);
console.log(`${results.heading}\n`);
const figures: Figure[] = [];
for (const set of sets) {
  const dataset = loadDataset(set);
  for (const { engine, processors } of allocations) {
    for await (const some of measureServer(tarsier, dataset, { ...plan, parts, processors })) {
      for (const one of some.flatMap(asCost)) {
        figures.push({ set, engine, ...one });
        printProgress({ set, engine, ...one });
      }
      results.write(figures, growth(figures, sets), notes);
    }
  }
}
show(growth(figures, sets));
for (const note of notes) console.log(note);
const path = results.write(figures, growth(figures, sets), notes);
if (path !== null) console.log(`written to ${path}.md and .json`);

/** Turns rates into the time for this many documents; figures that do not grow with them stay as they are. */
function asCost(measurement: Measurement): Measurement[] {
  const { name, unit, values } = measurement;
  if (name.includes("cold") || unit === "MB/s") return [];
  if (name !== "indexing, documents a second" || values.length === 0) return [measurement];
  return [{ name: "indexing of 100,000 documents", unit: "s", values: [UNIT_DOCUMENTS / values[0]] }];
}
