// All figures of one server and one set, in an order in which they do not disturb each other: the index is
// built and left alone, restarted, searched, and finally written to. Called by table.bench.ts and
// scaling.bench.ts, once for each server.
import { join } from "node:path";
import { temporaryFolder } from "./cleanup.ts";
import { OverdueError } from "./client.ts";
import type { Dataset } from "./datasets.ts";
import type { Measurement } from "./figures.ts";
import { measureBusySearches } from "./parts/busy.ts";
import { measureFreshness } from "./parts/freshness.ts";
import { index, measureDisk } from "./parts/indexing.ts";
import { measureFormatting, measureSearches } from "./parts/searching.ts";
import { measureStarts } from "./parts/startup.ts";
import { measureThroughput } from "./parts/throughput.ts";
import { measureUpdates } from "./parts/updates.ts";
import type { Part, Plan } from "./plan.ts";
import { pageOf, type Questions, questionsAbout } from "./questions.ts";
import { type BenchServer, type Program, type StartOptions, startServer, tarsier } from "./server.ts";

const REST_MS_MAX = 60_000;

/** Yields what each part measured, or why it failed. */
export async function* measureServer(
  program: Program,
  dataset: Dataset,
  plan: Plan,
): AsyncGenerator<Measurement[]> {
  const questions = questionsAbout(dataset, plan.queriesPerClass);
  const folder = temporaryFolder();
  const start: StartOptions = {
    folder: join(folder.path, "db"),
    program,
    processors: plan.processors,
    options: program === tarsier ? plan.options : [],
  };
  try {
    const { measured, hits } = await build(start, dataset, questions, plan);
    if (plan.parts.has("indexing")) yield measured;
    const body = firstBody(questions, dataset);
    if (plan.parts.has("start")) {
      yield await attempt("start", () => measureStarts(start, dataset.name, body, hits, plan.starts), plan);
    }
    yield* measureRunning(start, dataset, questions, plan);
  } catch (error) {
    yield [failure("indexing, documents a second", error, plan)];
  } finally {
    folder.remove();
  }
}

async function build(start: StartOptions, dataset: Dataset, questions: Questions, plan: Plan) {
  const server = await startServer(start);
  try {
    const measured = await index(server, dataset, questions.settings, plan.serverSeconds);
    measured.push(...(await measureDisk(server, start.folder ?? "", dataset, plan.calmMs)));
    const body = firstBody(questions, dataset);
    const { hits } = await server.ask("POST", `/indexes/${dataset.name}/search`, body);
    return { measured, hits };
  } finally {
    await server.stop();
  }
}

async function* measureRunning(
  start: StartOptions,
  dataset: Dataset,
  questions: Questions,
  plan: Plan,
): AsyncGenerator<Measurement[]> {
  const { classes } = questions;
  const parts: Partial<Record<Part, (server: BenchServer) => Promise<Measurement[]>>> = {
    search: async (server) => [
      ...(await measureSearches(server, dataset, classes)),
      ...(await measureFormatting(server, dataset, classes)),
    ],
    throughput: (server) => measureThroughput(server, dataset, classes, plan),
    busy: (server) => measureBusySearches(server, dataset, questions, plan.serverSeconds),
    freshness: (server) => measureFreshness(server, dataset, plan),
    updates: (server) => measureUpdates(server, dataset, questions, plan),
  };
  const asked = (Object.keys(parts) as Part[]).filter((part) => plan.parts.has(part));
  if (asked.length === 0) return;
  const server = await startServer(start);
  try {
    for (const part of asked) {
      yield await attempt(part, () => parts[part]?.(server) ?? Promise.resolve([]), plan);
      await server.rest(plan.calmMs, REST_MS_MAX);
    }
  } finally {
    await server.stop();
  }
}

function firstBody({ classes }: Questions, dataset: Dataset): Record<string, unknown> {
  return pageOf(classes[0].questions[0], dataset);
}

async function attempt(name: string, measure: () => Promise<Measurement[]>, plan: Plan) {
  try {
    return await measure();
  } catch (error) {
    return [failure(name, error, plan)];
  }
}

/** A row that says why there is no figure. */
function failure(name: string, error: unknown, plan: Plan): Measurement {
  const note =
    error instanceof OverdueError
      ? `not finished after ${plan.serverSeconds} s`
      : `failed: ${error instanceof Error ? error.message : error}`;
  return { name, unit: "", values: [], note };
}
