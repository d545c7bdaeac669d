// The worker of the browser door: opens a store and answers the calls of the page (remoteoperations.ts).
import { deferred } from "../deferred.ts";
import type { Operations } from "../library/operations.ts";
import { errorData, errorOf, transferable } from "../threaddata.ts";
import type { BundleStart } from "./bundles.ts";
import type { Reply, Request } from "./messages.ts";
import { openOperations } from "./opening.ts";
import { ensureRandomUuid } from "./randomuuid.ts";

const TIMER_MS_MAX = 2 ** 31 - 1;

/** The types of lib.dom declare the globals of a page, not of a worker. */
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(reply: Reply, transfer?: ArrayBuffer[]): void;
};

/**
 * Firefox (153) sometimes answers no question about folders to a worker in which no timer waits: the first
 * one after a reload then waits forever. This one never ends, and costs nothing.
 */
setInterval(() => {}, TIMER_MS_MAX);
ensureRandomUuid();
let operations: Operations | null = null;
const sources = new Map<number, PieceSource>();

const core = deferred<WebAssembly.Module>();
const bundle = deferred<BundleStart>();

scope.onmessage = ({ data }) => {
  if ("open" in data) void open(data.open);
  else if ("core" in data) core.resolve(data.core);
  else if ("bundle" in data) bundle.resolve(data.bundle);
  else if ("call" in data) void answer(data);
  else sources.get(data.piecesOf)?.receive(data);
};

async function open(options: Extract<Request, { open: unknown }>["open"]): Promise<void> {
  try {
    const fetched = { core: core.promise, bundle: bundle.promise };
    operations = await openOperations(options, fetched, (copiedBytes, totalBytes) =>
      scope.postMessage({ copiedBytes, totalBytes }),
    );
    scope.postMessage({ opened: true });
  } catch (error) {
    scope.postMessage({ opened: false, failure: errorData(error) });
  }
}

async function answer({ call, method, args }: Extract<Request, { call: number }>): Promise<void> {
  try {
    const run = operations![method] as unknown as (...args: unknown[]) => Promise<unknown>;
    const given = method === "addDocuments" ? [args[0], sourceOf(call), args[2]] : [...args];
    const value = owned(await run.apply(operations, given));
    scope.postMessage({ answer: call, value }, transferable(value));
  } catch (error) {
    scope.postMessage({ answer: call, failure: errorData(error) });
  } finally {
    sources.delete(call);
  }
}

/** Copies bytes into a buffer of their own, so that it can be transferred. */
function owned(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const isWhole = value.byteLength === value.buffer.byteLength && value.buffer instanceof ArrayBuffer;
  return isWhole && value.constructor === Uint8Array ? value : new Uint8Array(value);
}

function sourceOf(call: number): PieceSource {
  const source = new PieceSource(() => scope.postMessage({ wantsPieceOf: call }));
  sources.set(call, source);
  return source;
}

/** The documents of a call, which arrive from the page piece by piece. */
class PieceSource implements AsyncIterableIterator<Uint8Array> {
  readonly #ask: () => void;
  #waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: Error): void } | null = null;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#ask();
    });
  }

  receive(message: Extract<Request, { piecesOf: number }>): void {
    if ("failure" in message) this.#waiting?.reject(errorOf(message.failure));
    else if (message.piece === null) this.#waiting?.resolve({ done: true, value: undefined });
    else this.#waiting?.resolve({ done: false, value: message.piece });
    this.#waiting = null;
  }
}
