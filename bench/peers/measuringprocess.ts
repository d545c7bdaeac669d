// A measurement in its own process, which may take much memory and cannot be interrupted from inside: it is
// ended when it takes too long, and its crash is not ours. Called by libraryfigures.ts and vectorfigures.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { atEnd } from "../cleanup.ts";
import type { Measurement } from "../figures.ts";

const HEAP_MIB = 8192;

/** Yields the JSON lines that the worker file prints, and if it ended early, how. */
export async function* measureApart<Line extends Measurement>(
  worker: string,
  given: readonly string[],
  secondsMax: number,
): AsyncGenerator<(Line | Measurement)[]> {
  const args = ["--expose-gc", `--max-old-space-size=${HEAP_MIB}`, worker, ...given];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const forget = atEnd(() => child.kill("SIGKILL"));
  const ended = once(child, "close");
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    child.kill("SIGKILL");
  }, secondsMax * 1000);
  try {
    for await (const line of createInterface(child.stdout)) yield JSON.parse(line);
    const [status] = await ended;
    if (status === 0) return;
    const note = isOverdue
      ? `not finished after ${secondsMax} s`
      : "its process broke down, as without memory";
    yield [{ name: "end", unit: "", values: [], note }];
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    forget();
  }
}

/** For workers: prints a line for measureApart. */
export function tell(measured: readonly Measurement[]): void {
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}
