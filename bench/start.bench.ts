// How long does a server take from its start to the first answer of a search? Runs what is shipped
// (build/cli.js), each time as a new process, on a new database of a set or on a given folder.
//
//   npm run bench:start -- [--sets cities] [--runs 7]
//   npm run bench:start -- --folder data.tarsier --index INDEX [--query WORDS]
import { join } from "node:path";
import { readArguments } from "./arguments.ts";
import { temporaryFolder } from "./cleanup.ts";
import { loadDataset } from "./datasets.ts";
import { timeStarts } from "./parts/startup.ts";
import { printTable, quantile } from "./report.ts";
import { startServer } from "./server.ts";

const RUNS_DEFAULT = 7;

const values = readArguments({
  sets: { type: "string", default: "cities", about: "sets, with commas between them" },
  runs: { type: "string", default: `${RUNS_DEFAULT}`, about: "starts of each" },
  folder: { type: "string", about: "a data folder instead of a set" },
  index: { type: "string", about: "its index" },
  query: { type: "string", default: "new", about: "words that are searched" },
});

const rows: string[][] = [];
if (values.folder !== undefined) {
  rows.push(await measure(values.folder, values.index ?? ""));
} else {
  for (const set of values.sets.split(",")) {
    const { name, lines, primaryKey } = loadDataset(set);
    const temporary = temporaryFolder();
    const folder = join(temporary.path, "db");
    try {
      const server = await startServer({ folder });
      await server.addLines(name, lines, primaryKey);
      await server.stop();
      rows.push(await measure(folder, name));
    } finally {
      temporary.remove();
    }
  }
}
printTable(["index", "documents found", "health, median", "search, median", "least", "most"], rows);

/** One row: milliseconds from the start of the process to the answers of /health and of a search. */
async function measure(folder: string, index: string): Promise<string[]> {
  const { health, search, answer } = await timeStarts(
    { folder },
    index,
    { q: values.query },
    Number(values.runs),
  );
  const shown = (times: readonly number[], q: number) => `${Math.round(quantile(times, q))} ms`;
  return [
    index,
    `${answer.estimatedTotalHits}`,
    shown(health, 0.5),
    shown(search, 0.5),
    shown(search, 0),
    shown(search, 1),
  ];
}
