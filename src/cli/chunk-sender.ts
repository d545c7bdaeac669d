// Collects the lines of an import into chunks, sends them one after the other, and follows their tasks. What
// the server acknowledged is written to the ImportState before the next chunk is sent.
import type { LineTarget } from "../ingest/payload.ts";
import { UsageError } from "../usageerror.ts";
import type { ImportState } from "./import-state.ts";
import type { ProgressLine } from "./progress-line.ts";
import type { ServerClient } from "./server-client.ts";

/** Chunks that may wait in the server's queue, which keeps each of them on disk. */
const UNFINISHED_TASKS_MAX = 50;
const POLL_MS_MIN = 20;
const POLL_MS_MAX = 1000;
const LINE_FEED = 0x0a;

export class ChunkSender implements LineTarget {
  readonly #client: ServerClient;
  readonly #target: { method: "POST" | "PUT"; path: string };
  readonly #chunkBytes: number;
  readonly #state: ImportState;
  readonly #progress: ProgressLine;
  #waiting: Buffer<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  /** Whether any of them ends a line: a document may be longer than a chunk, and come in many pieces. */
  #endsLine = false;
  /** Bytes at the start of the lines that an earlier run has sent. */
  #skipBytes: number;
  #lostTasks = 0;

  constructor(
    client: ServerClient,
    target: { method: "POST" | "PUT"; path: string },
    chunkBytes: number,
    state: ImportState,
    progress: ProgressLine,
  ) {
    this.#client = client;
    this.#target = target;
    this.#chunkBytes = chunkBytes;
    this.#state = state;
    this.#progress = progress;
    this.#skipBytes = state.sentBytes;
  }

  /** Tasks that were deleted before their outcome was known. */
  get lostTasks(): number {
    return this.#lostTasks;
  }

  async append(bytes: Uint8Array): Promise<void> {
    const skipped = Math.min(this.#skipBytes, bytes.length);
    this.#skipBytes -= skipped;
    if (skipped === bytes.length) return;
    const piece = Buffer.from(bytes.subarray(skipped));
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    this.#endsLine ||= piece.includes(LINE_FEED);
    if (this.#endsLine && this.#waitingBytes >= this.#chunkBytes) await this.#sendWholeLines();
  }

  /** Sends the lines that are left. */
  async finish(): Promise<void> {
    if (this.#endsLine) await this.#sendWholeLines();
  }

  /** Waits until every task of this import has ended. Throws a UsageError when one failed. */
  async waitForTasks(most = 0): Promise<void> {
    let pause = POLL_MS_MIN;
    while (this.#state.tasks.length > most) {
      const uid = this.#state.tasks[0];
      const task = await this.#client.task(uid);
      if (task?.status === "enqueued" || task?.status === "processing") {
        this.#progress.waiting(this.#state.tasks.length);
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 1.5, POLL_MS_MAX);
        continue;
      }
      // Only ended tasks can be deleted, so a task that is gone need not be waited for.
      if (task === null) this.#lostTasks++;
      else if (task.status !== "succeeded") {
        this.#state.remove();
        throw new UsageError(
          `the server did not index the documents: task ${uid} ${task.status}: ${task.message}`,
          1,
        );
      }
      this.#state.taskEnded(uid);
      pause = POLL_MS_MIN;
    }
  }

  async #sendWholeLines(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const chunk = bytes.subarray(0, end);
    const task = await this.#client.addDocuments(this.#target, chunk);
    this.#state.acknowledged(chunk.length, countLines(chunk), task);
    this.#progress.sent(this.#state.documents);
    this.#waiting = end < bytes.length ? [bytes.subarray(end)] : [];
    this.#waitingBytes = bytes.length - end;
    this.#endsLine = false;
    await this.waitForTasks(UNFINISHED_TASKS_MAX);
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}
