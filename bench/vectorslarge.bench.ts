// Many wide vectors in little memory: how much memory does a server take that indexes and searches them, how
// fast is it, and what does it find? The vectors are random projections of those of the vector benchmark,
// with some noise.
//
//   npm run bench:vectors-large -- [--count 200000] [--dimensions 768] [--memory 512MiB]
import { randomOf } from "../test/twins/clusters.ts";
import { readArguments } from "./arguments.ts";
import { printTable, quantile } from "./report.ts";
import { startServer } from "./server.ts";
import { exactNearest, loadVectorSet, NEAREST_LEN, unit, type VectorSet, vectorOf } from "./vectorset.ts";

const DOCUMENTS_LEN = 4000;
const QUERIES_LEN = 50;
const ROUNDS = 4;
const NOISE = 0.15;
const DIGITS = 4;

const values = readArguments({
  count: { type: "string", default: "200000", about: "number of vectors" },
  dimensions: { type: "string", default: "768", about: "numbers in each" },
  memory: { type: "string", default: "512MiB", about: "memory for searches" },
});
const count = Number(values.count);
const dimensions = Number(values.dimensions);
const set = project(loadVectorSet());
const server = await startServer({ options: ["--max-search-memory", values.memory] });
try {
  let largest = 0;
  const watch = setInterval(() => {
    largest = Math.max(largest, server.memory());
  }, 100);
  const begin = performance.now();
  const embedders = { e: { source: "userProvided", dimensions } };
  await server.wait(await server.ask("PATCH", "/indexes/large/settings", { embedders }));
  for (let from = 0; from < count; from += DOCUMENTS_LEN) {
    const length = Math.min(DOCUMENTS_LEN, count - from);
    const part = Array.from({ length }, (_, i) => ({ id: from + i, _vectors: { e: shortened(from + i) } }));
    await server.addDocuments("large", part);
  }
  await server.wait(await server.ask("POST", "/indexes/large/compact"));
  const indexed = (performance.now() - begin) / 1000;
  const whileIndexing = largest;
  const indexingMs = server.processorMs();
  largest = 0;
  const times: number[] = [];
  let hits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, query] of set.queries.entries()) {
      const hybrid = { embedder: "e", semanticRatio: 1 };
      const from = performance.now();
      const body = { vector: Array.from(query), hybrid, limit: NEAREST_LEN };
      const answer = await server.ask("POST", "/indexes/large/search", body);
      times.push(performance.now() - from);
      const found = (answer.hits as { id: number }[]).map(({ id }) => id);
      if (round === 0) hits += found.filter((id) => set.nearest[i].includes(id)).length;
    }
  }
  clearInterval(watch);
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  printTable(
    ["", ""],
    [
      ["vectors", `${count} x ${dimensions}`],
      ["indexed in", `${indexed.toFixed(0)} s, ${(indexingMs / 1000).toFixed(0)} s of processor time`],
      ["resident while indexing", mebibytes(whileIndexing)],
      ["resident while searching", mebibytes(largest)],
      ["recall@10", (hits / (NEAREST_LEN * set.queries.length)).toFixed(3)],
      ["p50, p95, first", [quantile(times, 0.5), quantile(times, 0.95), times[0]].map(ms).join(", ")],
      ["processor time a search", ms((server.processorMs() - indexingMs) / times.length)],
    ],
  );
} finally {
  await server.stop();
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`;
}

/** A vector as it is written in JSON. */
function shortened(item: number): number[] {
  return Array.from(vectorOf(set, item), (value) => Number(value.toFixed(DIGITS)));
}

function project(source: VectorSet): VectorSet {
  const random = randomOf(7);
  const matrix = Float32Array.from({ length: dimensions * source.dimensions }, () => random() - 0.5);
  const spread = (vector: Float32Array, noise: number) =>
    unit(
      Float32Array.from({ length: dimensions }, (_, row) => {
        let sum = noise * (random() - 0.5);
        const at = row * source.dimensions;
        for (let i = 0; i < vector.length; i++) sum += matrix[at + i] * vector[i];
        return sum;
      }),
    );
  const vectors = new Float32Array(count * dimensions);
  for (let item = 0; item < count; item++) {
    const projected = spread(vectorOf(source, item % source.count), NOISE);
    vectors.set(
      projected.map((value) => Number(value.toFixed(DIGITS))),
      item * dimensions,
    );
  }
  const queries = source.queries.slice(0, QUERIES_LEN).map((query) => spread(query, NOISE));
  const projected = { ...source, name: "projected", dimensions, count, vectors, queries };
  return { ...projected, nearest: queries.map((query) => exactNearest(projected, query)) };
}
