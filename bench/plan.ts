// How much a run of the parts measures: everything, or just enough that each part has run once. Called by the
// benchmarks that measure servers.
export const PARTS = [
  "indexing",
  "start",
  "search",
  "throughput",
  "busy",
  "freshness",
  "updates",
  "vectors",
] as const;
export type Part = (typeof PARTS)[number];

/** The requests that many connections send. */
export const WORKLOADS = [
  "health",
  "one word and prefix",
  "one word and prefix, asked before",
  "every class",
] as const;
export type Workload = (typeof WORKLOADS)[number];

export interface Plan {
  parts: ReadonlySet<Part>;
  /** Time of a library in a process for indexing, and again for searching. */
  librarySeconds: number;
  /** Time of a server for indexing, and again for one-document writes. */
  serverSeconds: number;
  /** Time of an engine for vectors, for everything. */
  vectorSeconds: number;
  /** Most vectors of the set. */
  vectorsMax: number;
  queriesPerClass: number;
  /** A server that was idle for this long is at rest. */
  calmMs: number;
  starts: number;
  workloads: readonly Workload[];
  connections: readonly number[];
  throughputSeconds: number;
  /** Documents that are added one by one and searched for until found. */
  probes: number;
  /** Least time during which they are added while many others are. */
  loadSeconds: number;
  /** Further options for Tarsier. */
  options: readonly string[];
  /** Processors that servers may use, as taskset lists them; undefined: all. */
  processors?: string;
}

export const fullPlan: Plan = {
  parts: new Set(PARTS),
  librarySeconds: 60,
  serverSeconds: 600,
  vectorSeconds: 1200,
  vectorsMax: 100_000,
  queriesPerClass: 100,
  calmMs: 1000,
  starts: 5,
  workloads: WORKLOADS,
  connections: [1, 8, 64],
  throughputSeconds: 5,
  probes: 100,
  loadSeconds: 20,
  options: [],
};

export const quickPlan: Plan = {
  ...fullPlan,
  librarySeconds: 5,
  serverSeconds: 120,
  vectorSeconds: 120,
  vectorsMax: 2000,
  queriesPerClass: 5,
  starts: 2,
  throughputSeconds: 1,
  probes: 5,
  loadSeconds: 2,
};
