// Documents that are still arriving when a store closes: their source is told to stop, and reading them
// fails. Used by checkedreads.ts.
import { setMaxListeners } from "node:events";

/** The same pieces, until the signal fires: then it throws what `reason` makes. */
export async function* brokenOff(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  reason: () => Error,
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let breakOff = () => {};
  const onAbort = () => breakOff();
  // All writes of a store share one: more than ten listeners are no leak, of which Node would warn.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", onAbort);
  try {
    for (;;) {
      // No race against one promise shared by all pieces: that would keep every piece in memory.
      const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        breakOff = () => reject(reason());
        if (signal.aborted) breakOff();
        else iterator.next().then(resolve, reject);
      });
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Not awaited: a source that is waiting for its next piece returns late or never.
    iterator.return?.().catch(() => {});
  }
}
