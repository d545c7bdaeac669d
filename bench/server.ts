// A server for a benchmark: its own process, a new database, a free port. Requests go through client.ts.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { atEnd, type TemporaryFolder, temporaryFolder } from "./cleanup.ts";
import { BenchClient } from "./client.ts";

const START_MS_MAX = 120_000;
const READY_POLL_MS = 2;
const STOP_MS_MAX = 30_000;
/** Share of a processor. */
const REST_PART_MAX = 0.1;
/** Unit in which the system counts processor time. */
const TICK_MS = 10;
/** A program that serves the HTTP API: Tarsier, or another one with the same options. */
export interface Program {
  name: string;
  command: readonly string[];
}

export const tarsier: Program = {
  name: "tarsier",
  command: [process.execPath, fileURLToPath(new URL("../cli.js", import.meta.url))],
};

/** The server that PEER_BIN names, for comparison. */
export function peerProgram(): Program | null {
  const file = process.env.PEER_BIN;
  if (!file) return null;
  const name = basename(file).replace(/\.\w+$/, "");
  return { name: name === tarsier.name ? "peer" : name, command: [resolve(file)] };
}

export interface StartOptions {
  /** A folder that stays; default: a temporary one, removed with the server. */
  folder?: string;
  /** Further options of the command line. */
  options?: readonly string[];
  program?: Program;
  /** Processors that it may use, as taskset lists them; default: all. */
  processors?: string;
}

export async function startServer(start: StartOptions = {}): Promise<BenchServer> {
  const { program = tarsier, options = [], processors } = start;
  const temporary = start.folder === undefined ? temporaryFolder() : null;
  const port = await freePort();
  const database = resolve(start.folder ?? join(temporary?.path ?? "", "db"));
  const place = ["--db-path", database, "--http-addr", `127.0.0.1:${port}`];
  const pinned = processors === undefined ? [] : ["taskset", "-c", processors];
  const [command, ...args] = [...pinned, ...program.command, ...place, "--no-analytics"];
  const quiet = ["--log-level", "error", ...options];
  // Some programs write files next to their database.
  const cwd = temporary?.path ?? dirname(database);
  const output = program === tarsier ? "inherit" : "ignore";
  const child = spawn(command, [...args, ...quiet], {
    stdio: ["ignore", output, output],
    cwd,
    env: environmentOfServers(),
  });
  child.once("error", (error) => console.error(error.message));
  const server = new BenchServer(child, temporary, port);
  try {
    await server.ready();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/**
 * Where this is set, Node reads all certificates of the system before anything else: 40 ms of each start that
 * neither the server nor its machine would have without it.
 */
function environmentOfServers(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_EXTRA_CA_CERTS: undefined };
}

export class BenchServer extends BenchClient {
  readonly #child: ChildProcess;
  /** Removed at the end; null: the folder stays. */
  readonly #temporary: TemporaryFolder | null;
  readonly #forget: () => void;

  constructor(child: ChildProcess, temporary: TemporaryFolder | null, port: number) {
    super(`http://127.0.0.1:${port}`);
    this.#child = child;
    this.#temporary = temporary;
    this.#forget = atEnd(() => child.kill("SIGKILL"));
  }

  async ready(): Promise<void> {
    const deadline = performance.now() + START_MS_MAX;
    while (performance.now() < deadline && this.#child.exitCode === null) {
      const answer = await this.ask("GET", "/health").catch(() => null);
      if (answer?.status === "available") return;
      await pause(READY_POLL_MS);
    }
    throw new Error("the server does not start");
  }

  /**
   * Waits until nothing runs in the background, such as merges: until the server has hardly used a processor
   * for `calm` milliseconds, but at most `most` milliseconds.
   */
  async rest(calm: number, most: number): Promise<void> {
    const deadline = performance.now() + most;
    while (performance.now() < deadline) {
      const before = this.processorMs();
      await pause(calm);
      if (this.processorMs() - before <= REST_PART_MAX * calm) return;
    }
  }

  /** Resident memory of the process in bytes; 0 where the system does not tell it. */
  memory(): number {
    return this.#memoryField("VmRSS");
  }

  /** The peak of that. */
  peakMemory(): number {
    return this.#memoryField("VmHWM");
  }

  /** Processor time of the process so far; 0 where the system does not tell it. */
  processorMs(): number {
    try {
      const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ")[1].split(" ");
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      return 0;
    }
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.close();
    const child = this.#child;
    const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    if (isRunning) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
      child.kill(signal);
      await ended;
      clearTimeout(impatience);
    }
    this.#forget();
    this.#temporary?.remove();
  }

  #memoryField(name: string): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  }
}

/** Bytes that a folder takes on disk. */
export function diskBytes(folder: string): number {
  const BLOCK_BYTES = 512;
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)).blocks * BLOCK_BYTES)
    .reduce((sum, bytes) => sum + bytes, 0);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
