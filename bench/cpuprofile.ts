// Profiles this process: time by function, alone and with everything that it calls. Called by
// profile.bench.ts.
import { type Profiler, type Runtime, Session } from "node:inspector/promises";
import { basename } from "node:path";
import { wasmNames } from "./wasmnames.ts";

export interface FunctionTime {
  name: string;
  /** Microseconds in the function itself. */
  self: number;
  /** Microseconds including the functions it calls. */
  inclusive: number;
}

const SAMPLING_MICROS = 50;
/** What the profiler reports when no code runs, or its own does. */
const NO_CODE = ["(root)", "(idle)", "(program)"];

/** Runs `work` and profiles it; slowest functions first. */
export async function profile(work: () => Promise<void>): Promise<FunctionTime[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: SAMPLING_MICROS });
    await session.post("Profiler.start");
    await work();
    const { profile: samples } = await session.post("Profiler.stop");
    return functionTimes(samples);
  } finally {
    session.disconnect();
  }
}

export function functionTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): FunctionTime[] {
  const wasm = wasmNames();
  const parents = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, wasm)]));
  const times = new Map<string, FunctionTime>();
  for (const [at, sample] of samples.entries()) {
    const stack: number[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) stack.push(id);
    // The start of the profiler itself.
    if (stack.some((id) => names.get(id)?.startsWith("post node:inspector"))) continue;
    const seen = new Set<string>();
    for (const id of stack) {
      const name = names.get(id) ?? "";
      const time = times.get(name) ?? { name, self: 0, inclusive: 0 };
      times.set(name, time);
      if (id === sample) time.self += timeDeltas[at];
      // A recursive function counts once.
      if (!seen.has(name)) time.inclusive += timeDeltas[at];
      seen.add(name);
    }
  }
  const found = [...times.values()].filter(({ name }) => !NO_CODE.includes(name));
  return found.sort((a, b) => b.inclusive - a.inclusive);
}

function nameOf({ functionName, url, lineNumber }: Runtime.CallFrame, wasm: readonly string[]): string {
  const number = /^(?:wasm-function\[(\d+)\]|\$?func(\d+))$/.exec(functionName);
  if (number) return `wasm ${wasm[Number(number[1] ?? number[2])] ?? functionName}`;
  if (url.startsWith("wasm:")) return `wasm ${functionName}`;
  const name = functionName || "(anonymous)";
  return url === "" ? name : `${name} ${basename(url)}:${lineNumber + 1}`;
}
