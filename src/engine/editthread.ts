// The thread that runs one edit function. Whatever the function is doing (even in a step of the interpreter
// that never ends), it ends with its thread: when it runs well past its time, when the batch is stopped, or
// when JavaScript's heap grows too large. A thread that did its work waits a while for the next function:
// starting one costs more than most functions. Called by ingest/editeddocuments.ts, in the write thread.
import { Worker } from "node:worker_threads";
import { messageOf } from "../errors.ts";
import { type Edit, EditFailure, editsOf, lateness, listOf, SANDBOX_BOUNDS } from "./edit/editfunction.ts";
import { RemoteCaller, type Thread, ThreadEnded } from "./remote.ts";

/** What the thread is told at its start: no folder, no options. */
export interface SandboxStart {
  role: "edit";
}

/** How long a function whose time is over may take to end by itself. */
const GRACE_MS = 500;
/** Limits of the heap, which is separate from the sandbox's memory: the function's answers are read there. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 };

/** How long a new thread may take until it has its interpreter. */
const START_MS_MAX = 60_000;
const IDLE_MS_MAX = 10_000;

let waiting: RemoteCaller | null = null;

/**
 * What a sandbox answers: a text for `editsOf`. `at`: place, among the documents given, of the one that
 * failed; null when unknown.
 */
export type EditAnswer = { text: string } | { text: null; reason: string; at: number | null };

export class EditThread {
  readonly #thread: RemoteCaller;
  readonly #timeMs: number;
  #isEnded = false;

  /**
   * Compiles the function. Source text that closes the function wrapped around it runs already here.
   * @throws EditFailure when it does not compile
   */
  static async open(
    source: string,
    context: unknown,
    signal: AbortSignal,
    timeMs = SANDBOX_BOUNDS.timeMs,
  ): Promise<EditThread> {
    const thread = new EditThread(timeMs);
    try {
      // Not counted as time of the function.
      await thread.#ask("load", [], signal, START_MS_MAX);
      await thread.#ask("compile", [source, context, timeMs], signal);
      return thread;
    } catch (error) {
      thread.close();
      throw error;
    }
  }

  private constructor(timeMs: number) {
    this.#timeMs = timeMs;
    this.#thread = waiting ?? new RemoteCaller(startSandbox, IDLE_MS_MAX);
    waiting = null;
  }

  /**
   * Runs the function on documents, each given as JSON. Fails when the signal fires.
   * @throws EditFailure
   */
  async run(documents: readonly string[], signal: AbortSignal): Promise<Edit[]> {
    return editsOf(await this.#ask("run", [listOf(documents)], signal));
  }

  /** To be called when nothing runs any more; the thread may serve the next function. */
  close(): void {
    if (!this.#isEnded && waiting === null) waiting = this.#thread;
    else this.#end();
  }

  /** Ends the thread, whatever it is doing. */
  #end(): void {
    this.#isEnded = true;
    void this.#thread.close(0);
  }

  async #ask(
    method: string,
    args: readonly unknown[],
    signal: AbortSignal,
    timeMs = this.#timeMs,
  ): Promise<string> {
    let isLate = false;
    const end = () => this.#end();
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeMs + GRACE_MS);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    try {
      const answer = await this.#thread.call<EditAnswer>(method, args);
      if (answer.text !== null) return answer.text;
      throw new EditFailure(answer.reason, answer.at);
    } catch (error) {
      if (isLate) throw new EditFailure(lateness(timeMs));
      if (!(error instanceof EditFailure)) end();
      throw error instanceof ThreadEnded ? new EditFailure(messageOf(error)) : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }
}

/**
 * The thread keeps no process alive, not even while it waits for the next function: a caller that waits for
 * it has a timer running.
 */
function startSandbox(): Thread {
  const workerData: SandboxStart = { role: "edit" };
  const worker = new Worker(new URL("./worker.js", import.meta.url), {
    workerData,
    resourceLimits: HEAP_LIMITS,
  });
  return { worker, isLoose: true };
}
