// The bytes of a graph over vectors: what its layers say of each other is true, also after merges that lose
// items, and whatever a damaged graph says, neither a walk nor a merge leaves its place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Core } from "../../src/core/core.ts";
import { Scratch } from "../../src/core/scratch.ts";
import { type GraphRows, NO_ITEM } from "../../src/core/vectorgraph.ts";
import { readNearest, VECTOR_CODES } from "../../src/core/vectors.ts";
import { GraphBuilder } from "../../src/segment/vectorgraphbuilder.ts";
import { clusteredVectors, randomOf } from "../twins/clusters.ts";

const ITEMS = 1500;
const DIMENSIONS = 8;
/** Few, so that there are several layers. */
const LINKS = 4;
const WIDTH = 24;
const HEADER_BYTES = 64;
const LAYERS_MAX = 8;
const TWIN = 0x80000000;

const core = new Core();
const kernels = core.exports;
const scratch = new Scratch(core, 1 << 20);
const [floats, queryAt, out] = [core.reserve(1 << 12), core.reserve(1 << 12), core.reserve(1 << 12)];
const vectors = clusteredVectors(ITEMS, DIMENSIONS, 3);

function writeRows(some: readonly Float32Array[]): GraphRows {
  const bytes = kernels.vectorRowBytes(VECTOR_CODES, DIMENSIONS);
  const rows = core.reserve(some.length * bytes + 64);
  some.forEach((vector, item) => {
    new Float32Array(core.memory.buffer, floats, DIMENSIONS).set(vector);
    kernels.vectorRows(VECTOR_CODES, floats, 1, DIMENSIONS, rows + item * bytes);
  });
  return { kind: VECTOR_CODES, dimensions: DIMENSIONS, rows, items: some.length };
}

/** The words of a new graph. */
function build(rows: GraphRows, old?: ConstructorParameters<typeof GraphBuilder>[3]): Uint32Array {
  const builder = new GraphBuilder(core, rows, { links: LINKS, width: WIDTH }, old);
  while (builder.step());
  const { pointer, bytes } = builder.finish();
  const words = core.u32.slice(pointer / 4, (pointer + bytes) / 4);
  builder.free();
  return words;
}

interface Layer {
  count: number;
  start: number;
  words: number;
  most: number;
}

/** Where the records of each layer are, in words. */
function layersOf(graph: Uint32Array): Layer[] {
  const base = { count: graph[1], start: HEADER_BYTES / 4, words: 2 * LINKS, most: 2 * LINKS - 2 };
  const layers: Layer[] = [base];
  for (let number = 1; number <= LAYERS_MAX; number++) {
    const { start, count, words } = layers[number - 1];
    layers.push({ count: graph[7 + number], start: start + count * words, words: LINKS + 3, most: LINKS });
  }
  return layers;
}

/** The item of a node. */
const itemIn = (graph: Uint32Array, { start, words }: Layer, layer: number, node: number) =>
  layer ? graph[start + node * words + words - 1] : node;

function assertSound(graph: Uint32Array, items: number): void {
  const layers = layersOf(graph);
  assert.equal(graph[1], items);
  layers.forEach((own, layer) => {
    for (let node = 0; node < own.count; node++) {
      const record = own.start + node * own.words;
      if (layer === 0 && graph[record] === TWIN) continue;
      const links = graph.subarray(record + 2, record + 2 + graph[record]);
      assert.ok(graph[record] <= own.most && new Set(links).size === links.length);
      assert.ok(links.every((other) => other < own.count && other !== node));
      if (layer === 0) continue;
      const item = itemIn(graph, own, layer, node);
      const below = graph[record + 1];
      assert.ok(item < items && below < layers[layer - 1].count);
      assert.equal(itemIn(graph, layers[layer - 1], layer - 1, below), item);
    }
  });
}

/** A graph of those items of another that stay, of which there are `keeps`, and of some new ones. */
function merge(old: Uint32Array, keeps: (item: number) => boolean): { graph: Uint32Array; items: number } {
  const address = core.reserve(old.length * 4 + 64);
  core.u32.set(old, address / 4);
  const kept = Array.from({ length: ITEMS }, (_, item) => item).filter(keeps);
  const remap = core.reserve(4 * ITEMS);
  core.u32.fill(NO_ITEM, remap / 4, remap / 4 + ITEMS);
  kept.forEach((item, number) => {
    core.u32[remap / 4 + item] = number;
  });
  const added = clusteredVectors(100, DIMENSIONS, 4);
  const rows = writeRows([...kept.map((item) => vectors[item]), ...added]);
  return { graph: build(rows, { address, items: ITEMS, remap }), items: rows.items };
}

const rows = writeRows(vectors);
const whole = build(rows);

test("each entry of a layer stands for its item there and in the layer below, also after merges", () => {
  assert.ok(whole[3] >= 3, `${whole[3]} layers`);
  assertSound(whole, ITEMS);
  const random = randomOf(5);
  for (const part of [0.9, 0.5, 0.02]) {
    const stays = vectors.map(() => random() < part);
    const { graph, items } = merge(whole, (item) => stays[item]);
    assertSound(graph, items);
  }
});

/** A copy in which each record of some layers is changed. */
function damaged(change: (record: Uint32Array, node: number, layer: number) => void): Uint32Array {
  const graph = whole.slice();
  layersOf(graph).forEach(({ start, count, words }, layer) => {
    for (let node = 0; node < count; node++)
      change(graph.subarray(start + node * words, start + (node + 1) * words), node, layer);
  });
  return graph;
}

const BEYOND = [ITEMS, 1 << 22, 0x7fffffff, 0xffffffff];
const damages = BEYOND.flatMap((number): [string, Uint32Array][] => [
  ["below", damaged((record, _, layer) => layer && record.fill(number, 1, 2))],
  ["below in the base", damaged((record, _, layer) => layer === 1 && record.fill(number, 1, 2))],
  ["items", damaged((record, _, layer) => layer && record.fill(number, LINKS + 2))],
  ["links", damaged((record) => record.fill(number, 2, 2 + LINKS))],
  ["numbers of links", damaged((record) => record.fill(number, 0, 1))],
]);
damages.push(["links to themselves", damaged((record, node) => record.fill(node, 2, 3))]);

test("a walk through entries that lead nowhere ends, and finds nothing but items", () => {
  const copy = core.reserve(whole.length * 4);
  new Float32Array(core.memory.buffer, floats, DIMENSIONS).set(vectors[7]);
  kernels.vectorQuery(VECTOR_CODES, floats, DIMENSIONS, queryAt);
  for (const [name, graph] of damages) {
    core.u32.set(graph, copy / 4);
    if (!kernels.graphCheck(copy, graph.length * 4, ITEMS)) continue;
    scratch.reset();
    const room = scratch.alloc(kernels.graphScratchBytes(ITEMS, WIDTH));
    const found = kernels.graphNearest(
      ...([copy, VECTOR_CODES, rows.rows, DIMENSIONS, queryAt, 0] as const),
      ...([WIDTH, room, out, 10] as const),
    );
    for (const { item } of readNearest(core, out, found)) assert.ok(item < ITEMS, name);
  }
});

test("a merge takes over nothing that a damaged graph says of nodes that there are not", () => {
  for (const [name, graph] of damages) {
    const merged = merge(graph, (item) => item % 3 > 0);
    assert.doesNotThrow(() => assertSound(merged.graph, merged.items), name);
  }
});
