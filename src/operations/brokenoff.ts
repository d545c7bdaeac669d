// Documents that are still arriving when a store closes: their source is told to stop, and reading them
// fails. Used by checkedreads.ts.

/** The same pieces, until the signal fires: then it throws what `reason` makes. */
export async function* brokenOff(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  reason: () => Error,
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let breakOff = () => {};
  const onAbort = () => breakOff();
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
