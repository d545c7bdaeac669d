// Ten times as many clients as a server has room for, and some that never finish what they say: what is
// accepted is answered about as fast as under a full load, the rest is told when to come again. Run by
// load.test.ts (seconds) and tools/overload.mjs.
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Server } from "../crash/server.ts";
import { type Autocannon, type CannonRequest, loadAutocannon } from "./autocannon.ts";
import { RssSamples } from "./rss.ts";

export interface LoadFigures {
  accepted: number;
  refused: number;
  /** Answers that are neither 200 nor 503, and connections that broke. */
  strange: number;
  /** Of the accepted. */
  p50Ms: number;
  p99Ms: number;
}

export interface OverloadReport {
  full: LoadFigures;
  over: LoadFigures;
  /** Refusals that were looked at, and those that do not say when to come again. */
  seen: number;
  silent: number;
  rssMost: number;
}

const DOCUMENTS = 20_000;
const TIMES = 10;
const SLOW_CLIENTS = 50;
const SEARCHES_PER_CORE = 2;

export async function overload(seconds: number): Promise<OverloadReport> {
  const autocannon = await loadAutocannon();
  const folder = mkdtempSync(join(tmpdir(), "tarsier-overload-"));
  const room = availableParallelism() * SEARCHES_PER_CORE;
  // As many may wait as are at work: so an accepted search waits for one other.
  const limits = [
    "--experimental-search-queue-size",
    room,
    "--experimental-nb-searches-per-core",
    SEARCHES_PER_CORE,
  ];
  const server = await Server.start(folder, undefined, limits.map(String));
  try {
    await server.ready();
    await fill(server);
    const full = await load(autocannon, server, room, seconds);
    const samples = new RssSamples(server.pid);
    const slow = Array.from({ length: SLOW_CLIENTS }, () => slowClient(server));
    const stop = { now: false };
    const looking = lookAtRefusals(server, stop);
    const over = await load(autocannon, server, room * TIMES, seconds).finally(() => {
      stop.now = true;
      for (const socket of slow) socket.destroy();
      samples.stop();
    });
    const { seen, silent } = await looking;
    const { status } = await server.send("GET", "/health");
    if (status !== 200) throw new Error("the server does not answer any more");
    return { full, over, seen, silent, rssMost: samples.most };
  } finally {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const word = (number: number): string => `w${(number * 7919) % 997}`;

async function fill(server: Server): Promise<void> {
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => {
    return {
      id,
      title: `${word(id)} ${word(id + 1)}`,
      body: [2, 3, 5, 7].map((step) => word(id * step)).join(" "),
    };
  });
  await server.send("POST", "/indexes/load/documents", documents);
  for (;;) {
    const { total } = await server.get<{ total: number }>("/tasks?statuses=enqueued,processing");
    if (total === 0) return;
  }
}

async function load(
  autocannon: Autocannon,
  server: Server,
  connections: number,
  duration: number,
): Promise<LoadFigures> {
  const headers = { "content-type": "application/json" };
  // No two are alike: the answer to a search that was asked before costs nearly nothing.
  let asked = 0;
  const setupRequest = (request: CannonRequest) => {
    const body = JSON.stringify({
      q: `${word(asked)} ${word(asked * 3).slice(0, 2)}`,
      cropLength: 10 + asked,
    });
    asked++;
    return { ...request, body };
  };
  const requests = [{ method: "POST", path: "/indexes/load/search", headers, setupRequest }];
  const accepted: number[] = [];
  let [refused, strange] = [0, 0];
  const instance = autocannon({ url: server.url, connections, duration, requests });
  instance.on("response", (_client, status, _bytes, ms) => {
    if (status === 200) accepted.push(ms);
    else if (status === 503) refused++;
    else strange++;
  });
  const { errors, timeouts } = await instance;
  accepted.sort((a, b) => a - b);
  const at = (part: number) => accepted[Math.floor(part * (accepted.length - 1))] ?? 0;
  return {
    accepted: accepted.length,
    refused,
    strange: strange + errors + timeouts,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

/** Says half of a request and nothing more. */
function slowClient(server: Server): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const head = ["POST /indexes/load/search HTTP/1.1", "Host: x", "Content-Type: application/json"];
  socket.write([...head, "Content-Length: 99", "", "{"].join("\r\n"));
  return socket;
}

/** Searches beside the load, as long as it goes on. */
async function lookAtRefusals(
  server: Server,
  stop: { now: boolean },
): Promise<Pick<OverloadReport, "seen" | "silent">> {
  let [asked, seen, silent] = [0, 0, 0];
  while (!stop.now) {
    const path = `/indexes/load/search?q=w1&cropLength=${10 + asked++}`;
    const answer = await fetch(server.url + path).catch(() => null);
    await answer?.arrayBuffer().catch(() => null);
    if (answer?.status !== 503) continue;
    seen++;
    if (!/^\d+$/.test(answer.headers.get("retry-after") ?? "")) silent++;
  }
  return { seen, silent };
}
