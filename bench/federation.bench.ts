// What does merging cost? The same text is searched in several indexes, one after the other and as one
// federated search; the latter is compared with the slowest of them alone. A single set is split into five
// indexes; of several sets each is an index.
//
//   npm run bench:federation -- [--sets npm | --sets movies,geonames,debian,npm,pypi]
import { type Dataset, datasetNames, linesOf, loadDataset } from "./datasets.ts";
import { makeQueries, type QueryClass } from "./queries.ts";
import { anew } from "./questions.ts";
import { benchOptions, printTable, quantile, ratio } from "./report.ts";
import { type BenchServer, startServer } from "./server.ts";

const PARTS = 5;
const QUERIES_PER_CLASS = 60;
/** How often each query runs before it counts: code and data are then loaded, as in a server in use. */
const ROUNDS_BEFORE = 6;

const options = benchOptions([datasetNames().includes("npm") ? "npm" : "cities"], []);
const sets = options.sets.map(loadDataset);
const server = await startServer();
try {
  const uids = sets.length === 1 ? await addParts(sets[0]) : await addSets();
  for (let round = 0; round < ROUNDS_BEFORE; round++) await measureAll(uids);
  const rows = await measureAll(uids);
  const counts = sets.map(({ label, count }) => `${label} ${count}`).join(", ");
  console.log(`${counts} documents in ${uids.length} indexes`);
  printTable(["class", "slowest alone, p50", "federated, p50", "ratio"], rows);
} finally {
  await server.stop();
}

async function addParts(set: Dataset): Promise<string[]> {
  const uids = Array.from({ length: PARTS }, (_, i) => `part${i}`);
  for (const [i, uid] of uids.entries()) {
    await addIndex(uid, set, linesOf(set.documents.filter((_, at) => at % PARTS === i)));
  }
  return uids;
}

async function addSets(): Promise<string[]> {
  for (const set of sets) await addIndex(set.name, set, set.lines);
  return sets.map(({ name }) => name);
}

async function addIndex(uid: string, { fields, primaryKey }: Dataset, lines: Buffer): Promise<void> {
  const settings = { searchableAttributes: fields };
  await server.wait(await server.ask("PATCH", `/indexes/${uid}/settings`, settings));
  await server.addLines(uid, lines, primaryKey);
}

async function measureAll(uids: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { name, queries } of queryClasses()) {
    const times: { slowest: number; merged: number }[] = [];
    for (const q of queries) times.push(await measure(server, uids, q));
    const [slowest, merged] = (["slowest", "merged"] as const).map((which) =>
      quantile(
        times.map((time) => time[which]),
        0.5,
      ),
    );
    rows.push([name, `${slowest.toFixed(2)} ms`, `${merged.toFixed(2)} ms`, ratio(merged, slowest)]);
  }
  return rows;
}

/** The classes of queries, with queries from every set. */
function queryClasses(): QueryClass[] {
  const perSet = sets.map((set) => makeQueries(set, Math.ceil(QUERIES_PER_CLASS / sets.length)));
  return perSet[0].map(({ name }, at) => ({
    name,
    queries: perSet.flatMap((classes) => classes[at].queries),
  }));
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
