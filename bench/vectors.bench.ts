// How many searches for the ten nearest vectors are possible in a second, and how many of the ten are right?
// Our graph and our exact scan against native libraries, all in one thread. The second table compares them at
// equal recall, the third with filters, the fourth when building in several threads.
//
//   npm run bench:vectors -- [--engines tarsier,hnswlib,usearch]
import { bitmapBytes } from "../test/twins/bitmap.ts";
import { randomOf } from "../test/twins/clusters.ts";
import { benchOptions, printTable, quantile, ratio } from "./report.ts";
import type { BuildTime, VectorEngine } from "./vectorengine.ts";
import { buildTimes, vectorEngines } from "./vectorengines.ts";
import { exactNearest, loadVectorSet } from "./vectorset.ts";
import { hitsOf, measureWidth, rateAt, type VectorSpeed } from "./vectorspeed.ts";

const FILTERED_QUERIES = 100;
const FILTERED_WIDTH = 128;
/** Recall at which engines are compared. */
const RECALLS = [0.9, 0.95];
const FILTER_PARTS = [0.5, 0.1, 0.01, 0.001];

const options = benchOptions([], Object.keys(vectorEngines));
const set = loadVectorSet();
console.log(
  `${set.name}: ${set.count} vectors of ${set.dimensions} dimensions, ${set.queries.length} queries`,
);
const measured: VectorSpeed[] = [];
const filtered: string[][] = [];
const times: BuildTime[] = [];
const failures: string[] = [];
for (const name of options.engines) {
  try {
    for (const engine of vectorEngines[name](set)) {
      if (engine.built) times.push(engine.built);
      for (const width of engine.widths) measured.push(measureWidth(set, engine, width));
      for (const part of engine.searchAmong ? FILTER_PARTS : []) filtered.push(measureFiltered(engine, part));
    }
    times.push(...(buildTimes[name]?.(set) ?? []));
  } catch (error) {
    failures.push(`${name}: not measured, ${error instanceof Error ? error.message : error}`);
  }
}
printTable(
  ["engine", "width", "recall@10", "queries/s", "p99"],
  measured.map(({ engine, width, recall, rate, p99 }) => [
    engine.name,
    width ? `${width}` : "-",
    recall.toFixed(3),
    rate.toFixed(0),
    `${p99.toFixed(2)} ms`,
  ]),
);
const names = [...new Set(measured.filter(({ width }) => width > 0).map(({ engine }) => engine.name))];
printTable(
  ["queries/s at a recall of", ...RECALLS.flatMap((recall) => [`${recall}`, "of the first"])],
  names.map((name) => [
    name,
    ...RECALLS.flatMap((recall) => {
      const rate = rateAt(measured, name, recall);
      return [rate.toFixed(0), ratio(rate, rateAt(measured, names[0], recall))];
    }),
  ]),
);
printTable(["allowed", "engine", "recall@10", "queries/s", "p99"], filtered);
printTable(
  ["build", "threads", "seconds", "processor"],
  times.map(({ name, threads, seconds, processorSeconds }) => [
    name,
    `${threads}`,
    seconds.toFixed(1),
    `${processorSeconds.toFixed(1)} s`,
  ]),
);
for (const line of failures) console.log(line);

function measureFiltered(engine: VectorEngine, part: number): string[] {
  const random = randomOf(1);
  const items = Array.from({ length: set.count }, (_, item) => item).filter(() => random() < part);
  const allowed = new Set(items);
  const bitmap = bitmapBytes(items, Math.ceil(set.count / 64));
  const queries = set.queries.slice(0, FILTERED_QUERIES);
  let hits = 0;
  let wanted = 0;
  const times = queries.map((query) => {
    const begin = performance.now();
    const found = engine.searchAmong?.(query, FILTERED_WIDTH, bitmap, items.length) ?? [];
    const time = performance.now() - begin;
    const truth = exactNearest(set, query, (item) => allowed.has(item));
    hits += hitsOf(found, truth);
    wanted += truth.length;
    return time;
  });
  return [`${100 * part}%`, engine.name, (hits / wanted).toFixed(3), ...speedOf(times)];
}

function sum(times: readonly number[]): number {
  return times.reduce((total, time) => total + time, 0);
}

function speedOf(times: readonly number[]): string[] {
  return [((1000 * times.length) / sum(times)).toFixed(0), `${quantile(times, 0.99).toFixed(2)} ms`];
}
