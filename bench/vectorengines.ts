// The engines of the vector benchmark: Tarsier's core in this process, with a graph and by an exact scan, and
// native libraries (nativeengines.ts).
import { Core } from "../src/core/core.ts";
import { Scratch } from "../src/core/scratch.ts";
import { VECTOR_CODES, VECTOR_FLOATS } from "../src/core/vectors.ts";
import { findNearest, type GraphSource } from "../src/segment/vectorgraph.ts";
import { GRAPH_LINKS, GRAPH_WIDTH, GraphBuilder } from "../src/segment/vectorgraphbuilder.ts";
import { hnswlibBuildTimes, makeHnswlib, makeUsearch, usearchBuildTimes } from "./nativeengines.ts";
import { type BuildTime, timed, type VectorEngine } from "./vectorengine.ts";
import { NEAREST_LEN, type VectorSet } from "./vectorset.ts";

/** Candidates found by codes; the best of them by their full vectors are kept. */
const RESCORED_LEN = 40;
const SCRATCH_BYTES = 1 << 22;
/** Numbers of threads to build with; each gives an engine of its own. */
const BUILD_THREADS = [1, 2];

export const vectorEngines: Record<string, (set: VectorSet) => VectorEngine[]> = {
  tarsier: makeTarsier,
  hnswlib: makeHnswlib,
  usearch: makeUsearch,
};

/** For engines whose own figures do not say enough. */
export const buildTimes: Record<string, (set: VectorSet) => BuildTime[]> = {
  hnswlib: hnswlibBuildTimes,
  usearch: usearchBuildTimes,
};

function makeTarsier(set: VectorSet): VectorEngine[] {
  const core = new Core();
  const { exports: kernels } = core;
  const { count: items, dimensions } = set;
  const floats = core.reserve(set.vectors.length * 4);
  new Float32Array(core.memory.buffer, floats, set.vectors.length).set(set.vectors);
  const kind = VECTOR_CODES;
  const rows = core.reserve(kernels.vectorRowBytes(kind, dimensions) * items);
  const graphs = BUILD_THREADS.map((threads) => {
    const name = `tarsier M ${GRAPH_LINKS} efc ${GRAPH_WIDTH}, built by ${threads}`;
    return timed(name, threads, () => {
      kernels.vectorRows(kind, floats, items, dimensions, rows);
      const builder = new GraphBuilder(core, { kind, dimensions, rows, items }, { threads });
      while (builder.step());
      return builder.finish().pointer;
    });
  });

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
  const rowsOf = (graph: number) => ({ kind, dimensions, rows, items, graph });
  const walking = graphs.map(({ made: pointer, built }) => ({
    name: built.name,
    built,
    widths: [16, 24, 32, 48, 64, 128, 256, 400],
    search: (vector: Float32Array, width: number) => search(rowsOf(pointer), vector, width),
    searchAmong: (vector: Float32Array, width: number, allowed: Uint8Array, allowedCount: number) => {
      core.write(bitmap, allowed);
      return search(rowsOf(pointer), vector, width, bitmap, allowedCount);
    },
  }));
  return [
    ...walking,
    {
      name: "tarsier, exact scan",
      built: null,
      widths: [0],
      search: (vector) => search(rowsOf(0), vector, 0),
    },
  ];
}
