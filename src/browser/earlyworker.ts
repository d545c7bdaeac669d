// The worker of a store, started in the head of a page (start.ts) and taken over by the first store that is
// opened (browser.ts): its script loads while those of the page are still on their way.
interface EarlyWorker {
  worker: Worker;
  hasFailed: boolean;
}

const KEY = Symbol.for("tarsier.earlyworker");
const scope = globalThis as { [KEY]?: EarlyWorker };

export function startWorkerEarly(url: URL): void {
  const early: EarlyWorker = { worker: new Worker(url, { type: "module" }), hasFailed: false };
  early.worker.onerror = () => {
    early.hasFailed = true;
  };
  scope[KEY] = early;
}

/** Null: there is none, or it has failed; a worker started then will report why. */
export function takeEarlyWorker(): Worker | null {
  const early = scope[KEY];
  delete scope[KEY];
  return early && !early.hasFailed ? early.worker : null;
}
