// A Tarsier server for a benchmark: its own process, a fresh database, a free port. Asked over one kept
// connection.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BenchDocument } from "./datasets.ts";

type Answer = Record<string, unknown>;

const START_MS_MAX = 30_000;
const POLL_MS = 10;
/** In which the system counts processor time. */
const TICK_MS = 10;
const CHUNK_BYTES = 40 * 2 ** 20;
const program = fileURLToPath(new URL("../cli.js", import.meta.url));

/** `database`: a folder that is there already and stays; `options`: more. */
export async function startServer(database?: string, options: readonly string[] = []): Promise<BenchServer> {
  const folder = database === undefined ? await mkdtemp(join(tmpdir(), "tarsier-bench-")) : null;
  const port = await freePort();
  const place = ["--db-path", database ?? join(folder ?? "", "db"), "--http-addr", `127.0.0.1:${port}`];
  const args = [program, ...place, "--no-analytics", "--log-level", "error", ...options];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  const server = new BenchServer(child, folder, port);
  await server.ready();
  return server;
}

export class BenchServer {
  readonly url: string;
  readonly #child: ChildProcess;
  /** Removed at the end. */
  readonly #folder: string | null;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, noDelay: true });

  constructor(child: ChildProcess, folder: string | null, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.url = `http://127.0.0.1:${port}`;
  }

  async ready(): Promise<void> {
    const deadline = performance.now() + START_MS_MAX;
    while (performance.now() < deadline && this.#child.exitCode === null) {
      const answer = await this.ask("GET", "/health").catch(() => null);
      if (answer?.status === "available") return;
      await pause(POLL_MS);
    }
    throw new Error("the server does not start");
  }

  /** Sends JSON, or bytes of NDJSON, and reads JSON. */
  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const isBytes = body instanceof Uint8Array;
    const bytes = isBytes ? body : Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const type = isBytes ? "application/x-ndjson" : "application/json";
    const headers = { "content-type": type, "content-length": bytes.length };
    return new Promise((resolve, reject) => {
      const sent = request(this.url + path, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString() || "{}")));
      });
      sent.on("error", reject);
      sent.end(bytes);
    });
  }

  /** Adds documents and waits until they can be searched. */
  async addDocuments(index: string, documents: readonly BenchDocument[]): Promise<void> {
    const tasks: Answer[] = [];
    for (const chunk of chunksOf(documents)) {
      tasks.push(await this.ask("POST", `/indexes/${index}/documents?primaryKey=id`, chunk));
    }
    for (const task of tasks) await this.wait(task);
  }

  /** Waits for the end of a task; throws when it fails. */
  async wait(summary: Answer): Promise<void> {
    if (summary.taskUid === undefined) throw new Error(`refused: ${JSON.stringify(summary)}`);
    for (;;) {
      const task = await this.ask("GET", `/tasks/${summary.taskUid}`);
      if (task.status === "succeeded") return;
      if (task.status === "failed" || task.status === "canceled") throw new Error(JSON.stringify(task.error));
      await pause(POLL_MS);
    }
  }

  /** Resident memory of the process in bytes; 0 where the system does not tell. */
  memory(): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  }

  /** Processor time of the process so far; 0 where the system does not tell. */
  processorMs(): number {
    try {
      const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ")[1].split(" ");
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      return 0;
    }
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode === null && this.#child.kill()) await ended;
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }
}

function* chunksOf(documents: readonly BenchDocument[]): Generator<Uint8Array> {
  let lines: string[] = [];
  let length = 0;
  for (const document of documents) {
    const line = JSON.stringify(document);
    lines.push(line);
    length += line.length;
    if (length < CHUNK_BYTES) continue;
    yield Buffer.from(lines.join("\n"));
    [lines, length] = [[], 0];
  }
  if (lines.length > 0) yield Buffer.from(lines.join("\n"));
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
