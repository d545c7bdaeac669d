// How long does a hybrid search take over HTTP, one after the other on one connection? Documents are the
// package catalogue with its embeddings, or made-up ones. The first pass only warms the server up.
//
//   npm run bench:hybrid -- [--seconds 20]
import { loadDataset } from "./datasets.ts";
import { anew } from "./questions.ts";
import { benchOptions, printTable, quantile } from "./report.ts";
import { startServer } from "./server.ts";
import { loadVectorSet, type VectorSet, vectorOf } from "./vectorset.ts";

const WARM_COUNT = 200;
const LIMIT = 20;
const DOCUMENTS_LEN = 4000;
const EMBEDDER = "given";

const { seconds } = benchOptions([], []);
const set = loadVectorSet();
const server = await startServer();
try {
  await fill();
  const kinds = [
    { name: "words", ratio: 0 },
    { name: "hybrid", ratio: 0.5 },
    { name: "vectors", ratio: 1 },
  ];
  const rows: string[][] = [];
  for (const { name, ratio } of kinds) {
    const bodies = set.queries.map((vector, i) => bodyOf(set, vector, i, ratio));
    for (const body of bodies.slice(0, WARM_COUNT)) await search(body);
    const times: number[] = [];
    const processorBefore = server.processorMs();
    const deadline = performance.now() + (1000 * seconds) / kinds.length;
    for (let i = 0; i < bodies.length && performance.now() < deadline; i++) {
      times.push(await search(bodies[i]));
    }
    const processor = (server.processorMs() - processorBefore) / times.length;
    rows.push([
      name,
      `${times.length}`,
      ...[0.5, 0.95, 0.99].map((part) => `${quantile(times, part).toFixed(2)} ms`),
      `${processor.toFixed(2)} ms`,
    ]);
  }
  console.log(`${set.name}: ${set.count} documents, vectors of ${set.dimensions} dimensions`);
  printTable(["search", "queries", "p50", "p95", "p99", "processor"], rows);
} finally {
  await server.stop();
}

async function fill(): Promise<void> {
  const embedders = { [EMBEDDER]: { source: "userProvided", dimensions: set.dimensions } };
  const patch = { embedders, searchableAttributes: set.fields };
  await server.wait(await server.ask("PATCH", "/indexes/hybrid/settings", patch));
  const documents = set.name === "debian" ? loadDataset("debian").documents : null;
  for (let from = 0; from < set.count; from += DOCUMENTS_LEN) {
    const length = Math.min(DOCUMENTS_LEN, set.count - from);
    const part = Array.from({ length }, (_, i) => ({
      ...(documents?.[from + i] ?? { id: from + i, text: set.texts[(from + i) % set.texts.length] }),
      _vectors: { [EMBEDDER]: Array.from(vectorOf(set, from + i)) },
    }));
    await server.addDocuments("hybrid", part);
  }
  // Otherwise merges would run during the searches.
  await server.wait(await server.ask("POST", "/indexes/hybrid/compact"));
}

function bodyOf({ texts }: VectorSet, vector: Float32Array, i: number, semanticRatio: number) {
  return anew({
    q: texts[i],
    vector: Array.from(vector),
    hybrid: { embedder: EMBEDDER, semanticRatio },
    limit: LIMIT,
  });
}

/** Milliseconds from the first byte of a request to the last one of its answer. */
async function search(body: object): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(body));
  const begin = performance.now();
  const answer = await server.send("POST", "/indexes/hybrid/search", bytes, "application/json");
  const took = performance.now() - begin;
  if (!Array.isArray(JSON.parse(answer.toString()).hits)) throw new Error("a search was refused");
  return took;
}
