// How long does a server take from its start to the first answer of a search? Each time a new process on an
// existing folder. Called by serverfigures.ts and start.bench.ts.
import type { Measurement } from "../figures.ts";
import { quantile } from "../report.ts";
import { type StartOptions, startServer } from "../server.ts";

export interface Starts {
  /** Milliseconds until /health answers, for each start. */
  health: number[];
  /** Milliseconds until a search answers, for each start. */
  search: number[];
  /** The answer of the last search. */
  answer: Record<string, unknown>;
}

export async function timeStarts(
  start: StartOptions,
  uid: string,
  body: object,
  count: number,
): Promise<Starts> {
  const starts: Starts = { health: [], search: [], answer: {} };
  for (let run = 0; run < count; run++) {
    const begin = performance.now();
    const server = await startServer(start);
    try {
      starts.health.push(performance.now() - begin);
      starts.answer = await server.ask("POST", `/indexes/${uid}/search`, body);
      starts.search.push(performance.now() - begin);
      if (starts.answer.hits === undefined) throw new Error(`no search: ${JSON.stringify(starts.answer)}`);
    } finally {
      await server.stop();
    }
  }
  return starts;
}

/** `expected`: the hits of the same search before the starts. */
export async function measureStarts(
  start: StartOptions,
  uid: string,
  body: object,
  expected: unknown,
  count: number,
): Promise<Measurement[]> {
  const { health, search, answer } = await timeStarts(start, uid, body, count);
  if (JSON.stringify(answer.hits) !== JSON.stringify(expected)) throw new Error("other hits after a restart");
  const medianAndMost = (times: number[]) => [quantile(times, 0.5), quantile(times, 1)];
  return [
    { name: "start to first health, median / most", unit: "ms", values: medianAndMost(health) },
    { name: "start to first right answer, median / most", unit: "ms", values: medianAndMost(search) },
  ];
}
