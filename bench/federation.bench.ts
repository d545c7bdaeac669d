// What does merging cost? The same text is searched in five indexes, one after the other and as one federated
// search: the latter against the slowest of the five alone. Each index has a fifth of the documents.
//
//   npm run bench:federation -- [--sets cities,npm]
import { datasetNames, loadDataset } from "./datasets.ts";
import { makeQueries } from "./queries.ts";
import { anew } from "./questions.ts";
import { benchOptions, printTable, quantile, ratio } from "./report.ts";
import { type BenchServer, startServer } from "./server.ts";

const INDEXES = 5;
const QUERIES_PER_CLASS = 60;
const WARM_UP_QUERIES = 20;

const options = benchOptions([datasetNames().includes("npm") ? "npm" : "cities"], []);
for (const set of options.sets) {
  const dataset = loadDataset(set);
  const server = await startServer();
  try {
    const uids = Array.from({ length: INDEXES }, (_, i) => `part${i}`);
    for (const [i, uid] of uids.entries()) {
      const settings = { searchableAttributes: dataset.fields };
      await server.wait(await server.ask("PATCH", `/indexes/${uid}/settings`, settings));
      await server.addDocuments(
        uid,
        dataset.documents.filter((_, at) => at % INDEXES === i),
      );
    }
    const rows: string[][] = [];
    for (const { name, queries } of makeQueries(dataset, QUERIES_PER_CLASS)) {
      for (const q of queries.slice(0, WARM_UP_QUERIES)) await measure(server, uids, q);
      const times: { slowest: number; merged: number }[] = [];
      for (const q of queries) times.push(await measure(server, uids, q));
      const slowest = quantile(
        times.map((time) => time.slowest),
        0.5,
      );
      const merged = quantile(
        times.map((time) => time.merged),
        0.5,
      );
      rows.push([name, `${slowest.toFixed(2)} ms`, `${merged.toFixed(2)} ms`, ratio(merged, slowest)]);
    }
    console.log(`${set}: ${dataset.count} documents in ${INDEXES} indexes`);
    printTable(["class", "slowest alone, p50", "federated, p50", "ratio"], rows);
  } finally {
    await server.stop();
  }
}

async function measure(server: BenchServer, uids: readonly string[], q: string) {
  const timed = async (path: string, body: unknown) => {
    const start = performance.now();
    await server.ask("POST", path, body);
    return performance.now() - start;
  };
  const alone: number[] = [];
  for (const uid of uids)
    alone.push(await timed(`/indexes/${uid}/search`, anew({ q, showRankingScore: true })));
  const queries = uids.map((indexUid) => ({ indexUid, q }));
  const merged = await timed("/multi-search", { federation: {}, queries });
  return { slowest: Math.max(...alone), merged };
}
