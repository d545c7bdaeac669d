// What do very many tiny tasks cost? They are sent over HTTP, each acknowledged once it is durable; then the
// list of tasks is read with filters, and the server is killed and restarted.
//
//   npm run bench:tasks -- [--tasks 100000] [--connections 64]
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loadAutocannon } from "../test/load/autocannon.ts";
import { readArguments } from "./arguments.ts";
import { temporaryFolder } from "./cleanup.ts";
import { printTable, quantile } from "./report.ts";
import { type BenchServer, startServer } from "./server.ts";

const LISTINGS = 200;
const CALM_MS = 500;
const REST_MS_MAX = 60_000;
const IDLE_POLL_MS = 100;

const values = readArguments({
  tasks: { type: "string", default: "100000", about: "number of tasks" },
  connections: { type: "string", default: "64", about: "connections that send them" },
});
const tasks = Number(values.tasks);
const rows: string[][] = [];
const temporary = temporaryFolder();
const folder = join(temporary.path, "db");
try {
  const server = await startServer({ folder });
  // The first task loads code and data that stay in memory.
  await server.addLines("tiny", Buffer.from('{"id":0}\n'), "id");
  const before = server.memory();
  const autocannon = await loadAutocannon();
  const added = await autocannon({
    url: server.url,
    connections: Number(values.connections),
    amount: tasks,
    requests: tinyTasks(),
  });
  if (added.non2xx + added.errors > 0) throw new Error(`${added.non2xx + added.errors} were not taken`);
  row("acknowledged a second", Math.round(tasks / added.duration), 3000);
  const loaded = server.memory();
  const right = await timeListings(server);
  await untilEnded(server);
  await server.rest(CALM_MS, REST_MS_MAX);
  row("growth of the memory, MB", Math.round((Math.max(loaded, server.memory()) - before) / 1e6), 200);
  row("GET /tasks with filters right after, p95 in ms", quantile(right, 0.95).toFixed(1), 10);
  row("the same once all have ended", quantile(await timeListings(server), 0.95).toFixed(1), 10);
  await server.stop("SIGKILL");
  const start = performance.now();
  const again = await startServer({ folder });
  row("restart after kill -9, s", ((performance.now() - start) / 1000).toFixed(2), 2);
  const { total } = await again.ask("GET", "/tasks?limit=1");
  if (total !== tasks + 1) throw new Error(`${total} tasks are left`);
  await again.stop();
} finally {
  temporary.remove();
}
printTable([`${tasks} tasks, ${values.connections} connections`, "measured", "target"], rows);

function row(name: string, measured: number | string, target: number): void {
  rows.push([name, String(measured), String(target)]);
}

function tinyTasks() {
  const headers = { "content-type": "application/json" };
  return Array.from({ length: 1000 }, (_, id) => ({
    method: "POST",
    path: "/indexes/tiny/documents",
    headers,
    body: JSON.stringify([{ id, text: "tiny" }]),
  }));
}

/** Milliseconds of each listing. */
async function timeListings(server: BenchServer): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < LISTINGS; turn++) {
    const statuses = ["succeeded", "enqueued,processing", "failed"][turn % 3];
    const filters = `statuses=${statuses}&types=documentAdditionOrUpdate&indexUids=tiny&from=${turn * 400}`;
    const start = performance.now();
    await server.send("GET", `/tasks?${filters}`, Buffer.alloc(0), "application/json");
    times.push(performance.now() - start);
  }
  return times;
}

async function untilEnded(server: BenchServer): Promise<void> {
  while ((await server.ask("GET", "/tasks?statuses=enqueued,processing&limit=1")).total !== 0) {
    await pause(IDLE_POLL_MS);
  }
}
