// How long does a search take, by class of query? Over HTTP, one request at a time on one connection, in
// passes over all queries: the first one after a start is cold, the third warm, the last steady. Called by
// serverfigures.ts; busy.ts and copies.bench.ts time searches during other work.
import type { BenchClient } from "../client.ts";
import type { Dataset } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import { anew, pageOf, plainClasses, type QuestionClass } from "../questions.ts";
import { quantile } from "../report.ts";
import type { BenchServer } from "../server.ts";

const WARM_PASS = 3;
/** By then a runtime has compiled and optimised the code that searches need. */
const STEADY_SEARCHES = 5000;
const FORMATTED_COUNT = 100;
/** The classes that other engines support, too. */
export const PLAIN_SEARCHES = "search, all classes of words alone, warm";

export async function measureSearches(
  server: BenchServer,
  dataset: Dataset,
  classes: readonly QuestionClass[],
): Promise<Measurement[]> {
  const count = classes.reduce((sum, { questions }) => sum + questions.length, 0);
  if (count === 0) return [];
  const last = Math.max(WARM_PASS, Math.ceil(STEADY_SEARCHES / count)) + 1;
  const kinds = new Map([
    [1, "cold"],
    [WARM_PASS, "warm"],
    [last, "steady"],
  ]);
  const measured: Measurement[] = [];
  for (let pass = 1; pass <= last; pass++) {
    const times = await timePass(server, dataset, classes);
    const kind = kinds.get(pass);
    if (kind !== undefined) measured.push(...passQuantiles(kind, times, classes));
  }
  return measured;
}

/** Asks all questions; returns times by class. */
async function timePass(
  server: BenchServer,
  dataset: Dataset,
  classes: readonly QuestionClass[],
): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (const { name, questions } of classes) {
    const ofClass: number[] = [];
    for (const question of questions) {
      ofClass.push(await timeOf(server, dataset, pageOf(question, dataset)));
    }
    times.set(name, ofClass);
  }
  return times;
}

function passQuantiles(
  kind: string,
  times: ReadonlyMap<string, number[]>,
  classes: readonly QuestionClass[],
): Measurement[] {
  const measured = [quantiles(`search, all classes, ${kind}`, [...times.values()].flat())];
  if (kind === "warm") {
    const plain = plainClasses(classes).flatMap(({ name }) => times.get(name) ?? []);
    measured.push(quantiles(PLAIN_SEARCHES, plain));
  }
  for (const [name, ofClass] of times) measured.push(quantiles(`search, ${name}, ${kind}`, ofClass));
  return measured;
}

/** What cropping and highlighting add to a page: both kinds are asked alternately, so that both are warm. */
export async function measureFormatting(
  server: BenchServer,
  dataset: Dataset,
  classes: readonly QuestionClass[],
): Promise<Measurement[]> {
  const formatted = dataset.fields.slice(-1);
  const more = { attributesToCrop: formatted, attributesToHighlight: formatted };
  const questions = classes[0].questions.map(({ q }) => ({ q, limit: 20 }));
  const added: number[] = [];
  for (let turn = 0; turn < FORMATTED_COUNT + questions.length; turn++) {
    const question = questions[turn % questions.length];
    const plain = await timeOf(server, dataset, question);
    const difference = (await timeOf(server, dataset, { ...question, ...more })) - plain;
    if (turn >= questions.length) added.push(difference);
  }
  return [{ name: "cropping and highlighting add, p50", unit: "ms", values: [quantile(added, 0.5)] }];
}

/** Time of a search that was not asked before. @throws Error when it is refused */
export async function timeOf(client: BenchClient, { name }: Dataset, question: object): Promise<number> {
  const body = anew(question);
  const begin = performance.now();
  const answer = await client.ask("POST", `/indexes/${name}/search`, body);
  const time = performance.now() - begin;
  if (!Array.isArray(answer.hits)) throw new Error(`${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
  return time;
}

/** Times of searches that run one after the other until `work` has ended. @throws the error of `work` */
export async function timesDuring(
  work: Promise<unknown>,
  client: BenchClient,
  dataset: Dataset,
  questions: readonly object[],
): Promise<number[]> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // A failure is thrown below, once the searches have noticed the end.
  ended.catch(() => {});
  const times: number[] = [];
  for (let i = 0; !isDone; i++) times.push(await timeOf(client, dataset, questions[i % questions.length]));
  await ended;
  return times;
}

export function quantiles(name: string, times: readonly number[]): Measurement {
  const values = [0.5, 0.95, 0.99].map((part) => quantile(times, part));
  return { name: `${name}, p50 / p95 / p99`, unit: "ms", values };
}
