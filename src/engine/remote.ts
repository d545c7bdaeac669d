// Calls to an engine in another thread, answered in any order: as plain messages with a number, or through a
// ring (callring.ts) where each hop counts. Both ends live here. The pool (pool.ts) calls, workers
// (worker.ts) answer. When a thread ends, its open calls fail; the next call starts another thread.
import type { MessagePort, Worker } from "node:worker_threads";
import { type ErrorData, errorData, errorOf, transferable } from "../threaddata.ts";
import { answerRing, type RingAnswer, RingCaller, type RingEnd } from "./callring.ts";

type Arguments = readonly unknown[];
type Note = (value: unknown) => void;

interface Call {
  call: number;
  method: string;
  args: Arguments;
}

type Answer =
  | { answer: number; value: unknown }
  | { answer: number; failure: ErrorData }
  | { notice: number; value: unknown }
  | { ready: true };

/** Calls methods by name, in this thread or another. */
export interface Caller {
  /** Calls not yet answered. */
  readonly pending: number;
  /** For how long the thread has been at the call that it is at, in milliseconds; 0 when at none. */
  readonly heldMs: number;
  /** A thread that is `started` takes calls as well, and answers them once it is `ready`. */
  readonly state: "none" | "started" | "ready";
  /** Starts the thread without a call, unless it runs. */
  start(): void;
  /** Starts the thread, and a new one whenever it has ended to give back its memory. */
  keep(): void;
  /**
   * Calls a method. `listener` gets the notes that the method sends on the way.
   * @throws ThreadEnded when the thread ends before it answers, or `close` was called
   */
  call<T>(method: string, args: Arguments, listener?: (value: never) => void): Promise<T>;
  /**
   * Ends the thread. It first answers all calls and closes what it has open, but for no longer than `waitMs`
   * (without a bound when missing).
   */
  close(waitMs?: number): Promise<void>;
}

/** A call that was not answered because its thread ended. It may or may not have taken effect. */
export class ThreadEnded extends Error {
  /** No other thread will be started in its place. */
  readonly isFinal: boolean;

  constructor(cause: Error | null) {
    super(cause ? `a thread of the engine ended: ${cause.message}` : "the engine is closed");
    this.isFinal = cause === null;
  }
}

/**
 * Calls methods of this thread. They are created at the first call; calls wait in order until they are. If
 * that fails, as without a network in a page, the waiting calls fail with it, and the next call tries again.
 */
export class LocalCaller implements Caller {
  readonly pending = 0;
  readonly heldMs = 0;
  readonly state = "ready";
  readonly #make: () => RemoteMethods | Promise<RemoteMethods>;
  #methods: RemoteMethods | Promise<RemoteMethods> | null = null;
  #closed = false;

  constructor(make: () => RemoteMethods | Promise<RemoteMethods>) {
    this.#make = make;
  }

  start(): void {}

  keep(): void {}

  async call<T>(method: string, args: Arguments, listener?: (value: never) => void): Promise<T> {
    if (this.#closed) throw new ThreadEnded(null);
    this.#methods ??= this.#begin();
    const methods = this.#methods instanceof Promise ? await this.#methods : this.#methods;
    return (await methods[method](args as never, (value) => listener?.(value as never))) as T;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const methods = await Promise.resolve(this.#methods).catch(() => null);
    await methods?.close([] as never, () => {});
  }

  #begin(): RemoteMethods | Promise<RemoteMethods> {
    const made = this.#make();
    if (made instanceof Promise)
      made.catch(() => {
        this.#methods = null;
      });
    return made;
  }
}

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
  listener?: (value: never) => void;
}

/** A thread that answers calls (answerCalls), through a ring if it was given the other end of one. */
export interface Thread {
  worker: Worker;
  ring?: RingEnd;
  /** True when it does not keep the process alive. */
  isLoose?: boolean;
}

/** The calling end. The first call starts the thread. */
export class RemoteCaller implements Caller {
  readonly #make: () => Thread;
  #worker: Worker | null = null;
  #ring: RingCaller | null = null;
  #ready = false;
  readonly #waiting = new Map<number, Waiting>();
  /** When the thread came to the call that it is at. */
  #heldSince = 0;
  #next = 0;
  #closed = false;
  readonly #idleMs: number;
  #isKept = false;
  #idle: NodeJS.Timeout | undefined;

  /**
   * `make`: starts a thread. `idleMs`: a thread that was idle for this long is asked to `rest`, and is ended
   * if it may be: that gives back all of its memory.
   */
  constructor(make: () => Thread, idleMs = Number.POSITIVE_INFINITY) {
    this.#make = make;
    this.#idleMs = idleMs;
  }

  get pending(): number {
    return this.#waiting.size;
  }

  get heldMs(): number {
    return this.#waiting.size === 0 ? 0 : performance.now() - this.#heldSince;
  }

  get state(): Caller["state"] {
    if (this.#worker === null) return "none";
    return this.#ready ? "ready" : "started";
  }

  start(): void {
    if (!this.#closed) this.#worker ??= this.#begin();
  }

  keep(): void {
    this.#isKept = true;
    this.start();
  }

  call<T>(method: string, args: Arguments, listener?: (value: never) => void): Promise<T> {
    if (this.#closed) return Promise.reject(new ThreadEnded(null));
    return this.#send(method, args, listener);
  }

  async close(waitMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    // A thread that is ending now is terminated, whatever it is doing.
    if (waitMs > 0 && this.#worker) await within(waitMs, this.#send("close", []));
    const worker = this.#worker;
    if (!worker) return;
    // Bun cannot terminate a thread that is inside a loop of WebAssembly: callers must not wait for that.
    await within(ENDING_MS_MAX, worker.terminate());
    if (this.#worker === worker) this.#end(new Error("it does not end"));
  }

  #send<T>(method: string, args: Arguments, listener?: (value: never) => void): Promise<T> {
    const worker = this.#worker ?? this.#begin();
    this.#worker = worker;
    const call = this.#next++;
    if (this.#waiting.size === 0) this.#heldSince = performance.now();
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject, listener });
      if (this.#ring) this.#ring.send({ call, method, args });
      else worker.postMessage({ call, method, args } satisfies Call);
    });
  }

  #begin(): Worker {
    const { worker, ring, isLoose } = this.#make();
    this.#ring = ring ? new RingCaller(ring, (call, answer) => this.#receive(answerOf(call, answer))) : null;
    let cause: Error | null = null;
    worker.on("message", (answer: Answer) => this.#receive(answer));
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", (code) => this.#end(cause ?? new Error(`exit code ${code}`)));
    // Not earlier: listening to messages makes the thread hold the process again.
    if (isLoose) worker.unref();
    return worker;
  }

  #receive(answer: Answer): void {
    if ("ready" in answer) {
      this.#ready = true;
      return;
    }
    if ("notice" in answer) {
      this.#waiting.get(answer.notice)?.listener?.(answer.value as never);
      return;
    }
    const waiting = this.#waiting.get(answer.answer);
    // A thread that could not be terminated may still answer late.
    if (!waiting) return;
    this.#waiting.delete(answer.answer);
    if (this.#waiting.size > 0) this.#heldSince = performance.now();
    if ("value" in answer) waiting.resolve(answer.value as never);
    else waiting.reject(errorOf(answer.failure));
    if (this.#waiting.size === 0 && this.#idleMs < Number.POSITIVE_INFINITY) this.#awaitIdleness();
  }

  #awaitIdleness(): void {
    if (this.#closed) return;
    if (this.#idle) this.#idle.refresh();
    else this.#idle = setTimeout(() => void this.#rest(), this.#idleMs).unref();
  }

  /** Ends a thread that has nothing to do and nothing to remember. */
  async #rest(): Promise<void> {
    const worker = this.#worker;
    if (this.#waiting.size > 0 || this.#closed || !worker) return;
    const mayEnd = await this.#send<boolean>("rest", []).catch(() => false);
    // Calls that came meanwhile were sent to this thread.
    if (!mayEnd || this.#waiting.size > 0 || this.#closed || this.#worker !== worker) return;
    this.#worker = null;
    this.#ready = false;
    // The answer to `rest` has started another idle timer: a new thread has nothing to give back.
    clearTimeout(this.#idle);
    this.#idle = undefined;
    worker.removeAllListeners("exit");
    await worker.terminate();
    if (this.#isKept) this.start();
  }

  #end(cause: Error): void {
    this.#worker = null;
    this.#ready = false;
    this.#ring?.close();
    this.#ring = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new ThreadEnded(this.#closed ? null : cause));
  }
}

/** How long a thread that was told to end may take. */
const ENDING_MS_MAX = 1_000;

/** Fulfilled when the promise is settled or the time is over. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const settled = promise.then(
    () => {},
    () => {},
  );
  if (milliseconds === Number.POSITIVE_INFINITY) return settled;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([settled, late]);
  clearTimeout(timer);
}

/**
 * The methods that a thread offers, by name. A method may send notes to the caller's listener before it
 * answers.
 */
export type RemoteMethods = Record<string, (args: never, note: Note) => unknown>;

/** The answering end: reports that it is ready, then runs this thread's methods for the other one. */
export function answerCalls(port: MessagePort, methods: RemoteMethods, ring: RingEnd | null): void {
  const tell = (call: number, answer: RingAnswer) =>
    port.postMessage(answerOf(call, answer), "value" in answer ? transferable(answer.value) : []);
  port.postMessage({ ready: true } satisfies Answer);
  if (ring) {
    // Methods called through a ring are too short to need notes.
    const run = (method: string, args: Arguments) => outcomeOf(methods, method, args, () => {});
    void answerRing(ring, run, tell);
  } else {
    port.on("message", async ({ call, method, args }: Call) => {
      const note = (value: unknown) => port.postMessage({ notice: call, value } satisfies Answer);
      tell(call, await outcomeOf(methods, method, args, note));
    });
  }
}

/** What a method returned or threw, as data. */
async function outcomeOf(
  methods: RemoteMethods,
  method: string,
  args: Arguments,
  note: Note,
): Promise<RingAnswer> {
  try {
    return { value: await methods[method](args as never, note) };
  } catch (error) {
    return { failure: errorData(error) };
  }
}

const answerOf = (call: number, answer: RingAnswer): Answer =>
  "value" in answer
    ? { answer: call, value: answer.value }
    : { answer: call, failure: answer.failure as ErrorData };
