// How long does a server take from its start to the first answer of a search? Runs what is shipped
// (build/cli.js), each time as a new process, on a fresh database of a set or on a folder that is given.
//
//   npm run bench:start -- [--sets cities] [--runs 7]
//   npm run bench:start -- --folder data.tarsier --index INDEX [--query WORDS]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadDataset } from "./datasets.ts";
import { printTable, quantile } from "./report.ts";
import { startServer } from "./server.ts";

const RUNS_DEFAULT = 7;

const { values } = parseArgs({
  options: {
    sets: { type: "string", default: "cities" },
    runs: { type: "string", default: `${RUNS_DEFAULT}` },
    folder: { type: "string" },
    index: { type: "string" },
    query: { type: "string", default: "new" },
  },
});

const rows: string[][] = [];
if (values.folder !== undefined) {
  rows.push(await measure(values.folder, values.index ?? "", values.query));
} else {
  for (const set of values.sets.split(",")) {
    const folder = await mkdtemp(join(tmpdir(), "tarsier-start-"));
    try {
      const server = await startServer(folder);
      await server.addDocuments(set, loadDataset(set).documents);
      await server.stop();
      rows.push(await measure(folder, set, values.query));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
printTable(["index", "documents found", "health, median", "search, median", "least", "most"], rows);

/** One row: milliseconds from the start of the process to the answers of /health and of a search. */
async function measure(folder: string, index: string, q: string): Promise<string[]> {
  const health: number[] = [];
  const search: number[] = [];
  let found: unknown;
  for (let run = 0; run < Number(values.runs); run++) {
    const begin = performance.now();
    const server = await startServer(folder);
    try {
      health.push(performance.now() - begin);
      const answer = await server.ask("POST", `/indexes/${index}/search`, { q });
      search.push(performance.now() - begin);
      if (answer.hits === undefined) throw new Error(`no search: ${JSON.stringify(answer)}`);
      found = answer.estimatedTotalHits;
    } finally {
      await server.stop();
    }
  }
  const shown = (values: readonly number[], q: number) => `${Math.round(quantile(values, q))} ms`;
  return [index, `${found}`, shown(health, 0.5), shown(search, 0.5), shown(search, 0), shown(search, 1)];
}
