// How many searches for the ten nearest vectors does a second have, and how many of the ten are right? Our
// graph and our exact scan against native libraries, all in one thread. A second table asks with filters.
//
//   npm run bench:vectors -- [--engines tarsier,hnswlib,usearch]
import { bitmapBytes } from "../test/twins/bitmap.ts";
import { randomOf } from "../test/twins/clusters.ts";
import { benchOptions, printTable, quantile } from "./report.ts";
import { type VectorEngine, vectorEngines } from "./vectorengines.ts";
import { exactNearest, loadVectorSet, NEAREST_LEN } from "./vectorset.ts";

const ROUNDS = 3;
const FILTERED_QUERIES = 100;
const FILTERED_WIDTH = 128;
const FILTER_PARTS = [0.5, 0.1, 0.01, 0.001];

const options = benchOptions([], Object.keys(vectorEngines));
const set = loadVectorSet();
console.log(
  `${set.name}: ${set.count} vectors of ${set.dimensions} dimensions, ${set.queries.length} queries`,
);
const rows: string[][] = [];
const filtered: string[][] = [];
const failures: string[] = [];
for (const name of options.engines) {
  try {
    for (const engine of vectorEngines[name](set)) {
      for (const width of engine.widths) rows.push(measure(engine, width));
      for (const part of engine.searchAmong ? FILTER_PARTS : []) filtered.push(measureFiltered(engine, part));
    }
  } catch (error) {
    failures.push(`${name}: not measured, ${error instanceof Error ? error.message : error}`);
  }
}
printTable(["engine", "width", "recall@10", "queries/s", "p99", "build"], rows);
printTable(["allowed", "engine", "recall@10", "queries/s", "p99"], filtered);
for (const line of failures) console.log(line);

/** The best of some rounds: others may have had less of the machine. */
function measure(engine: VectorEngine, width: number): string[] {
  let best: number[] = [];
  let hits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    hits = 0;
    const times = set.queries.map((query, i) => {
      const begin = performance.now();
      const found = engine.search(query, width);
      const time = performance.now() - begin;
      hits += hitsOf(found, set.nearest[i]);
      return time;
    });
    if (round === 0 || sum(times) < sum(best)) best = times;
  }
  return [
    engine.name,
    width ? String(width) : "-",
    (hits / (NEAREST_LEN * set.queries.length)).toFixed(3),
    ...speedOf(best),
    `${engine.buildSeconds.toFixed(1)} s`,
  ];
}

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

function hitsOf(found: ArrayLike<number>, truth: readonly number[]): number {
  return Array.from(found).filter((item) => truth.includes(item)).length;
}

function sum(times: readonly number[]): number {
  return times.reduce((total, time) => total + time, 0);
}

function speedOf(times: readonly number[]): string[] {
  return [((1000 * times.length) / sum(times)).toFixed(0), `${quantile(times, 0.99).toFixed(2)} ms`];
}
