// Keeps figures: a JSON and a Markdown file of the same name in bench/results, with the machine and the
// commit. Called by the benchmarks with many figures.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, markdownOf, type Table } from "./figures.ts";
import { commitName, describeMachine, type Machine } from "./machine.ts";

export const RESULTS_FOLDER = join("bench", "results");

export class Results {
  readonly #folder: string | null;
  readonly #name: string;
  readonly #machine: Machine = describeMachine();
  readonly #commit = commitName();
  readonly #date = new Date().toISOString();

  /** `name`: that of the benchmark; `folder`: null to write nothing. */
  constructor(name: string, folder: string | null) {
    this.#folder = folder;
    this.#name = name;
  }

  /** The conditions of the figures, in a few lines. */
  get heading(): string {
    const { processor, cores, memoryBytes, node, platform, load, calibrationMs } = this.#machine;
    const size = `${Math.round(memoryBytes / 2 ** 30)} GiB`;
    return [
      `commit ${this.#commit}, ${this.#date.slice(0, 16)} UTC`,
      `${processor}, ${cores} cores, ${size}, ${platform}, Node ${node}`,
      `sha256 of 256 MiB in ${calibrationMs} ms; load before the run ${load}`,
    ].join("\n");
  }

  /** Writes everything so far, replacing what was written before. Returns the path without an extension. */
  write(figures: readonly Figure[], table: Table, notes: readonly string[]): string | null {
    if (this.#folder === null) return null;
    mkdirSync(this.#folder, { recursive: true });
    const path = join(this.#folder, `${this.#date.slice(0, 10)}-${this.#commit}-${this.#name}`);
    const head = JSON.stringify({ commit: this.#commit, date: this.#date, machine: this.#machine, notes });
    const list = figures.map((figure) => JSON.stringify({ ...figure, values: figure.values.map(rounded) }));
    writeFileSync(`${path}.json`, `${head.slice(0, -1)},"figures":[\n${list.join(",\n")}\n]}\n`);
    const text = [`# ${this.#name}`, this.heading.replaceAll("\n", "  \n"), markdownOf(table), ...notes];
    writeFileSync(`${path}.md`, `${text.join("\n\n").trimEnd()}\n`);
    return path;
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(5));
}
