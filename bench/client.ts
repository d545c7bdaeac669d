// A client of a server: one kept connection, JSON answers. Called by server.ts, and by parts that write and
// search at the same time.
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type BenchDocument, linesOf, piecesOf } from "./datasets.ts";

type Answer = Record<string, unknown>;

const POLL_MS = 10;
const CHUNK_BYTES = 40 * 2 ** 20;

/** Something was not done in its time. */
export class OverdueError extends Error {}

export class BenchClient {
  readonly url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, noDelay: true });

  constructor(url: string) {
    this.url = url;
  }

  /** Sends JSON, or bytes of NDJSON, and reads JSON. */
  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const isBytes = body instanceof Uint8Array;
    const bytes = isBytes ? body : Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const type = isBytes ? "application/x-ndjson" : "application/json";
    const answer = await this.send(method, path, bytes, type);
    return JSON.parse(answer.toString() || "{}");
  }

  /** Sends and receives bytes: the time that a client spends on JSON is not the server's. */
  send(method: string, path: string, bytes: Uint8Array, type: string): Promise<Buffer> {
    const headers = { "content-type": type, "content-length": bytes.length };
    return new Promise((resolve, reject) => {
      const sent = request(this.url + path, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => resolve(Buffer.concat(chunks)));
      });
      sent.on("error", reject);
      sent.end(bytes);
    });
  }

  /** Adds documents and waits until they can be searched. */
  async addDocuments(index: string, documents: readonly BenchDocument[]): Promise<void> {
    await this.addLines(index, linesOf(documents), "id");
  }

  /** The same with NDJSON; `deadline`: by performance.now(). @throws OverdueError */
  async addLines(
    index: string,
    lines: Buffer,
    primaryKey: string,
    deadline = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const tasks: Answer[] = [];
    for (const piece of piecesOf(lines, CHUNK_BYTES)) {
      tasks.push(await this.ask("POST", `/indexes/${index}/documents?primaryKey=${primaryKey}`, piece));
    }
    for (const task of tasks) await this.wait(task, deadline);
  }

  /** Waits for the end of a task; throws when it fails. @throws OverdueError */
  async wait(summary: Answer, deadline = Number.POSITIVE_INFINITY): Promise<void> {
    if (summary.taskUid === undefined) throw new Error(`refused: ${JSON.stringify(summary)}`);
    while (performance.now() < deadline) {
      const task = await this.ask("GET", `/tasks/${summary.taskUid}`);
      if (task.status === "succeeded") return;
      if (task.status === "failed" || task.status === "canceled") throw new Error(JSON.stringify(task.error));
      await pause(POLL_MS);
    }
    throw new OverdueError();
  }

  close(): void {
    this.#agent.destroy();
  }
}
