// The parts of Node's module `timers/promises` that are used, for browsers.

/** A pause; a signal ends it early with an error. */
export function setTimeout<T>(
  milliseconds: number,
  value?: T,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      globalThis.clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(value as T);
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Lets other events of the thread go first. A timer would wait for milliseconds. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
