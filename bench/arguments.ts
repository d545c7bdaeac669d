// What a benchmark is told on its command line: read by a table of its options, which is also what `--help`
// prints. Called by the benchmarks themselves and by what several of them share (commandline.ts, report.ts).
import { parseArgs } from "node:util";

interface BenchOption {
  type: "string" | "boolean";
  default?: string | boolean;
  /** What it means, for `--help`. */
  about: string;
}

type Values<Table extends Record<string, BenchOption>> = ReturnType<
  typeof parseArgs<{ options: Table }>
>["values"];

/** Ends the process after `--help`, and where something else is asked than the table allows. */
export function readArguments<const Table extends Record<string, BenchOption>>(
  table: Table,
  args: string[] = process.argv.slice(2),
): Values<Table> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usageOf(table));
    process.exit(0);
  }
  try {
    return parseArgs({ args, options: table }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Says what is wrong with the command line, and ends the process. */
export function refuse(problem: string): never {
  console.error(`${problem}\n--help lists the options`);
  process.exit(1);
}

function usageOf(table: Record<string, BenchOption>): string {
  const rows = Object.entries(table).map(([name, { type, default: fallback, about }]) => {
    const usual = typeof fallback === "string" ? ` (default: ${fallback})` : "";
    return [`--${name}${type === "string" ? " VALUE" : ""}`, about + usual];
  });
  rows.push(["--help", "this list"]);
  const width = Math.max(...rows.map(([option]) => option.length));
  return [
    "Options of this benchmark:",
    ...rows.map(([option, about]) => `  ${option.padEnd(width)}  ${about}`),
  ].join("\n");
}
