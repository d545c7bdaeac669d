// Processes of the runtime that runs the tests: a server, or a program of the library. Used by library.ts and
// server.ts.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Generous: machines may be slow. */
const WAIT_MS_MAX = 120_000;
const POLL_MS = 25;

/** The build that this file belongs to. */
export const BUILD = new URL("../../", import.meta.url);

/** Deno asks for leave and a command; the others take the file. */
const COMMAND = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath];

/** A child process whose output is kept. */
export class Program {
  readonly child: ChildProcess;
  output = "";
  readonly ended: Promise<number | null>;

  constructor(file: URL, args: readonly string[]) {
    const [command, ...first] = COMMAND;
    this.child = spawn(command, [...first, fileURLToPath(file), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on("data", (text: Buffer) => {
        this.output += text;
      });
    this.ended = new Promise((resolve) => this.child.once("exit", resolve));
  }

  async says(text: string): Promise<void> {
    let isOver = false;
    void this.ended.then(() => {
      isOver = true;
    });
    await until(() => {
      if (isOver && !this.output.includes(text)) throw new Error(`the program ended:\n${this.output}`);
      return this.output.includes(text);
    });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> {
    const { pid, exitCode, signalCode } = this.child;
    // Not `child.kill`: under Deno a child that was told to end is taken for one that was killed.
    if (exitCode === null && signalCode === null) process.kill(pid!, signal);
    return this.ended;
  }
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error("what was waited for did not come");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Runs with a folder that is removed again. */
export async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-runtime-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
