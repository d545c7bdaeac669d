// The server of a build as a process of its own: started on a free port, spoken to over HTTP, killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../cli.js", import.meta.url));
const START_MS_MAX = 60_000;
const POLL_MS = 10;
const OPTIONS = [
  "--threads",
  "1",
  "--log-level",
  "error",
  "--max-indexing-memory",
  "96MiB",
  "--max-search-memory",
  "64MiB",
];

export interface Answer {
  status: number;
  body: unknown;
}

export class Server {
  readonly #child: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly #ended: Promise<unknown>;
  #isKilled = false;
  /** What the process wrote to its error output. */
  errors = "";

  /**
   * Starts a process; `ready` tells when it answers. `program`: the file that node runs; `options`: more;
   * `port`: that of a server that was killed.
   */
  static async start(
    folder: string,
    program = CLI,
    options: readonly string[] = [],
    port?: number,
  ): Promise<Server> {
    return new Server(folder, port ?? (await freePort()), [program, "serve", ...options]);
  }

  private constructor(folder: string, port: number, command: readonly string[]) {
    this.port = port;
    const address = `localhost:${port}`;
    const args = [...command, "--db-path", folder, "--http-addr", address, ...OPTIONS];
    this.#child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"], cwd: folder });
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    this.#ended = once(this.#child, "close");
    this.url = `http://${address}`;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Fulfilled when the server answers. */
  async ready(): Promise<void> {
    for (const end = Date.now() + START_MS_MAX; Date.now() < end; await pause(POLL_MS)) {
      if (this.#child.exitCode !== null) throw new Error(`the server ended by itself:\n${this.errors}`);
      const { status } = await this.send("GET", "/health").catch(() => ({ status: 0 }));
      if (status === 200) return;
    }
    throw new Error(`the server did not start:\n${this.errors}`);
  }

  /** @throws Error when no whole answer came */
  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** The body of an answer that must be 200. */
  async get<Body>(path: string): Promise<Body> {
    return this.#expect<Body>(await this.send("GET", path), path);
  }

  async post<Body>(path: string, body: unknown): Promise<Body> {
    return this.#expect<Body>(await this.send("POST", path, body), path);
  }

  /** Kills the process: nothing can be caught or written any more. @throws Error when it had ended itself */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null && !this.#isKilled) {
      throw new Error(`the server ended by itself, code ${this.#child.exitCode}:\n${this.errors}`);
    }
    this.#isKilled = true;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  #expect<Body>({ status, body }: Answer, path: string): Body {
    if (status !== 200) throw new Error(`${path} answers ${status}: ${JSON.stringify(body)}\n${this.errors}`);
    return body as Body;
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "localhost");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
