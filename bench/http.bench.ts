// How many searches a second does a server answer, with 1, 8 and 64 connections? The health route beside it
// shows what HTTP alone costs on this machine.
//
//   npm run bench:http -- [--sets cities] [--seconds 5]
import { datasetNames, loadDataset } from "./datasets.ts";
import { makeQueries } from "./queries.ts";
import { benchOptions, printTable, ratio } from "./report.ts";
import { startServer } from "./server.ts";

const CONNECTIONS = [1, 8, 64];
const QUERIES_PER_CLASS = 200;
const SECONDS_DEFAULT = 5;

/** The part of autocannon that is used here; it comes without types. */
type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  requests: { method: string; path: string; headers?: Record<string, string>; body?: string }[];
}) => Promise<{
  requests: { average: number };
  latency: { p50: number; p99: number };
  non2xx: number;
  errors: number;
}>;

const PACKAGE = "autocannon";
const { default: autocannon } = (await import(PACKAGE)) as { default: Autocannon };

const options = benchOptions([datasetNames().includes("npm") ? "npm" : "cities"], []);
const duration = process.argv.includes("--seconds") ? options.seconds : SECONDS_DEFAULT;
for (const set of options.sets) {
  const dataset = loadDataset(set);
  const server = await startServer();
  try {
    await server.wait(
      await server.ask("PATCH", `/indexes/${set}/settings`, { searchableAttributes: dataset.fields }),
    );
    await server.addDocuments(set, dataset.documents);
    const classes = makeQueries(dataset, QUERIES_PER_CLASS);
    const path = `/indexes/${set}/search`;
    const headers = { "content-type": "application/json" };
    const searches = (names: string[]) =>
      classes
        .filter(({ name }) => names.includes(name))
        .flatMap(({ queries }) => queries)
        .map((q) => ({ method: "POST", path, headers, body: JSON.stringify({ q }) }));
    const workloads = [
      { name: "health", requests: [{ method: "GET", path: "/health" }] },
      { name: "one word and prefix", requests: searches(["one word", "prefix"]) },
      { name: "every class", requests: searches(classes.map(({ name }) => name)) },
    ];
    const rows: string[][] = [];
    const base = new Map<number, number>();
    for (const { name, requests } of workloads) {
      for (const connections of CONNECTIONS) {
        const {
          requests: rate,
          latency,
          non2xx,
          errors,
        } = await autocannon({ url: server.url, connections, duration, requests });
        if (!base.has(connections)) base.set(connections, rate.average);
        const failures = non2xx + errors > 0 ? `${non2xx + errors} failed` : "";
        const share = ratio(rate.average, base.get(connections) ?? 0);
        rows.push([
          name,
          `${connections}`,
          `${Math.round(rate.average)}/s`,
          `${latency.p50} ms`,
          `${latency.p99} ms`,
          share,
          failures,
        ]);
      }
    }
    console.log(`${set}: ${dataset.documents.length} documents, ${duration} s a line`);
    printTable(["requests", "connections", "rate", "p50", "p99", "of health", ""], rows);
  } finally {
    await server.stop();
  }
}
