// The small things of an instance that are one file of a dump each: one row a file, for dump.ts to write and
// import.ts to read. What is not in the table is no row of values: indexes, tasks and batches.
import { FEATURE_KIND, FEATURE_NAMES } from "../../schemas/features.ts";
import type { DumpCreation } from "../kinds.ts";

/** A value of the instance (Instance.put), or several. */
export type Put = [kind: string, key: string, value: unknown];

export interface DumpPart {
  file: string;
  /** Name of the step in the progress of the batch. */
  step: string;
  /** Text of the file; null: the dump goes without it. `values`: of a kind, by key. */
  write(values: (kind: string) => ReadonlyMap<string, unknown>, task: DumpCreation): string | null;
  /** Throws when the text is not what such a file holds. */
  read(text: string): Put[];
}

export const DUMP_PARTS: readonly DumpPart[] = [
  {
    file: "experimental-features.json",
    step: "dump the experimental features",
    write: (values) => {
      const switches = FEATURE_NAMES.map((name) => [name, values(FEATURE_KIND).get(name) === true]);
      return JSON.stringify(Object.fromEntries(switches));
    },
    read: (text) => {
      const switches = objectOf(JSON.parse(text));
      return FEATURE_NAMES.filter((name) => switches[name] === true).map((name) => [FEATURE_KIND, name, true]);
    },
  },
];

/** @throws TypeError unless the value is an object */
export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new TypeError(`expected an object, but found ${JSON.stringify(value)?.slice(0, 100)}`);
}
