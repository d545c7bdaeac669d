// How long after a document is sent does a search find it? One at a time, first on an idle server, then while
// a thousand others a second are added. Called by serverfigures.ts.
import { setTimeout as pause } from "node:timers/promises";
import { BenchClient } from "../client.ts";
import { type BenchDocument, type Dataset, linesOf, parseLines, piecesOf } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import type { Plan } from "../plan.ts";
import { quantile } from "../report.ts";
import type { BenchServer } from "../server.ts";

const REST_MS_MAX = 60_000;
const LOOK_MS = 1;
const PROBE_MS_MAX = 60_000;
const LOAD_DOCUMENTS = 50;
/** Milliseconds for 50 documents at 1,000 a second. */
const LOAD_MS = 50;
const SAMPLE_BYTES = 2 ** 20;
const PROBE_LETTERS = 8;
const LETTERS = 26;

export async function measureFreshness(
  server: BenchServer,
  dataset: Dataset,
  { probes, serverSeconds, loadSeconds, calmMs }: Plan,
): Promise<Measurement[]> {
  const sample = parseLines([...piecesOf(dataset.lines, SAMPLE_BYTES)][0]);
  const prober = new Prober(server, dataset, sample);
  // A server that has just started is busy until it rests.
  await server.rest(calmMs, REST_MS_MAX);
  const limit = performance.now() + serverSeconds * 1000;
  const idle: number[] = [];
  while (idle.length < probes && performance.now() < limit) idle.push(await prober.probe());

  const load = new Load(server, dataset, sample);
  const begin = performance.now();
  const end = begin + loadSeconds * 1000;
  const loadLimit = begin + serverSeconds * 1000;
  const busy: number[] = [];
  while ((busy.length < probes || performance.now() < end) && performance.now() < loadLimit) {
    busy.push(await prober.probe());
  }
  const seconds = (performance.now() - begin) / 1000;
  await load.stop();
  const values = (times: number[]) => [quantile(times, 0.5), quantile(times, 0.99)];
  return [
    { name: "one document added until found, p50 / p99", unit: "ms", values: values(idle) },
    { name: "the same beside 1,000 a second, p50 / p99", unit: "ms", values: values(busy) },
    { name: "accepted beside them", unit: "documents/s", values: [load.accepted / seconds] },
  ];
}

class Prober {
  readonly #server: BenchServer;
  readonly #dataset: Dataset;
  readonly #sample: BenchDocument[];
  #count = 0;

  constructor(server: BenchServer, dataset: Dataset, sample: BenchDocument[]) {
    this.#server = server;
    this.#dataset = dataset;
    this.#sample = sample;
  }

  async probe(): Promise<number> {
    const { name, primaryKey, fields } = this.#dataset;
    const id = `probe-${this.#count}`;
    const word = wordOf(this.#count);
    const document = {
      ...this.#sample[this.#count++ % this.#sample.length],
      [primaryKey]: id,
      [fields[0]]: word,
    };
    const begin = performance.now();
    const added = await this.#server.ask("POST", `/indexes/${name}/documents`, linesOf([document]));
    if (added.taskUid === undefined) throw new Error(`refused: ${JSON.stringify(added)}`);
    while (performance.now() < begin + PROBE_MS_MAX) {
      const body = { q: word, limit: 1, attributesToRetrieve: [primaryKey] };
      const { hits } = await this.#server.ask("POST", `/indexes/${name}/search`, body);
      if (Array.isArray(hits) && hits[0]?.[primaryKey] === id) return performance.now() - begin;
      await pause(LOOK_MS);
    }
    throw new Error(`a document that was added is not found after ${PROBE_MS_MAX / 1000} s`);
  }
}

/** Adds documents at a steady rate over a connection of its own, until it is stopped. */
class Load {
  accepted = 0;
  readonly #client: BenchClient;
  readonly #running: Promise<void>;
  #isStopped = false;

  constructor(server: BenchServer, dataset: Dataset, sample: BenchDocument[]) {
    this.#client = new BenchClient(server.url);
    this.#running = this.#run(dataset, sample);
    this.#running.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running.finally(() => this.#client.close());
  }

  async #run({ name, primaryKey }: Dataset, sample: BenchDocument[]): Promise<void> {
    const begin = performance.now();
    let sent = 0;
    while (!this.#isStopped) {
      const batch = Array.from({ length: LOAD_DOCUMENTS }, (_, i) => {
        return { ...sample[(sent + i) % sample.length], [primaryKey]: `load-${sent + i}` };
      });
      sent += LOAD_DOCUMENTS;
      const answer = await this.#client.ask("POST", `/indexes/${name}/documents`, linesOf(batch));
      if (answer.taskUid !== undefined) this.accepted += LOAD_DOCUMENTS;
      // Sends no more to a server that is behind than it accepts.
      await pause(Math.max(0, begin + (sent / LOAD_DOCUMENTS) * LOAD_MS - performance.now()));
    }
  }
}

/** Words that no document has, and that are not typos of each other. */
function wordOf(number: number): string {
  let [word, rest] = ["zx", Math.imul(number + 1, 0x9e3779b1) >>> 0];
  for (let i = 0; i < PROBE_LETTERS; i++) {
    word += String.fromCharCode(97 + (rest % LETTERS));
    rest = Math.floor(rest / LETTERS) || number + i;
  }
  return word;
}
