// A promise that others fulfil: of the order of writes (src/tasks/writeorder.ts), of a log that is being
// replaced (src/storage/recordlog.ts), and in the worker of the browser door (src/browser/).

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** `Promise.withResolvers` is not in Node 20. */
export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
