// The figures of benchmarks, and tables of them: engines side by side, or one engine as data grows. Called by
// table.bench.ts and scaling.bench.ts; the parts make Measurements.
import { printTable, ratio } from "./report.ts";

export type Unit =
  | "documents/s"
  | "MB/s"
  | "requests/s"
  | "queries/s"
  | "MB"
  | "B"
  | "s"
  | "ms"
  | "us"
  | "x"
  | "";

/** What a part measured for one engine and set. */
export interface Measurement {
  name: string;
  unit: Unit;
  /** One value, or the quantiles that the name lists; empty if it could not be measured. */
  values: number[];
  /** Why it is empty, or what to know about it. */
  note?: string;
}

export interface Figure extends Measurement {
  set: string;
  engine: string;
}

export interface Table {
  header: string[];
  rows: string[][];
  /** How many columns at the beginning are not figures. */
  texts: number;
}

/** The engine that the others are compared with. */
export const OURS = "tarsier";

/** `isServer`: for engines over HTTP, whose ratios have their own column. */
export function comparison(figures: readonly Figure[], isServer: (engine: string) => boolean): Table {
  const others = unique(figures.map(({ engine }) => engine)).filter((engine) => engine !== OURS);
  const engines = [OURS, ...others.filter(isServer), ...others.filter((engine) => !isServer(engine))];
  const header = ["set", "figure", "unit"];
  for (const engine of engines) {
    header.push(engine);
    if (engine !== OURS && isServer(engine)) header.push(`${OURS} / ${engine}`);
  }
  const rows = rowsOf(figures).map((row) => {
    const ours = row.find(({ engine }) => engine === OURS);
    const cells = engines.flatMap((engine) => {
      const figure = row.find((one) => one.engine === engine);
      if (engine === OURS) return [cellOf(figure)];
      if (isServer(engine)) return [cellOf(figure), ratiosOf(ours, figure)];
      const first = ratio(ours?.values[0] ?? Number.NaN, figure?.values[0] ?? Number.NaN);
      return [first === "-" ? cellOf(figure) : `${cellOf(figure)} (${first})`];
    });
    return [row[0].set, row[0].name, row[0].unit, ...cells];
  });
  return { header, rows, texts: 3 };
}

/** A column per set, smallest first; after each figure, its ratio to the one before. */
export function growth(figures: readonly Figure[], sets: readonly string[]): Table {
  const names = unique(figures.map(({ engine, name }) => `${engine}\n${name}`));
  const rows = names.map((key) => {
    const [engine, name] = key.split("\n");
    const row = sets.map((set) =>
      figures.find((figure) => figure.engine === engine && figure.name === name && figure.set === set),
    );
    const cells = row.map((figure, at) => {
      const ratios = at === 0 ? "" : ratiosOf(figure, row[at - 1]);
      return ratios === "" ? cellOf(figure) : `${cellOf(figure)} (${ratios})`;
    });
    return [engine, name, row.find((figure) => figure)?.unit ?? "", ...cells];
  });
  return { header: ["engine", "figure", "unit", ...sets], rows, texts: 3 };
}

export function markdownOf({ header, rows, texts }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column < texts ? "---" : "---:"));
  return `${[header, rule, ...rows].map(line).join("\n")}\n`;
}

/** A line besides the output, for people who wait. */
export function printProgress(figure: Figure): void {
  console.error(`${figure.set}  ${figure.engine}  ${figure.name}: ${cellOf(figure)} ${figure.unit}`);
}

export function show({ header, rows, texts }: Table): void {
  printTable(header, rows, texts);
}

function rowsOf(figures: readonly Figure[]): Figure[][] {
  const rows = new Map<string, Figure[]>();
  for (const figure of figures) {
    const key = `${figure.set}\n${figure.name}`;
    rows.set(key, [...(rows.get(key) ?? []), figure]);
  }
  const sets = unique(figures.map(({ set }) => set));
  return [...rows.values()].sort((a, b) => sets.indexOf(a[0].set) - sets.indexOf(b[0].set));
}

function cellOf(figure: Measurement | undefined): string {
  if (figure === undefined) return "";
  const values = figure.values.map(shown).join(" / ");
  return [values, figure.note].filter(Boolean).join(" ");
}

function ratiosOf(figure: Figure | undefined, base: Figure | undefined): string {
  if (!figure?.values.length || !base?.values.length) return "";
  return figure.values.map((value, at) => ratio(value, base.values[at])).join(" / ");
}

/** With three digits. */
function shown(value: number): string {
  return Math.abs(value) >= 100 ? `${Math.round(value)}` : `${Number(value.toPrecision(3))}`;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
