// The native libraries of the vector benchmark; they are installed into bench/native when first needed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { GRAPH_LINKS, GRAPH_WIDTH } from "../src/segment/vectorgraphbuilder.ts";
import { type BuildTime, timed, type VectorEngine } from "./vectorengine.ts";
import { NEAREST_LEN, type VectorSet, vectorOf } from "./vectorset.ts";

const NATIVE_FOLDER = resolve("bench/native");
const HNSWLIB_SOURCES = "node_modules/hnswlib-node/src";

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

export function makeHnswlib(set: VectorSet): VectorEngine[] {
  const { HierarchicalNSW } = loadNative<Hnswlib>("hnswlib-node");
  const index = new HierarchicalNSW("cosine", set.dimensions);
  index.initIndex(set.count, GRAPH_LINKS, GRAPH_WIDTH);
  const vectors = Array.from({ length: set.count }, (_, item) => Array.from(vectorOf(set, item)));
  const name = `hnswlib M ${GRAPH_LINKS} efc ${GRAPH_WIDTH}`;
  const { built } = timed(name, 1, () => {
    vectors.forEach((vector, item) => {
      index.addPoint(vector, item);
    });
  });
  const asArrays = new Map(set.queries.map((query) => [query, Array.from(query)]));
  const search = (query: Float32Array, width: number) => {
    index.setEf(width);
    return index.searchKnn(asArrays.get(query) ?? [], NEAREST_LEN).neighbors;
  };
  return [{ name, built, widths: [16, 24, 32, 48, 64, 128, 256, 400], search }];
}

/** hnswlib in C++, compiled here for this machine: the package for Node can build only in one thread. */
export function hnswlibBuildTimes(set: VectorSet): BuildTime[] {
  const folder = mkdtempSync(join(tmpdir(), "hnswlib-build-"));
  const program = join(folder, "build");
  const file = join(folder, "vectors");
  try {
    writeFileSync(file, new Uint8Array(set.vectors.buffer, set.vectors.byteOffset, set.vectors.byteLength));
    const flags = ["-O3", "-march=native", "-std=c++17", "-pthread", `-I${HNSWLIB_SOURCES}`];
    const source = ["hnswlib-build.cc", "-o", program];
    runNative("c++", [...flags, `-I${HNSWLIB_SOURCES}/hnswlib`, ...source]);
    return [1, 2].map((threads) => {
      const numbers = [set.dimensions, set.count, GRAPH_LINKS, GRAPH_WIDTH, threads];
      const told = runNative(program, [file, ...numbers.map(String)]);
      const [seconds, processorSeconds] = told.split(" ").map(Number);
      return { name: "hnswlib, C++", threads, seconds, processorSeconds };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runNative(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: NATIVE_FOLDER });
  if (status !== 0) throw new Error(`${command} ended with ${status ?? error?.message}: ${stderr}`);
  return stdout.toString();
}

interface UsearchIndex {
  add(items: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(vector: Float32Array, most: number, threads: number): { keys: BigUint64Array };
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
  }) => UsearchIndex;
}

/** The width of an index is fixed, so there is an engine for each. */
export const makeUsearch = (set: VectorSet): VectorEngine[] =>
  [32, 64, 128].flatMap((width) =>
    ["f32", "i8"].map((quantization) => {
      const { made: index, built } = buildUsearch(set, quantization, width, 1);
      return {
        name: built.name,
        built,
        widths: [width],
        search: (query: Float32Array) => Array.from(index.search(query, NEAREST_LEN, 1).keys, Number),
      };
    }),
  );

export const usearchBuildTimes = (set: VectorSet): BuildTime[] =>
  ["f32", "i8"].map((quantization) => buildUsearch(set, quantization, GRAPH_WIDTH, 2).built);

function buildUsearch(
  { dimensions, count, vectors }: VectorSet,
  quantization: string,
  width: number,
  threads: number,
): { made: UsearchIndex; built: BuildTime } {
  const { Index } = loadNative<Usearch>("usearch");
  const index = new Index({
    dimensions,
    metric: "cos",
    quantization,
    multi: false,
    connectivity: GRAPH_LINKS,
    expansion_add: GRAPH_WIDTH,
    expansion_search: width,
  });
  const items = BigUint64Array.from({ length: count }, (_, item) => BigInt(item));
  return timed(`usearch ${quantization}`, threads, () => {
    index.add(items, vectors, threads);
    return index;
  });
}

/** Loads a package of bench/native, and installs it if it is missing. */
function loadNative<Package>(name: string): Package {
  if (!existsSync(resolve(NATIVE_FOLDER, "node_modules", name))) {
    const options = ["--prefix", NATIVE_FOLDER, "--no-package-lock", "--no-audit", "--no-fund"];
    const { status } = spawnSync("npm", ["install", ...options], { stdio: "inherit" });
    if (status !== 0) throw new Error(`npm install in ${NATIVE_FOLDER} ended with ${status}`);
  }
  return createRequire(resolve(NATIVE_FOLDER, "package.json"))(name);
}
