// Mixed load on one server at the bound of its memory: documents come, change and go, settings change, and
// searches go on beside. Run by load.test.ts (seconds) and tools/soak.mjs (minutes).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../crash/random.ts";
import { pause, Server } from "../crash/server.ts";
import { waitUntilIdle } from "../crash/verification.ts";
import { RssSamples } from "./rss.ts";

export interface SoakReport {
  writes: number;
  searches: number;
  rssMost: number;
  /** What the options allow the cores, and what the rest of the process may take beside. */
  rssBound: number;
  /** Growth of the mean from the second quarter of the time to the last one. */
  growth: number;
  /** Answers that were neither accepted nor 503. */
  strange: string[];
}

const MIB = 2 ** 20;
const INDEXING_MIB = 96;
const SEARCH_MIB = 64;
const BESIDE_BYTES = 150e6;
const IDS_MOST = 60_000;
const BATCH_DOCUMENTS = 400;
const SEARCHERS = 3;
const WAITING_TASKS_MOST = 20;
const BOUNDS = ["--max-indexing-memory", `${INDEXING_MIB}MiB`, "--max-search-memory", `${SEARCH_MIB}MiB`];

const PAUSE_MS = 50;

/** @throws Error when the server ends or tasks fail */
export async function soak(milliseconds: number, seed: number): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-soak-"));
  const server = await Server.start(folder, undefined, BOUNDS);
  const random = new Random(seed);
  const report: SoakReport = {
    writes: 0,
    searches: 0,
    rssMost: 0,
    growth: 0,
    strange: [],
    rssBound: (INDEXING_MIB + SEARCH_MIB) * MIB + BESIDE_BYTES,
  };
  try {
    await server.ready();
    // Until these are there, nothing can be filtered or sorted.
    await server.send("PATCH", "/indexes/soak/settings", SETTINGS[0]);
    await waitUntilIdle(server);
    const samples = new RssSamples(server.pid);
    const end = Date.now() + milliseconds;
    const searchers = Array.from({ length: SEARCHERS }, () => searchUntil(end, server, random, report));
    await Promise.all([writeUntil(end, server, random, report), ...searchers]);
    samples.stop();
    Object.assign(report, { rssMost: samples.most, growth: samples.growth });
    const { total } = await server.get<{ total: number }>("/tasks?statuses=failed&limit=1");
    if (total > 0) throw new Error(`${total} tasks failed`);
  } finally {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  return report;
}

const SETTINGS = [
  { filterableAttributes: ["rank", "tags"], sortableAttributes: ["rank"] },
  { stopWords: ["the"] },
  { stopWords: [] },
  { searchableAttributes: ["title", "body"] },
  { searchableAttributes: ["*"] },
];

async function writeUntil(end: number, server: Server, random: Random, report: SoakReport): Promise<void> {
  while (Date.now() < end) {
    const kind = random.between(0, 19);
    const documents = "/indexes/soak/documents";
    const ids = Array.from({ length: BATCH_DOCUMENTS }, () => random.between(0, IDS_MOST));
    if (kind === 0) note(await server.send("PATCH", "/indexes/soak/settings", random.of(SETTINGS)), report);
    else if (kind < 4) note(await server.send("POST", `${documents}/delete-batch`, ids), report);
    else {
      const method = random.chance(0.5) ? "POST" : "PUT";
      const bodies = ids.map((id) => documentOf(random, id));
      note(await server.send(method, documents, bodies), report);
    }
    report.writes++;
    while (Date.now() < end && (await waiting(server)) > WAITING_TASKS_MOST) await pause(PAUSE_MS);
  }
}

async function waiting(server: Server): Promise<number> {
  const { total } = await server.get<{ total: number }>("/tasks?statuses=enqueued&limit=1");
  return total;
}

async function searchUntil(end: number, server: Server, random: Random, report: SoakReport): Promise<void> {
  while (Date.now() < end) {
    const q = `${wordOf(random)} ${random.chance(0.5) ? wordOf(random).slice(0, 3) : ""}`;
    const filter = random.chance(0.3) ? `rank > ${random.between(0, 99)}` : null;
    const sort = random.chance(0.2) ? ["rank:desc"] : null;
    const facets = random.chance(0.2) ? ["tags"] : null;
    note(await server.send("POST", "/indexes/soak/search", { q, filter, sort, facets }), report);
    report.searches++;
  }
}

function note({ status, body }: { status: number; body: unknown }, report: SoakReport): void {
  if (status >= 400 && status !== 503) report.strange.push(`${status} ${JSON.stringify(body)}`);
}

/** Words of three letters and a number: a dictionary that grows to some ten thousands. */
function wordOf(random: Random): string {
  return `w${random.between(0, 200).toString(36)}${random.chance(0.3) ? random.between(0, 300) : ""}`;
}

function documentOf(random: Random, id: number): object {
  const words = (most: number) =>
    Array.from({ length: random.between(1, most) }, () => wordOf(random)).join(" ");
  return { id, title: words(5), body: words(40), rank: random.between(0, 99), tags: [words(1), words(1)] };
}
