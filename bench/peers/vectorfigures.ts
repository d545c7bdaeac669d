// The figures of one engine for vectors; Tarsier's core is one of them. Called by table.bench.ts.
import { fileURLToPath } from "node:url";
import type { Measurement } from "../figures.ts";
import type { Plan } from "../plan.ts";
import { measureApart } from "./measuringprocess.ts";

export const vectorEngineNames = ["tarsier", "hnswlib", "usearch"];

const WORKER = fileURLToPath(new URL("./vector.worker.js", import.meta.url));

/** Variants of an engine, such as usearch with f32 and i8, count as several engines here. */
export interface VectorMeasurement extends Measurement {
  set: string;
  engine: string;
}

export async function* measureVectors(
  name: string,
  { vectorsMax, vectorSeconds }: Plan,
): AsyncGenerator<VectorMeasurement[]> {
  const lists = measureApart<VectorMeasurement>(WORKER, [name, `${vectorsMax}`], vectorSeconds);
  for await (const list of lists) yield list.map((one) => ({ set: "vectors", engine: name, ...one }));
}
