// How fast an engine for vectors is, and how much it finds: measured for each engine and width, interpolated
// between widths. Called by vectors.bench.ts and peers/vector.worker.ts.
import { quantile } from "./report.ts";
import type { VectorEngine } from "./vectorengine.ts";
import { NEAREST_LEN, type VectorSet } from "./vectorset.ts";

const ROUNDS = 3;

export interface VectorSpeed {
  engine: VectorEngine;
  width: number;
  recall: number;
  /** Queries a second. */
  rate: number;
  p99: number;
}

/** The best of some rounds, by processor time, since other processes may have slowed the rest. */
export function measureWidth(set: VectorSet, engine: VectorEngine, width: number): VectorSpeed {
  let best: number[] = [];
  let leastMs = Number.POSITIVE_INFINITY;
  let hits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    hits = 0;
    const before = process.cpuUsage();
    const times = set.queries.map((query, i) => {
      const begin = performance.now();
      const found = engine.search(query, width);
      const time = performance.now() - begin;
      hits += hitsOf(found, set.nearest[i]);
      return time;
    });
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 >= leastMs) continue;
    [best, leastMs] = [times, (user + system) / 1000];
  }
  const recall = hits / (NEAREST_LEN * set.queries.length);
  return { engine, width, recall, rate: (1000 * best.length) / leastMs, p99: quantile(best, 0.99) };
}

/**
 * Queries a second at exactly this recall: interpolated between two widths or, if the least width finds more,
 * the rate at that one.
 */
export function rateAt(speeds: readonly VectorSpeed[], name: string, recall: number): number {
  const points = speeds.filter(({ engine }) => engine.name === name);
  points.sort((a, b) => a.recall - b.recall);
  const above = points.findIndex((point) => point.recall >= recall);
  if (above < 0) return Number.NaN;
  if (above === 0) return points[0].rate;
  const [low, high] = [points[above - 1], points[above]];
  const part = (recall - low.recall) / (high.recall - low.recall);
  return 1 / ((1 - part) / low.rate + part / high.rate);
}

export function hitsOf(found: ArrayLike<number>, truth: readonly number[]): number {
  return Array.from(found).filter((item) => truth.includes(item)).length;
}
