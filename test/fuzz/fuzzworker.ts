// The thread in which tools/fuzz.mjs tries the inputs of one target: it tells which input it is at, so that a
// hang has a number, and ends with its report or its finding.
import { inspect } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import { type FuzzOptions, fuzz } from "./fuzzing.ts";
import { targets } from "./targets.ts";

interface Work extends FuzzOptions {
  name: string;
  /** Number of the input that is tried, in shared memory. */
  current: Int32Array;
}

const { name, current, ...options } = workerData as Work;
const target = targets.find((one) => one.name === name)!;
const onInput = (number: number) => void Atomics.store(current, 0, number);
const answer = await fuzz(target, { ...options, onInput }).then(
  (report) => ({ report }),
  (finding) => ({ finding: inspect(finding, { depth: 4 }) }),
);
parentPort!.postMessage(answer);
