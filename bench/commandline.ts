// The command line of benchmarks with many figures. Called by table.bench.ts, scaling.bench.ts and
// profile.bench.ts.
import { parseArgs } from "node:util";
import { fullPlan, PARTS, type Part, type Plan, quickPlan } from "./plan.ts";
import { RESULTS_FOLDER } from "./results.ts";

export interface CommandLine {
  plan: Plan;
  isQuick: boolean;
  /** Null: the default of the benchmark. */
  sets: string[] | null;
  engines: string[] | null;
  classes: string[] | null;
  /** Folder that results are written to; null: nowhere. */
  results: string | null;
}

/**
 * `--quick` measures a little of everything; `--seconds` is the time of a library for indexing, and again for
 * searching; `--options` are further options for Tarsier.
 */
export function readCommandLine(args: string[] = process.argv.slice(2)): CommandLine {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string" },
      sets: { type: "string" },
      engines: { type: "string" },
      classes: { type: "string" },
      seconds: { type: "string" },
      options: { type: "string" },
      results: { type: "string", default: RESULTS_FOLDER },
      "no-write": { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
    },
  });
  const list = (text: string | undefined) => text?.split(",") ?? null;
  const base = values.quick ? quickPlan : fullPlan;
  const parts = list(values.only) ?? PARTS;
  const unknown = parts.filter((part) => !PARTS.includes(part as Part));
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(", ")}: there are ${PARTS.join(", ")}`);
  return {
    plan: {
      ...base,
      parts: new Set(parts as Part[]),
      librarySeconds: Number(values.seconds ?? base.librarySeconds),
      options: values.options?.split(" ").filter(Boolean) ?? [],
    },
    isQuick: values.quick,
    sets: list(values.sets),
    engines: list(values.engines),
    classes: list(values.classes),
    results: values["no-write"] ? null : values.results,
  };
}
