// How many requests a second does a server answer, with 1, 8 and 64 connections? The health route next to the
// searches shows what HTTP alone costs on this machine. Called by serverfigures.ts.
import { type CannonRequest, loadAutocannon } from "../../test/load/autocannon.ts";
import type { Dataset } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import type { Plan, Workload } from "../plan.ts";
import { anew, type QuestionClass, wordClasses } from "../questions.ts";
import type { BenchServer } from "../server.ts";

export async function measureThroughput(
  server: BenchServer,
  { name }: Dataset,
  classes: readonly QuestionClass[],
  { workloads, connections, throughputSeconds: duration }: Plan,
): Promise<Measurement[]> {
  const headers = { "content-type": "application/json" };
  const path = `/indexes/${name}/search`;
  const autocannon = await loadAutocannon();
  const asked = (of: readonly QuestionClass[]): CannonRequest[] =>
    of
      .flatMap(({ questions }) => questions)
      .map((question) => ({ method: "POST", path, headers, body: JSON.stringify(question) }));
  const askedAnew = (of: readonly QuestionClass[]): CannonRequest[] =>
    of
      .flatMap(({ questions }) => questions)
      .map((question) => ({
        method: "POST",
        path,
        headers,
        setupRequest: (request) => ({ ...request, body: JSON.stringify(anew(question)) }),
      }));
  const requestsOf: Record<Workload, CannonRequest[]> = {
    health: [{ method: "GET", path: "/health" }],
    "one word and prefix": askedAnew(wordClasses(classes)),
    "one word and prefix, asked before": asked(wordClasses(classes)),
    "every class": askedAnew(classes),
  };
  const measured: Measurement[] = [];
  for (const workload of workloads) {
    for (const count of connections) {
      const requests = requestsOf[workload];
      const run = await autocannon({ url: server.url, connections: count, duration, requests });
      const failed = run.non2xx + run.errors;
      const what = `${workload}, ${count} connection${count === 1 ? "" : "s"}`;
      measured.push({
        name: `throughput, ${what}`,
        unit: "requests/s",
        values: [run.requests.total / run.duration],
        ...(failed > 0 ? { note: `(${failed} failed)` } : {}),
      });
      measured.push({ name: `latency, ${what}, p99`, unit: "ms", values: [run.latency.p99] });
    }
  }
  return measured;
}
