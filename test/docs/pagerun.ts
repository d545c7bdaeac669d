// Runs the blocks of a page in a temporary folder, in their order. Used by docs.test.ts.
//
//   sh            by bash; `tarsier` and `npx tarsier` are this build, localhost:7700 is a free port. All
//                 tasks end before a block starts.
//   sh server     starts the server of the blocks behind it, in place of one that runs. Without such a block,
//                 the first one that names localhost:7700 finds one that was started without options.
//   sh stopped    the server is stopped before.
//   ts, js        all of a page are one program, which runs at the end; `tarsier` is this build.
//   js browser    the same in a page of Chromium (browserrun.ts).
//   not-run       cannot run here, and is only counted.
//
// The services at EMBEDDER_ADDRESSES are a stand-in (embedder.ts).
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { freePort, until } from "../runtime/process.ts";
import { openEmbedder } from "./embedder.ts";
import type { Block } from "./markdown.ts";
import { compareOutput } from "./shown.ts";

/** Generous: machines may be slow. */
const BLOCK_MS_MAX = 120_000;
const COMPILER_OPTIONS =
  "--noEmit --ignoreConfig --strict --skipLibCheck --module nodenext --target es2022 --lib es2023,dom".split(
    " ",
  );
const DEFAULT_ADDRESS = "localhost:7700";
const EMBEDDER_ADDRESSES = ["localhost:8080", "localhost:11434"];
/** Printed by programs between their blocks. */
const BLOCK_END = "--- end of a block ---";
/** Nothing of what the tests' own surroundings say may reach a server. */
const NO_OPTION = /^(?:TARSIER|MEILI|NODE|npm)_/;

/** `page`: where the data files beside it are; `build`: what is tried. */
export class PageRun {
  readonly #folder: string;
  readonly #port: number;
  readonly #compiler: string;
  readonly #embedder: { server: Server; port: number };
  #server: { child: ChildProcess; key: string | null } | null = null;

  static async start(root: string, build: string, folder: string): Promise<PageRun> {
    prepare(root, build, folder);
    return new PageRun(root, folder, await freePort(), await openEmbedder());
  }

  private constructor(
    root: string,
    folder: string,
    port: number,
    embedder: { server: Server; port: number },
  ) {
    this.#folder = folder;
    this.#port = port;
    this.#embedder = embedder;
    this.#compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  }

  async runShell(block: Block): Promise<void> {
    await this.#idle();
    if (block.marks.includes("stopped")) await this.stop();
    if (block.marks.includes("server")) return this.#startServer(block.text);
    if (block.text.includes(DEFAULT_ADDRESS) && !this.#server) await this.#startServer("tarsier");
    const output = await this.#run("bash", ["-euo", "pipefail", "-c", this.#here(block.text)]);
    if (block.shown) compareOutput(output, block.shown);
  }

  /** All of them as one module. */
  async runProgram(blocks: readonly Block[]): Promise<void> {
    await this.checkTypes(blocks, ["--types", "node"]);
    const file = join(this.#folder, "program.mjs");
    writeFileSync(file, this.#here(programOf(blocks)));
    compareOutputs(await this.#run(process.execPath, [file]), blocks);
  }

  /** With the declarations that the package ships. */
  async checkTypes(blocks: readonly Block[], more: readonly string[] = []): Promise<void> {
    writeFileSync(join(this.#folder, "program.ts"), blocks.map(({ text }) => text).join("\n"));
    await this.#run(process.execPath, [this.#compiler, ...COMPILER_OPTIONS, ...more, "program.ts"]);
  }

  async close(): Promise<void> {
    await this.stop();
    this.#embedder.server.close();
    this.#embedder.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    const child = this.#server?.child;
    this.#server = null;
    if (child === undefined || child.exitCode !== null) return;
    process.kill(-child.pid!, "SIGTERM");
    await once(child, "exit");
  }

  async #startServer(command: string): Promise<void> {
    await this.stop();
    const { environment } = this;
    const options = { cwd: this.#folder, env: environment, detached: true };
    const child = spawn("bash", ["-c", `exec ${command}`], {
      ...options,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server = { child, key: /--master-key (\S+)/.exec(command)?.[1] ?? null };
    let said = "";
    child.stderr!.on("data", (bytes) => {
      said += bytes;
    });
    await until(() => {
      if (child.exitCode !== null) throw new Error(`the server ended:\n${said}`);
      return said.includes("listens on");
    });
  }

  async #idle(): Promise<void> {
    if (!this.#server) return;
    const { key } = this.#server;
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
    const url = `http://localhost:${this.#port}/tasks?statuses=enqueued,processing`;
    await until(
      async () => ((await (await fetch(url, { headers })).json()) as { total: number }).total === 0,
    );
  }

  #run(command: string, args: readonly string[]): Promise<string> {
    const options = { cwd: this.#folder, env: this.environment, timeout: BLOCK_MS_MAX };
    return new Promise((resolve, reject) => {
      execFile(command, args, options, (error, output, problems) => {
        if (error) reject(new Error(`${error.message}\n${output}${problems}`));
        else resolve(output.replaceAll(`localhost:${this.#port}`, DEFAULT_ADDRESS));
      });
    });
  }

  get environment(): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !NO_OPTION.test(name));
    const path = `${join(this.#folder, "bin")}:${process.env.PATH}`;
    return { ...Object.fromEntries(own), PATH: path, TARSIER_HTTP_ADDR: `localhost:${this.#port}` };
  }

  #here(text: string): string {
    const own = text.replaceAll(DEFAULT_ADDRESS, `localhost:${this.#port}`);
    const embedder = `localhost:${this.#embedder.port}`;
    return EMBEDDER_ADDRESSES.reduce((all, address) => all.replaceAll(address, embedder), own);
  }
}

/** The blocks as JavaScript, with a line of output behind each. */
export function programOf(blocks: readonly Block[]): string {
  const source = blocks.map(({ text }) => `${text}\nconsole.log("${BLOCK_END}");`).join("\n");
  return transformSync(source, { loader: "ts", format: "esm" }).code;
}

export function compareOutputs(output: string, blocks: readonly Block[]): void {
  const outputs = output.split(`${BLOCK_END}\n`);
  for (const [at, { shown }] of blocks.entries()) if (shown) compareOutput(outputs[at], shown);
}

/** The folder in which the page's reader would be: the data files of docs/, and the package, installed. */
function prepare(root: string, build: string, folder: string): void {
  for (const name of readdirSync(join(root, "docs")).filter((it) => /\.(?:nd)?json$/.test(it)))
    copyFileSync(join(root, "docs", name), join(folder, name));
  cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true });
  const installed = join(folder, "node_modules", "tarsier");
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(root, "package.json"), join(installed, "package.json"));
  symlinkSync(build, join(installed, "build"));
  symlinkSync(join(root, "node_modules", "@types"), join(folder, "node_modules", "@types"));
  // Without one, a package around the folder would be asked for its own name.
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeCommand(join(bin, "tarsier"), `exec "${process.execPath}" "${join(build, "cli.js")}" "$@"`);
  writeCommand(join(bin, "npx"), 'exec "$@"');
}

function writeCommand(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}
