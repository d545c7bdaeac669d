// How long does the client wait until all documents can be searched, and what resources does it take? Called
// by serverfigures.ts.
import type { Dataset } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import { type BenchServer, diskBytes } from "../server.ts";

const MEGABYTE = 1e6;
/** Time for merges after the last task. */
const REST_MS_MAX = 300_000;

/** Indexes the set under its name. @throws OverdueError */
export async function index(
  server: BenchServer,
  dataset: Dataset,
  settings: object,
  secondsMax: number,
): Promise<Measurement[]> {
  const { name, lines, count, primaryKey } = dataset;
  await server.wait(await server.ask("PATCH", `/indexes/${name}/settings`, settings));
  const [begin, processorBefore] = [performance.now(), server.processorMs()];
  await server.addLines(name, lines, primaryKey, begin + secondsMax * 1000);
  const seconds = (performance.now() - begin) / 1000;
  const processorSeconds = (server.processorMs() - processorBefore) / 1000;
  return [
    { name: "indexing, documents a second", unit: "documents/s", values: [count / seconds] },
    { name: "indexing, input a second", unit: "MB/s", values: [lines.length / MEGABYTE / seconds] },
    { name: "indexing, time", unit: "s", values: [seconds] },
    { name: "indexing, processor time", unit: "s", values: [processorSeconds] },
    { name: "indexing, peak resident memory", unit: "MB", values: [server.peakMemory() / MEGABYTE] },
  ];
}

/** Bytes of the files in `folder`, once nothing happens any more. */
export async function measureDisk(
  server: BenchServer,
  folder: string,
  { lines, count }: Dataset,
  calmMs: number,
): Promise<Measurement[]> {
  const before = performance.now();
  await server.rest(calmMs, REST_MS_MAX);
  const rested = Math.max(0, Math.round((performance.now() - before - calmMs) / 100)) / 10;
  const bytes = diskBytes(folder);
  return [
    { name: "background work after indexing", unit: "s", values: [rested] },
    { name: "disk", unit: "MB", values: [bytes / MEGABYTE] },
    { name: "disk / input", unit: "x", values: [bytes / lines.length] },
    { name: "disk a document", unit: "B", values: [bytes / count] },
    { name: "resident memory at rest", unit: "MB", values: [server.memory() / MEGABYTE] },
  ];
}
