// How long do searches take while the same server indexes all documents of the set again, as another index?
// One after the other on one connection. Called by serverfigures.ts.
import { BenchClient } from "../client.ts";
import type { Dataset } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import { pageOf, type Questions } from "../questions.ts";
import { quantile } from "../report.ts";
import type { BenchServer } from "../server.ts";
import { quantiles, timeOf, timesDuring } from "./searching.ts";

const IDLE_PASSES = 2;

export async function measureBusySearches(
  server: BenchServer,
  dataset: Dataset,
  { settings, classes }: Questions,
  secondsMax: number,
): Promise<Measurement[]> {
  const bodies = classes.flatMap(({ questions }) => questions.map((question) => pageOf(question, dataset)));
  let idle: number[] = [];
  for (let i = 0; i < IDLE_PASSES; i++) {
    idle = [];
    for (const body of bodies) idle.push(await timeOf(server, dataset, body));
  }

  const writer = new BenchClient(server.url);
  const uid = `${dataset.name}-again`;
  await writer.wait(await writer.ask("PATCH", `/indexes/${uid}/settings`, settings));
  const deadline = performance.now() + secondsMax * 1000;
  const indexing = writer.addLines(uid, dataset.lines, dataset.primaryKey, deadline);
  const times = await timesDuring(indexing, server, dataset, bodies).finally(() => writer.close());
  const p95 = quantile(times, 0.95);
  return [
    quantiles("searches when idle", idle),
    quantiles("searches during full indexing", times),
    {
      name: "searches during full indexing, p95 / idle p95",
      unit: "x",
      values: [p95 / quantile(idle, 0.95)],
    },
  ];
}
