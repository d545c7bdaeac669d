// Calls of an engine in another thread: plain messages with a number, answered in any order. Both ends live here. The
// pool (pool.ts) calls, workers (worker.ts) answer.
import type { MessagePort, TransferListItem, Worker } from "node:worker_threads";
import { type ErrorCode, errorTable, TarsierError } from "../errors.ts";

type Arguments = readonly unknown[];

interface Call {
  call: number;
  method: string;
  args: Arguments;
}

type Answer =
  | { answer: number; value: unknown }
  | { answer: number; code: ErrorCode | null; message: string }
  | { notice: number; value: unknown };

/** Calls methods by name, in this thread or another. */
export interface Caller {
  /** Calls not yet answered. */
  readonly pending: number;
  /** Calls a method. `listener` gets what it notes on the way. */
  call<T>(method: string, args: Arguments, listener?: (value: never) => void): Promise<T>;
  /** Calls the method `close` and ends the thread. */
  close(): Promise<void>;
}

/** Calls methods of this thread, made when the first one is called. */
export class LocalCaller implements Caller {
  readonly pending = 0;
  readonly #make: () => RemoteMethods;
  #methods: RemoteMethods | null = null;

  constructor(make: () => RemoteMethods) {
    this.#make = make;
  }

  async call<T>(method: string, args: Arguments, listener?: (value: never) => void): Promise<T> {
    this.#methods ??= this.#make();
    return (await this.#methods[method](args as never, (value) => listener?.(value as never))) as T;
  }

  async close(): Promise<void> {
    if (this.#methods) await this.call("close", []);
  }
}

/** The calling end. */
export class RemoteCaller implements Caller {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Map<number, (value: never) => void>();
  #next = 0;
  #failure: Error | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (answer: Answer) => this.#receive(answer));
    worker.on("error", (error) => this.#fail(error));
    worker.on("exit", (code) => this.#fail(new Error(`worker ended with code ${code}`)));
  }

  get pending(): number {
    return this.#waiting.size;
  }

  call<T>(method: string, args: Arguments, listener?: (value: never) => void): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure);
    const call = this.#next++;
    if (listener) this.#listeners.set(call, listener);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#worker.postMessage({ call, method, args } satisfies Call);
    });
  }

  async close(): Promise<void> {
    if (!this.#failure) await this.call("close", []);
    await this.#worker.terminate();
  }

  #receive(answer: Answer): void {
    if ("notice" in answer) {
      this.#listeners.get(answer.notice)?.(answer.value as never);
      return;
    }
    const waiting = this.#waiting.get(answer.answer)!;
    this.#waiting.delete(answer.answer);
    this.#listeners.delete(answer.answer);
    if ("value" in answer) waiting.resolve(answer.value as never);
    else waiting.reject(answer.code ? new TarsierError(answer.code, { message: answer.message }) : new Error(answer.message));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** What a worker offers, by name. A method may note values for the caller's listener before it answers. */
export type RemoteMethods = Record<string, (args: never, note: (value: unknown) => void) => unknown>;

/** The answering end: runs the methods of this thread for the other one. Byte arrays it returns are moved, not copied. */
export function answerCalls(port: MessagePort, methods: RemoteMethods): void {
  port.on("message", async ({ call, method, args }: Call) => {
    const note = (value: unknown) => port.postMessage({ notice: call, value } satisfies Answer);
    try {
      const value = await methods[method](args as never, note);
      port.postMessage({ answer: call, value } satisfies Answer, transferable(value));
    } catch (error) {
      const code = error instanceof TarsierError && error.code in errorTable ? error.code : null;
      const message = error instanceof Error ? (code ? error.message : (error.stack ?? error.message)) : String(error);
      port.postMessage({ answer: call, code, message } satisfies Answer);
    }
  });
}

/** The buffer of a byte array that owns all of it. */
function transferable(value: unknown): TransferListItem[] {
  if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return [];
  return value.byteLength === value.buffer.byteLength ? [value.buffer] : [];
}
