// Do three servers that share documents find what one finds, and what does it cost? The documents of a set
// are loaded into one server and, spread, into three; both are asked the same: the queries of the folder
// ../shared/relevance, if it has some for the set, else queries made from its texts.
//
//   npm run shards -- [--sets cities,debian]
import { difference, type Found } from "../test/network/samehits.ts";
import { type Dataset, datasetNames, loadDataset } from "./datasets.ts";
import { anew, type QuestionClass, questionsAbout } from "./questions.ts";
import { benchOptions, printTable, quantile } from "./report.ts";
import { type BenchServer, startServer } from "./server.ts";

const NAMES = ["a", "b", "c"];
const QUERIES_PER_CLASS = 60;
const SHOWN_COUNT_MAX = 10;
/** How often each query runs before it counts: code and data are then loaded, as in servers in use. */
const ROUNDS_BEFORE = 6;
const INDEX = "documents";
const NETWORK_OPTIONS = ["--experimental-allowed-ip-networks", "any"];

const options = benchOptions([datasetNames().includes("debian") ? "debian" : "cities"], []);
for (const set of options.sets) await compare(loadDataset(set));

async function compare(dataset: Dataset): Promise<void> {
  const { settings, classes } = questionsAbout(dataset, QUERIES_PER_CLASS);
  const servers: BenchServer[] = [];
  const start = async () => {
    const server = await startServer({ options: NETWORK_OPTIONS });
    servers.push(server);
    return server;
  };
  try {
    const single = await start();
    const shards = [await start(), await start(), await start()];
    const remotes = Object.fromEntries(NAMES.map((name, i) => [name, { url: shards[i].url }]));
    for (const [i, shard] of shards.entries()) {
      await shard.ask("PATCH", "/experimental-features", { network: true });
      await shard.ask("PATCH", "/network", { self: NAMES[i], sharding: true, remotes });
    }
    for (const server of [single, shards[0]]) {
      await server.wait(await server.ask("PATCH", `/indexes/${INDEX}/settings`, settings));
      await server.addLines(INDEX, dataset.lines, dataset.primaryKey);
    }
    for (const shard of shards) await idle(shard);
    await ask(classes, single, shards);
    console.log(`${dataset.label}: ${dataset.count} documents, at most ${QUERIES_PER_CLASS} queries a class`);
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Waits until the server has nothing to do, twice, since its work may have made some for another server. */
async function idle(server: BenchServer): Promise<void> {
  for (let calm = 0; calm < 2; ) {
    const { total } = await server.ask("GET", "/tasks?statuses=enqueued,processing");
    calm = total === 0 ? calm + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

interface Outcome {
  same: number;
  asked: number;
  aloneMs: number[];
  togetherMs: number[];
}

interface Round {
  classes: Map<string, Outcome>;
  differences: string[];
}

async function ask(asked: QuestionClass[], single: BenchServer, shards: BenchServer[]): Promise<void> {
  for (let round = 0; round < ROUNDS_BEFORE; round++) await askAll(asked, single, shards);
  const { classes, differences } = await askAll(asked, single, shards);
  const rows = [...classes].map(([name, { same, asked, aloneMs, togetherMs }]) => {
    const [alone, together] = [quantile(aloneMs, 0.5), quantile(togetherMs, 0.5)];
    return [name, `${same} of ${asked}`, ...[alone, together, together - alone].map((ms) => ms.toFixed(2))];
  });
  printTable(["class", "same", "slowest alone, ms", "together, ms", "more, ms"], rows);
  for (const line of differences.slice(0, SHOWN_COUNT_MAX)) console.log(line);
}

async function askAll(asked: QuestionClass[], single: BenchServer, shards: BenchServer[]): Promise<Round> {
  const classes = new Map<string, Outcome>();
  const differences: string[] = [];
  const path = `/indexes/${INDEX}/search`;
  const timed = async (server: BenchServer, body: object) => {
    const began = performance.now();
    const found = (await server.ask("POST", path, body)) as unknown as Found;
    return { found, ms: performance.now() - began };
  };
  const questions = asked.flatMap(({ name, questions }) => questions.map((question) => ({ name, question })));
  for (const [i, { name, question }] of questions.entries()) {
    const body = anew({ limit: 20, ...question, showRankingScore: true });
    const outcome = classes.get(name) ?? { same: 0, asked: 0, aloneMs: [], togetherMs: [] };
    classes.set(name, outcome);
    const expected = await timed(single, body);
    // Each server alone, compared with all together.
    const alone: number[] = [];
    for (const shard of shards) alone.push((await timed(shard, { ...body, useNetwork: false })).ms);
    const { found, ms } = await timed(shards[i % NAMES.length], body);
    outcome.asked++;
    outcome.aloneMs.push(Math.max(...alone));
    outcome.togetherMs.push(ms);
    const different = difference(expected.found, found);
    if (different === null) outcome.same++;
    else differences.push(`${name} ${JSON.stringify(question)}: ${different.slice(0, 200)}`);
  }
  return { classes, differences };
}
