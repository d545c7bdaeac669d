// Imports of files in a temp folder of their own, with what they write to the terminal. Used by the tests of
// the import command.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importFile } from "../../src/cli/import.ts";

const PROGRAM = fileURLToPath(new URL("../../src/cli.js", import.meta.url));

const optionsTo = (url: string) => ["--index", "peaks", "--url", url, "--retry-seconds", "0"];

interface Piped {
  code: number | null;
  output: string;
}

export class Importing {
  readonly folder: string;
  /** Of the files, in milliseconds: part of what they are known by, and tests write the same file twice. */
  modifiedAt = 1_700_000_000_000;
  /** What was written to the terminal. */
  output = "";
  readonly #writeToTerminal = process.stderr.write;
  readonly #temporary = process.env.TMPDIR;

  static async start(): Promise<Importing> {
    return new Importing(await mkdtemp(join(tmpdir(), "tarsier-import-test-")));
  }

  private constructor(folder: string) {
    this.folder = folder;
    // The state of an import goes to the temp folder.
    process.env.TMPDIR = folder;
    process.stderr.write = (text: string | Uint8Array) => {
      this.output += text;
      return true;
    };
  }

  async run(url: string, name: string, content: string | Uint8Array, ...args: string[]): Promise<void> {
    const path = join(this.folder, name);
    await writeFile(path, content);
    await utimes(path, this.modifiedAt / 1000, this.modifiedAt / 1000);
    await importFile([path, ...optionsTo(url), ...args]);
  }

  /** As a process of its own, at the end of a pipe. */
  async pipe(url: string, name: string, content: string, ...args: string[]): Promise<Piped> {
    const env = { ...process.env, TMPDIR: this.folder };
    const command = [process.execPath, PROGRAM, "import", name, ...optionsTo(url), ...args];
    const child = spawn("sh", ["-c", 'cat | "$@"', "sh", ...command], { env });
    let output = "";
    child.stderr.on("data", (text) => {
      output += text;
    });
    // It may end before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(content);
    const [code] = await once(child, "close");
    return { code, output };
  }

  async stateFiles(): Promise<string[]> {
    return (await readdir(this.folder)).filter((name) => name.startsWith("tarsier-import-"));
  }

  async close(): Promise<void> {
    process.stderr.write = this.#writeToTerminal;
    if (this.#temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = this.#temporary;
    await rm(this.folder, { recursive: true });
  }
}

/** So many documents, one a line. */
export const lines = (count: number) => Array.from({ length: count }, (_, id) => `{"id":${id}}\n`).join("");
