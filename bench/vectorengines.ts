// The engines of the vector benchmark: Tarsier's core in this process, with a graph and by an exact scan, and
// native libraries, which are installed into bench/native when they are asked for and missing.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { Core } from "../src/core/core.ts";
import { Scratch } from "../src/core/scratch.ts";
import { VECTOR_CODES, VECTOR_FLOATS } from "../src/core/vectors.ts";
import { findNearest, type GraphSource } from "../src/segment/vectorgraph.ts";
import { GRAPH_LINKS, GRAPH_WIDTH, GraphBuilder } from "../src/segment/vectorgraphbuilder.ts";
import { NEAREST_LEN, type VectorSet, vectorOf } from "./vectorset.ts";

export interface VectorEngine {
  name: string;
  /** Seconds that it took to build. */
  buildSeconds: number;
  /** Widths of a walk (ef) that it is asked with; a scan has none. */
  widths: number[];
  search(query: Float32Array, width: number): ArrayLike<number>;
  /** The same among some items: a bitmap, and how many they are. */
  searchAmong?(query: Float32Array, width: number, allowed: Uint8Array, count: number): ArrayLike<number>;
}

/** Candidates by codes, of which the best by the vectors themselves are kept. */
const RESCORED_LEN = 40;
const SCRATCH_BYTES = 1 << 22;
const NATIVE_FOLDER = resolve("bench/native");

export const vectorEngines: Record<string, (set: VectorSet) => VectorEngine[]> = {
  tarsier: makeTarsier,
  hnswlib: makeHnswlib,
  usearch: (set) => [64, 128].flatMap((width) => ["f32", "i8"].map((form) => makeUsearch(set, form, width))),
};

function makeTarsier(set: VectorSet): VectorEngine[] {
  const core = new Core();
  const { exports: kernels } = core;
  const { count: items, dimensions } = set;
  const floats = core.reserve(set.vectors.length * 4);
  new Float32Array(core.memory.buffer, floats, set.vectors.length).set(set.vectors);
  const begin = performance.now();
  const kind = VECTOR_CODES;
  const rows = core.reserve(kernels.vectorRowBytes(kind, dimensions) * items);
  kernels.vectorRows(kind, floats, items, dimensions, rows);
  const coded = performance.now();
  const builder = new GraphBuilder(core, { kind, dimensions, rows, items });
  while (builder.step());
  const { pointer: graph } = builder.finish();
  const built = performance.now();

  const scratch = new Scratch(core, SCRATCH_BYTES);
  const source = core.reserve(4 * dimensions);
  const [query, fine] = [kind, VECTOR_FLOATS].map((of) =>
    core.reserve(kernels.vectorQueryBytes(of, dimensions)),
  );
  const out = core.reserve(8 * RESCORED_LEN);
  const bitmap = core.reserve(Math.ceil(items / 64) * 8);
  const search = (from: GraphSource, vector: Float32Array, width: number, allowed = 0, allowedCount = 0) => {
    new Float32Array(core.memory.buffer, source, dimensions).set(vector);
    kernels.vectorQuery(kind, source, dimensions, query);
    kernels.vectorQuery(VECTOR_FLOATS, source, dimensions, fine);
    scratch.reset();
    const request = { query, most: RESCORED_LEN, width, allowed, allowedCount };
    const found = findNearest(scratch, from, request, out);
    kernels.vectorRescore(out, found, VECTOR_FLOATS, floats, 0, dimensions, fine);
    kernels.nearestSort(out, found);
    const length = Math.min(found, NEAREST_LEN);
    return Uint32Array.from({ length }, (_, i) => core.u32[(out >> 2) + 2 * i]);
  };
  const whole = { kind, dimensions, rows, items, graph };
  return [
    {
      name: `tarsier M ${GRAPH_LINKS} efc ${GRAPH_WIDTH}`,
      buildSeconds: (built - begin) / 1000,
      widths: [48, 64, 128, 256, 400],
      search: (vector, width) => search(whole, vector, width),
      searchAmong: (vector, width, allowed, allowedCount) => {
        core.write(bitmap, allowed);
        return search(whole, vector, width, bitmap, allowedCount);
      },
    },
    {
      name: "tarsier, exact scan",
      buildSeconds: (coded - begin) / 1000,
      widths: [0],
      search: (vector) => search({ ...whole, graph: 0 }, vector, 0),
    },
  ];
}

interface Hnswlib {
  HierarchicalNSW: new (
    space: string,
    dimensions: number,
  ) => {
    initIndex(count: number, links: number, width: number): void;
    addPoint(vector: number[], item: number): void;
    searchKnn(vector: number[], most: number): { neighbors: number[] };
    setEf(width: number): void;
  };
}

function makeHnswlib(set: VectorSet): VectorEngine[] {
  const { HierarchicalNSW } = loadNative<Hnswlib>("hnswlib-node");
  const index = new HierarchicalNSW("cosine", set.dimensions);
  index.initIndex(set.count, GRAPH_LINKS, GRAPH_WIDTH);
  const vectors = Array.from({ length: set.count }, (_, item) => Array.from(vectorOf(set, item)));
  const begin = performance.now();
  vectors.forEach((vector, item) => {
    index.addPoint(vector, item);
  });
  const buildSeconds = (performance.now() - begin) / 1000;
  const asArrays = new Map(set.queries.map((query) => [query, Array.from(query)]));
  const search = (query: Float32Array, width: number) => {
    index.setEf(width);
    return index.searchKnn(asArrays.get(query) ?? [], NEAREST_LEN).neighbors;
  };
  return [
    { name: `hnswlib M ${GRAPH_LINKS} efc ${GRAPH_WIDTH}`, buildSeconds, widths: [64, 128, 256], search },
  ];
}

interface Usearch {
  Index: new (options: {
    dimensions: number;
    metric: string;
    quantization: string;
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
    multi: boolean;
  }) => {
    add(items: BigUint64Array, vectors: Float32Array, threads: number): void;
    search(vector: Float32Array, most: number, threads: number): { keys: BigUint64Array };
  };
}

function makeUsearch(set: VectorSet, quantization: string, width: number): VectorEngine {
  const { Index } = loadNative<Usearch>("usearch");
  const index = new Index({
    dimensions: set.dimensions,
    metric: "cos",
    quantization,
    connectivity: GRAPH_LINKS,
    expansion_add: GRAPH_WIDTH,
    expansion_search: width,
    multi: false,
  });
  const items = BigUint64Array.from({ length: set.count }, (_, item) => BigInt(item));
  const begin = performance.now();
  index.add(items, set.vectors, 1);
  return {
    name: `usearch ${quantization}`,
    buildSeconds: (performance.now() - begin) / 1000,
    widths: [width],
    search: (query) => Array.from(index.search(query, NEAREST_LEN, 1).keys, Number),
  };
}

/** Loads a package of bench/native, which is installed when it is not there. */
function loadNative<Package>(name: string): Package {
  if (!existsSync(resolve(NATIVE_FOLDER, "node_modules", name))) {
    const options = ["--prefix", NATIVE_FOLDER, "--no-package-lock", "--no-audit", "--no-fund"];
    const { status } = spawnSync("npm", ["install", ...options], { stdio: "inherit" });
    if (status !== 0) throw new Error(`npm install in ${NATIVE_FOLDER} ended with ${status}`);
  }
  return createRequire(resolve(NATIVE_FOLDER, "package.json"))(name);
}
