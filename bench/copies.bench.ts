// What do copies cost? A dump of one set and its import; then snapshots of another set while a client
// searches, compared with an equal time without them.
//
//   npm run bench:copies -- [--dump debian] [--snapshot pypi] [--runs 5]
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./arguments.ts";
import { temporaryFolder } from "./cleanup.ts";
import { BenchClient } from "./client.ts";
import { loadDataset } from "./datasets.ts";
import { timeOf, timesDuring } from "./parts/searching.ts";
import { pageOf, questionsAbout } from "./questions.ts";
import { printTable, quantile } from "./report.ts";
import { startServer } from "./server.ts";

const QUESTIONS_PER_CLASS = 200;
/** Until code is compiled for speed, searches are slower for another reason. */
const WARMING_ROUNDS = 3;
const CALM_MS = 500;
const REST_MS_MAX = 60_000;

const values = readArguments({
  dump: { type: "string", default: "debian", about: "set that is dumped and imported" },
  snapshot: { type: "string", default: "pypi", about: "set that is searched while snapshots are taken" },
  runs: { type: "string", default: "5", about: "snapshots" },
});
const rows: string[][] = [];
const temporary = temporaryFolder();
try {
  await measureDump(temporary.path);
  await measureSnapshots(temporary.path);
} finally {
  temporary.remove();
}
printTable(["copies", "measured", "target"], rows);

async function measureDump(folder: string): Promise<void> {
  const { name, lines, primaryKey } = loadDataset(values.dump);
  const dumps = join(folder, "dumps");
  const server = await startServer({ folder: join(folder, "dumped"), options: ["--dump-dir", dumps] });
  await server.addLines(name, lines, primaryKey);
  await server.rest(CALM_MS, REST_MS_MAX);
  const dumping = performance.now();
  await server.wait(await server.ask("POST", "/dumps"));
  row(`dump of ${name}, s`, seconds(dumping), 10);
  await server.stop();
  const [dump] = readdirSync(dumps).filter((file) => file.endsWith(".dump"));
  const importing = performance.now();
  const again = await startServer({
    folder: join(folder, "imported"),
    options: ["--import-dump", join(dumps, dump)],
  });
  row(`import of it, s`, seconds(importing), 10);
  await again.stop();
}

async function measureSnapshots(folder: string): Promise<void> {
  const dataset = loadDataset(values.snapshot);
  const { settings, classes } = questionsAbout(dataset, QUESTIONS_PER_CLASS);
  const bodies = classes.flatMap(({ questions }) => questions.map((question) => pageOf(question, dataset)));
  const options = ["--snapshot-dir", join(folder, "snapshots")];
  const server = await startServer({ folder: join(folder, "snapped"), options });
  await server.wait(await server.ask("PATCH", `/indexes/${dataset.name}/settings`, settings));
  await server.addLines(dataset.name, dataset.lines, dataset.primaryKey);
  await server.rest(CALM_MS, REST_MS_MAX);
  const client = new BenchClient(server.url);
  for (let round = 0; round < WARMING_ROUNDS; round++)
    for (const body of bodies) await timeOf(client, dataset, body);
  const [times, alone, beside]: number[][] = [[], [], []];
  for (let run = 0; run < Number(values.runs); run++) {
    const start = performance.now();
    const snapshot = server.ask("POST", "/snapshots").then((task) => server.wait(task));
    beside.push(...(await timesDuring(snapshot, client, dataset, bodies)));
    times.push((performance.now() - start) / 1000);
    const pause = new Promise((resolve) => setTimeout(resolve, times[run] * 1000));
    alone.push(...(await timesDuring(pause, client, dataset, bodies)));
  }
  client.close();
  await server.stop();
  row(`snapshot of ${dataset.name}, median, s`, quantile(times, 0.5).toFixed(2), 2);
  const shown = (list: number[]) => [0.5, 0.95, 0.99].map((q) => quantile(list, q).toFixed(1)).join(" / ");
  row("searches without it, p50 / p95 / p99, ms", shown(alone), "");
  row("searches beside it", shown(beside), "");
  row("p95, times as long", (quantile(beside, 0.95) / quantile(alone, 0.95)).toFixed(2), 2);
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(2);
}

function row(name: string, measured: string, target: number | string): void {
  rows.push([name, measured, String(target)]);
}
