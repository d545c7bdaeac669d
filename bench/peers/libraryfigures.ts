// The figures of one library and one set. Called by table.bench.ts.
import { fileURLToPath } from "node:url";
import type { Dataset } from "../datasets.ts";
import type { Measurement } from "../figures.ts";
import type { Plan } from "../plan.ts";
import { measureApart } from "./measuringprocess.ts";

export const libraryNames = ["minisearch", "flexsearch", "orama"];

/** Added to the time for indexing and searching: to load the set, and for the last batch. */
const MORE_SECONDS = 60;
const WORKER = fileURLToPath(new URL("./library.worker.js", import.meta.url));

export function measureLibrary(
  name: string,
  { label }: Dataset,
  { librarySeconds, queriesPerClass, parts }: Plan,
): AsyncIterable<Measurement[]> {
  const given = [name, label, `${librarySeconds}`, `${queriesPerClass}`, [...parts].join(",")];
  return measureApart(WORKER, given, 2 * librarySeconds + MORE_SECONDS);
}
