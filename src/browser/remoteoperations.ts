// The operations of a store whose engine runs in a worker: every call is a message. Made by src/browser.ts.
import { TarsierError } from "../errors.ts";
import { type Operations, WRITES } from "../library/operations.ts";
import { refusal } from "../library/refusal.ts";
import { errorData, errorOf, transferable } from "../threaddata.ts";
import { startBundle } from "./bundles.ts";
import { copiedArguments } from "./copiedarguments.ts";
import { fetchCore } from "./fetchcore.ts";
import type { Method, Reply, Request } from "./messages.ts";
import type { OpenOptions } from "./openoptions.ts";

/** With `WRITES`: what consists only of arguments and an answer, but for the documents that are added. */
const READS = [
  ...(["document", "documents", "search", "facetSearch", "similar", "multiSearch"] as const),
  ...(["indexes", "index", "stats", "indexStats", "features"] as const),
  ...(["tasks", "task", "ended", "idle"] as const),
] satisfies Method[];

/** Fulfilled when the worker reports that it has opened the store. */
export function openRemote(worker: Worker, options: OpenOptions): Promise<Operations> {
  checkOptions(options);
  const { bundle, onProgress, ...plain } = options;
  const calls = new Calls(worker);
  const address: { bundle?: string } = bundle === undefined ? {} : { bundle: addressOf(bundle) };
  worker.postMessage({ open: { ...plain, ...address } } satisfies Request);
  return new Promise((resolve, reject) => {
    fetchCore().then((core) => worker.postMessage({ core } satisfies Request), reject);
    if (address.bundle !== undefined && options.folder === undefined) {
      startBundle(address.bundle).then(
        (start) => worker.postMessage({ bundle: start } satisfies Request, transferable(start.first)),
        reject,
      );
    }
    worker.onerror = (event) => {
      event.preventDefault();
      const error = workerFailure(event.message);
      reject(error);
      calls.end(error);
    };
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if ("copiedBytes" in data) onProgress?.(data.copiedBytes, data.totalBytes);
      else if (!("opened" in data)) calls.receive(data);
      else if (data.opened) resolve(operationsOver(calls));
      else reject(errorOf(data.failure));
    };
  });
}

/** Without a message a script of the worker could not be loaded: browsers do not say which, or why. */
function workerFailure(message: string | undefined): TarsierError {
  if (message) return new TarsierError("internal", { message: `The worker of the store failed: ${message}` });
  const scripts = "its scripts, `browser-worker.js` and `browser-engine.js` or what a bundler made of them";
  const needs = "must be there, and served as JavaScript";
  return new TarsierError("io_error", {
    message: `The worker of the store could not be loaded: ${scripts}, ${needs}`,
  });
}

const OPTION_KINDS: Record<keyof OpenOptions, readonly string[]> = {
  folder: ["string"],
  bundle: ["string", "object"],
  maxIndexingMemory: ["number", "string"],
  maxSearchMemory: ["number", "string"],
  threads: ["number"],
  onProgress: ["function"],
};

function addressOf(bundle: string | URL): string {
  try {
    return new URL(bundle, document.baseURI).href;
  } catch {
    throw refusal("Option `bundle`", "an address", bundle);
  }
}

/** Refuses wrong names and kinds, which programs without types may pass; the worker checks the values. */
function checkOptions(options: OpenOptions): void {
  if (typeof options !== "object" || options === null || Symbol.iterator in options)
    throw refusal("The options", "an object", options);
  for (const [name, value] of Object.entries(options)) {
    const kinds = OPTION_KINDS[name as keyof OpenOptions] ?? [];
    if (value === undefined ? kinds.length > 0 : value !== null && kinds.includes(typeof value)) continue;
    const names = Object.keys(OPTION_KINDS).join(", ");
    const expected = kinds.length > 0 ? `a ${kinds.join(" or ")}` : `one of ${names}`;
    throw refusal(`Option \`${name}\``, expected, value);
  }
}

function operationsOver(calls: Calls): Operations {
  const plain = [...READS, ...WRITES].map((method) => [
    method,
    (...args: readonly unknown[]) => calls.send(method, args),
  ]);
  const operations = Object.fromEntries(plain) as Pick<Operations, (typeof READS | typeof WRITES)[number]>;
  return {
    ...operations,
    addDocuments: (indexUid, pieces, addition) =>
      calls.send("addDocuments", [indexUid, null, addition], pieces[Symbol.asyncIterator]()),
    close: () => calls.close(),
  };
}

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
  pieces: AsyncIterator<Uint8Array> | null;
}

class Calls {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  /** Why no further call is answered. */
  #end: Error | null = null;
  #closed: Promise<void> | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  send<T>(
    method: Method,
    args: readonly unknown[],
    pieces: AsyncIterator<Uint8Array> | null = null,
  ): Promise<T> {
    if (this.#end) return Promise.reject(this.#end);
    const call = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#post({ call, method, args });
      this.#waiting.set(call, { resolve, reject, pieces });
    });
  }

  #post(request: Extract<Request, { call: number }>): void {
    try {
      this.#worker.postMessage(request);
    } catch (error) {
      if ((error as Error).name !== "DataCloneError") throw error;
      this.#worker.postMessage({ ...request, args: copiedArguments(request.args) });
    }
  }

  receive(reply: Extract<Reply, { answer: number } | { wantsPieceOf: number }>): void {
    if ("wantsPieceOf" in reply) {
      void this.#sendPiece(reply.wantsPieceOf);
      return;
    }
    const waiting = this.#waiting.get(reply.answer);
    this.#waiting.delete(reply.answer);
    if ("failure" in reply) waiting?.reject(errorOf(reply.failure));
    else waiting?.resolve(reply.value as never);
    // Documents of a call that was refused early are read no further.
    waiting?.pieces?.return?.().catch(ignore);
  }

  /** A second call waits for the same end. */
  close(): Promise<void> {
    this.#closed ??= this.#end ? Promise.resolve() : this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const closed = this.send<void>("close", []);
    this.#end = new TarsierError("aborted", { message: "The store is closed" });
    try {
      await closed;
    } finally {
      this.end(this.#end);
    }
  }

  /**
   * Rejects every call that waits for its answer, and leaves the sources of documents. The worker goes with
   * them: one that failed would keep its folder from the next store.
   */
  end(error: Error): void {
    this.#end ??= error;
    this.#worker.terminate();
    for (const { reject, pieces } of this.#waiting.values()) {
      reject(error);
      pieces?.return?.().catch(ignore);
    }
    this.#waiting.clear();
  }

  async #sendPiece(call: number): Promise<void> {
    const pieces = this.#waiting.get(call)?.pieces;
    if (!pieces) return;
    try {
      const { done, value } = await pieces.next();
      // A copy, as the caller may go on using its bytes; not by `slice`, by which a Buffer copies nothing.
      const piece = done ? null : new Uint8Array(value);
      this.#worker.postMessage({ piecesOf: call, piece } satisfies Request, transferable(piece));
    } catch (error) {
      this.#worker.postMessage({ piecesOf: call, failure: errorData(error) } satisfies Request);
    }
  }
}

/** For what a source of documents says when it is left: nobody reads it any more. */
const ignore = (): void => {};
