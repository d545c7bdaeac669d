// The graph over vectors finds what an exact search finds, nearly always and with any filter; it is the same
// for the same rows, survives merges, twins, vectors without a direction, and damaged bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { Scratch } from "../../src/core/scratch.ts";
import { type GraphRows, NO_ITEM } from "../../src/core/vectorgraph.ts";
import { readNearest, VECTOR_BITS, VECTOR_CODES } from "../../src/core/vectors.ts";
import { findNearest } from "../../src/segment/vectorgraph.ts";
import { GraphBuilder, type GraphOptions } from "../../src/segment/vectorgraphbuilder.ts";
import { bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import { clusteredVectors, randomOf } from "../twins/clusters.ts";

const ITEMS = 6000;
const DIMENSIONS = 24;
const QUERIES = 60;
const MOST = 10;
/** Enough for these, and quicker to build than the default. */
const BUILD_WIDTH = 64;
/** Bytes of the header of a graph. */
const HEADER_BYTES = 64;
/** In the header of a graph: links, layers, where walks begin, the number of nodes, entries of each layer. */
const GRAPH_LINKS_AT = 8;
const GRAPH_LAYERS_AT = 12;
const GRAPH_ENTRY_AT = 16;
const GRAPH_NODES_AT = 20;
const GRAPH_COUNTS_AT = 32;
/** Well below what is found, so that it holds on every machine. */
const RECALL_MIN = 0.93;
/** Of walks that keep no more than is asked for: 0.97, or 0.90 when they give near ones up for far ones. */
const RECALL_NARROW_MIN = 0.94;

const core = new Core();
const kernels = core.exports;
const scratch = new Scratch(core, 1 << 22);
const floats = core.reserve(1 << 16);
const queryAt = core.reserve(1 << 16);
const out = core.reserve(1 << 16);

type Vectors = readonly (readonly number[] | Float32Array)[];

function writeRows(vectors: Vectors, kind = VECTOR_CODES): GraphRows {
  const dimensions = vectors[0]?.length ?? 1;
  const bytes = kernels.vectorRowBytes(kind, dimensions);
  const rows = core.reserve(vectors.length * bytes + 64);
  vectors.forEach((vector, item) => {
    new Float32Array(core.memory.buffer, floats, dimensions).set(vector);
    kernels.vectorRows(kind, floats, 1, dimensions, rows + item * bytes);
  });
  return { kind, dimensions, rows, items: vectors.length };
}

function askFor({ kind, dimensions }: GraphRows, vector: readonly number[] | Float32Array): void {
  new Float32Array(core.memory.buffer, floats, dimensions).set(vector);
  kernels.vectorQuery(kind, floats, dimensions, queryAt);
}

/** A graph that stays, and its bytes. */
function build(
  rows: GraphRows,
  options: GraphOptions = { width: BUILD_WIDTH },
  old?: ConstructorParameters<typeof GraphBuilder>[3],
) {
  const builder = new GraphBuilder(core, rows, options, old);
  while (builder.step());
  const { pointer, bytes } = builder.finish();
  const graph = core.reserve(bytes);
  core.copy(graph, pointer, bytes);
  builder.free();
  assert.equal(kernels.graphCheck(graph, bytes, rows.items), 1);
  return { graph, bytes };
}

function writeSet(set: readonly number[], items: number): number {
  const at = core.reserve(8 * bitmapWords(items));
  core.write(at, bitmapBytes(set, bitmapWords(items)));
  return at;
}

function exact(rows: GraphRows, allowed: number, most = MOST): number[] {
  const found = kernels.vectorScan(
    rows.kind,
    rows.rows,
    0,
    rows.items,
    rows.dimensions,
    queryAt,
    allowed,
    out,
    0,
    most,
  );
  kernels.nearestSort(out, found);
  return readNearest(core, out, found).map(({ item }) => item);
}

function walk(rows: GraphRows, graph: number, allowed: number, width: number, most = MOST) {
  scratch.reset();
  const room = scratch.alloc(kernels.graphScratchBytes(rows.items, width));
  const { kind, dimensions } = rows;
  const found = kernels.graphNearest(
    graph,
    kind,
    rows.rows,
    dimensions,
    queryAt,
    allowed,
    width,
    room,
    out,
    most,
  );
  return readNearest(core, out, found);
}

/** Part of what exact searches find that walks find, too. */
function recallOf(rows: GraphRows, graph: number, allowed: number, width: number): number {
  let wanted = 0;
  let hits = 0;
  for (const query of queriesOf(rows.dimensions)) {
    askFor(rows, query);
    const truth = new Set(exact(rows, allowed));
    wanted += truth.size;
    hits += walk(rows, graph, allowed, width).filter(({ item }) => truth.has(item)).length;
  }
  return hits / wanted;
}

/** Of the same clusters as the items, but not among them. */
function queriesOf(dimensions: number): Float32Array[] {
  return clusteredVectors(ITEMS + QUERIES, dimensions, 7).slice(ITEMS);
}

const vectors = clusteredVectors(ITEMS, DIMENSIONS, 7);
const everything = writeRows(vectors);
const whole = build(everything);

function randomSet(part: number, seed: number): number[] {
  const random = randomOf(seed);
  return Array.from({ length: ITEMS }, (_, item) => item).filter(() => random() < part);
}

test("a walk finds nearly all of the nearest", () => {
  const recall = recallOf(everything, whole.graph, 0, 64);
  assert.ok(recall >= RECALL_MIN, `${recall}`);
});

test("a narrow walk keeps the nearest that it meets", () => {
  const recall = recallOf(everything, whole.graph, 0, MOST);
  assert.ok(recall >= RECALL_NARROW_MIN, `${recall}`);
});

test("so does one over bits", () => {
  const rows = writeRows(clusteredVectors(ITEMS, 256, 7), VECTOR_BITS);
  const recall = recallOf(rows, build(rows).graph, 0, 100);
  // Many are equally far away, so that others than the first ones of them may be found.
  assert.ok(recall >= 0.8, `${recall}`);
});

test("a wider walk finds nearly all of the nearest allowed ones", () => {
  for (const [part, width] of [
    [0.9, 80],
    [0.5, 130],
    [0.2, 320],
  ]) {
    const allowed = writeSet(randomSet(part, 3), ITEMS);
    const recall = recallOf(everything, whole.graph, allowed, width);
    assert.ok(recall >= RECALL_MIN, `${recall} of ${part}`);
  }
});

test("whatever the filter, searches find as many as are allowed, nearly always the nearest", () => {
  const [first] = queriesOf(DIMENSIONS);
  askFor(everything, first);
  const byDistance = exact(everything, 0, ITEMS);
  const sets = [0.5, 0.1, 0.01, 0.001].map((part) => randomSet(part, 5));
  // The far half, and the farthest few: nothing near the query is allowed.
  sets.push(byDistance.slice(ITEMS / 2), byDistance.slice(-20), byDistance.slice(0, 7), []);
  for (const set of sets) {
    const allowed = writeSet(set, ITEMS);
    scratch.reset();
    const request = { query: queryAt, most: MOST, width: 64, allowed, allowedCount: set.length };
    const found = findNearest(scratch, { ...everything, graph: whole.graph }, request, out);
    const items = readNearest(core, out, found).map(({ item }) => item);
    const truth = exact(everything, allowed);
    assert.equal(items.length, truth.length);
    const hits = items.filter((item) => truth.includes(item)).length;
    assert.ok(hits >= truth.length - 2, `${hits} of ${truth.length} among ${set.length}`);
  }
});

test("items that are not allowed are never found", () => {
  const allowed = writeSet(randomSet(0.6, 11), ITEMS);
  const living = new Set(randomSet(0.6, 11));
  for (const query of queriesOf(DIMENSIONS).slice(0, 20)) {
    askFor(everything, query);
    for (const { item } of walk(everything, whole.graph, allowed, 50)) assert.ok(living.has(item));
  }
});

test("the same rows give the same bytes", () => {
  const again = build(everything);
  assert.equal(again.bytes, whole.bytes);
  assert.deepEqual(core.read(again.graph, again.bytes), core.read(whole.graph, whole.bytes));
});

test("a graph that several threads build is as good", () => {
  const several = build(everything, { width: BUILD_WIDTH, threads: 3 });
  const recall = recallOf(everything, several.graph, 0, 64);
  assert.ok(recall >= RECALL_MIN, `${recall}`);
  // Every item is a node that walks can reach.
  assert.equal(core.view.getUint32(several.graph + GRAPH_NODES_AT, true), ITEMS);
  for (const query of vectors.slice(0, 200)) {
    askFor(everything, query);
    const [nearest] = walk(everything, several.graph, 0, 64, 1);
    assert.equal(nearest.item, exact(everything, 0, 1)[0]);
  }
});

test("a graph that is given up leaves its memory to others at once", () => {
  const builder = new GraphBuilder(core, everything, { width: BUILD_WIDTH, threads: 3 });
  for (let i = 0; i < 12; i++) assert.ok(builder.step());
  builder.free();
  // The next one lies in the same place.
  const next = build(everything, { width: BUILD_WIDTH, threads: 3 });
  assert.ok(recallOf(everything, next.graph, 0, 64) >= RECALL_MIN);
});

test("a merge takes a graph over, without what is gone, and inserts the rest", () => {
  const oldCount = 4000;
  const old = build(writeRows(vectors.slice(0, oldCount)));
  const random = randomOf(21);
  const alive = vectors.map((_, item) => item >= oldCount || random() < 0.85);
  // Old and new items take turns in the new numbers.
  const order = vectors.map((_, item) => item).filter((item) => alive[item]);
  order.sort((a, b) => (a % oldCount) - (b % oldCount) || a - b);
  const remap = core.reserve(4 * oldCount);
  core.u32.fill(NO_ITEM, remap >> 2, (remap >> 2) + oldCount);
  order.forEach((item, number) => {
    if (item < oldCount) core.u32[(remap >> 2) + item] = number;
  });
  const rows = writeRows(order.map((item) => vectors[item]));
  const merged = build(rows, undefined, { address: old.graph, items: oldCount, remap });
  const recall = recallOf(rows, merged.graph, 0, 64);
  assert.ok(recall >= RECALL_MIN, `${recall}`);
  const fresh = recallOf(rows, build(rows).graph, 0, 64);
  assert.ok(recall >= fresh - 0.03, `${recall} after a merge, ${fresh} when built anew`);
});

test("a graph of which nothing is left is as good as none", () => {
  const old = build(writeRows(vectors.slice(0, 500)));
  const remap = core.reserve(4 * 500);
  core.u32.fill(NO_ITEM, remap >> 2, (remap >> 2) + 500);
  const rows = writeRows(vectors.slice(500, 1500));
  const { graph } = build(rows, undefined, { address: old.graph, items: 500, remap });
  assert.ok(recallOf(rows, graph, 0, 64) >= RECALL_MIN);
});

test("equal vectors are all found, each with its own permission, also after a merge", () => {
  const twins = [5, 700, 701, 702, 1500, 1999];
  const many = vectors.slice(0, 2000).map((vector, item) => (twins.includes(item) ? vectors[5] : vector));
  const rows = writeRows(many);
  const { graph } = build(rows);
  askFor(rows, vectors[5]);
  const found = walk(rows, graph, 0, 20, 6).map(({ item }) => item);
  assert.deepEqual(found, twins);
  const allowed = writeSet([701, 1999, 3], 2000);
  const some = walk(rows, graph, allowed, 20, 2).map(({ item }) => item);
  assert.deepEqual(some, [701, 1999]);
  // The first of them goes: another one takes its place.
  const remap = core.reserve(4 * 2000);
  for (let item = 0; item < 2000; item++) core.u32[(remap >> 2) + item] = item > 5 ? item - 1 : item;
  core.u32[(remap >> 2) + 5] = NO_ITEM;
  const left = writeRows(many.filter((_, item) => item !== 5));
  const merged = build(left, {}, { address: graph, items: 2000, remap });
  const after = walk(left, merged.graph, 0, 20, 5).map(({ item }) => item);
  assert.deepEqual(after, [699, 700, 701, 1499, 1998]);
});

test("any small set of vectors is found whole: zeros, twins, one dimension, one item, none", () => {
  const component = fc.integer({ min: -2, max: 2 });
  const sets = fc
    .integer({ min: 1, max: 5 })
    .chain((length) =>
      fc.array(fc.array(component, { minLength: length, maxLength: length }), { maxLength: 60 }),
    );
  fc.assert(
    fc.property(sets, fc.constantFrom(VECTOR_CODES, VECTOR_BITS), (set, kind) => {
      const rows = writeRows(set, kind);
      const { graph } = build(rows, { links: 4, width: 20 });
      for (const vector of set.slice(0, 5)) {
        askFor(rows, vector);
        const request = { query: queryAt, most: 70, width: 70, allowed: 0, allowedCount: 0 };
        scratch.reset();
        const found = findNearest(scratch, { ...rows, graph }, request, out);
        assert.deepEqual(
          readNearest(core, out, found).map(({ item }) => item),
          exact(rows, 0, 70),
        );
        const walked = walk(rows, graph, 0, 70, 70);
        assert.equal(new Set(walked.map(({ item }) => item)).size, walked.length);
      }
    }),
  );
});

test("every item is linked to different others, as many as have room", () => {
  const count = 1500;
  const { graph } = build(writeRows(vectors.slice(0, count)));
  const links = core.u32[(graph + GRAPH_LINKS_AT) / 4];
  let most = 0;
  for (let item = 0; item < count; item++) {
    const record = (graph + HEADER_BYTES) / 4 + 2 * links * item;
    const own = core.u32[record];
    assert.ok(own > 0 && own <= 2 * links - 2, `${own} links of ${item}`);
    const others = new Set(core.u32.subarray(record + 2, record + 2 + own));
    assert.ok(others.size === own && !others.has(item) && [...others].every((other) => other < count));
    most = Math.max(most, own);
  }
  assert.equal(most, 2 * links - 2);
});

test("a damaged chain of twins has an end", () => {
  const count = 50;
  const rows = writeRows(vectors.slice(0, count));
  const { graph, bytes } = build(rows);
  const recordBytes = 8 * core.u32[(graph + GRAPH_LINKS_AT) / 4];
  for (const next of [0, 1, 5, count - 1]) {
    const copy = core.reserve(bytes);
    core.copy(copy, graph, bytes);
    // Every node leads to the same twin, and so does that one.
    for (let item = 0; item < count; item++)
      core.u32[(copy + HEADER_BYTES + item * recordBytes) / 4 + 1] = next + 1;
    assert.equal(kernels.graphCheck(copy, bytes, count), 1);
    askFor(rows, vectors[0]);
    const found = walk(rows, copy, 0, count, count).map(({ item }) => item);
    assert.ok(found.length > 0 && found.every((item) => item < count));
  }
});

test("damaged bytes are refused, or searched to an end without leaving their place", () => {
  const count = 300;
  const rows = writeRows(vectors.slice(0, count));
  const { graph, bytes } = build(rows);
  const room = core.reserve(bytes);
  const allowed = writeSet([1, 17, 100, 101, 250], count);
  // The rows, or the graph, end with the memory, where a read outside is a trap.
  const rowsBytes = count * kernels.vectorRowBytes(VECTOR_CODES, DIMENSIONS);
  const last = { ...rows, rows: core.memory.buffer.byteLength - rowsBytes };
  const change = fc.record({ at: fc.nat(bytes / 4 - 1), value: fc.oneof(fc.nat(400), fc.nat(2 ** 32 - 1)) });
  const changesOf = fc.array(change, { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(changesOf, fc.boolean(), fc.boolean(), (changes, isHeader, isGraphLast) => {
      const copy = isGraphLast ? core.memory.buffer.byteLength - bytes : room;
      core.copy(copy, graph, bytes);
      for (const { at, value } of changes) core.u32[(copy >> 2) + (isHeader ? at % 16 : at)] = value;
      if (!kernels.graphCheck(copy, bytes, count)) return;
      if (!isGraphLast) core.copy(last.rows, rows.rows, rowsBytes);
      askFor(rows, vectors[0]);
      for (const set of [0, allowed]) {
        for (const { item, distance } of walk(isGraphLast ? rows : last, copy, set, 30)) {
          assert.ok(item < count && distance >= 0 && distance <= 1);
        }
      }
    }),
    { numRuns: 1000 },
  );
  assert.equal(kernels.graphCheck(graph, bytes - 4, count), 0);
  assert.equal(kernels.graphCheck(graph, bytes, count + 1), 0);
  assert.equal(kernels.graphCheck(graph, 8, count), 0);
  for (const [at, value] of [
    [GRAPH_NODES_AT, count + 1],
    [GRAPH_LAYERS_AT, 9],
    [GRAPH_ENTRY_AT, core.u32[(graph + GRAPH_COUNTS_AT) / 4 + core.u32[(graph + GRAPH_LAYERS_AT) / 4] - 1]],
  ]) {
    core.copy(room, graph, bytes);
    core.u32[(room + at) / 4] = value;
    assert.equal(kernels.graphCheck(room, bytes, count), 0);
  }
});
