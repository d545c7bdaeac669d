// The command line of benchmarks with many figures. Called by table.bench.ts, scaling.bench.ts and
// profile.bench.ts.
import { readArguments, refuse } from "./arguments.ts";
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
  const values = readArguments(
    {
      only: { type: "string", about: `parts, with commas between them: of ${PARTS.join(", ")}` },
      sets: { type: "string", about: "sets, such as movies,npm@1000" },
      engines: { type: "string", about: "engines, such as tarsier,minisearch" },
      classes: { type: "string", about: "classes of queries" },
      seconds: { type: "string", about: "time of a library for indexing, and again for searching" },
      options: { type: "string", about: "further options for Tarsier, in one text" },
      results: { type: "string", default: RESULTS_FOLDER, about: "folder that results are written to" },
      "no-write": { type: "boolean", default: false, about: "write no results" },
      quick: { type: "boolean", default: false, about: "a little of everything" },
    },
    args,
  );
  const list = (text: string | undefined) => text?.split(",") ?? null;
  const base = values.quick ? quickPlan : fullPlan;
  const parts = list(values.only) ?? PARTS;
  const unknown = parts.filter((part) => !PARTS.includes(part as Part));
  if (unknown.length > 0) refuse(`no part ${unknown.join(", ")}: there are ${PARTS.join(", ")}`);
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
