// What the benchmarks share for their output: command line, quantiles, aligned tables.
import { readArguments } from "./arguments.ts";

export interface BenchOptions {
  sets: string[];
  engines: string[];
  /** Time that an engine may take for one part. */
  seconds: number;
}

const SECONDS_DEFAULT = 30;

/** `--sets movies,npm --engines tarsier,minisearch --seconds 10` */
export function benchOptions(sets: string[], engines: string[]): BenchOptions {
  const values = readArguments({
    sets: { type: "string", about: `sets, with commas between them (default: ${sets})` },
    engines: { type: "string", about: `engines, with commas between them (default: ${engines})` },
    seconds: { type: "string", about: "time that an engine may take for one part" },
  });
  return {
    sets: values.sets?.split(",") ?? sets,
    engines: values.engines?.split(",") ?? engines,
    seconds: Number(values.seconds ?? SECONDS_DEFAULT),
  };
}

/** The value below which the share `q` of the values lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** The ratio to the first one, with two digits: `0.35x`, `1x`, `120x`. */
export function ratio(value: number, base: number): string {
  return Number.isFinite(value / base) ? `${Number((value / base).toPrecision(2))}x` : "-";
}

/** `texts`: how many columns at the beginning are aligned left. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[], texts = 1): void {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column < texts ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ");
  console.log(line(header));
  console.log(widths.map((width) => "-".repeat(width)).join("  "));
  for (const row of rows) console.log(line(row));
  console.log();
}
