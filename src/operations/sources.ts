// The sources of documents that are being read: when a store closes they are told to stop, and reading them
// fails. Used by checkedreads.ts.

export class Sources {
  readonly #reason: () => Error;
  /** A set, not listeners of a signal: Node compares each new one with all that there are. */
  readonly #stops = new Set<() => void>();
  #areStopped = false;

  /** `reason`: makes what reading throws once the sources are stopped. */
  constructor(reason: () => Error) {
    this.#reason = reason;
  }

  /** The same pieces, until the sources are stopped. */
  async *read(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = pieces[Symbol.asyncIterator]();
    let breakOff = () => {};
    const stop = () => breakOff();
    this.#stops.add(stop);
    try {
      for (;;) {
        // No race against one promise shared by all pieces: that would keep every piece in memory.
        const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          breakOff = () => reject(this.#reason());
          if (this.#areStopped) breakOff();
          else iterator.next().then(resolve, reject);
        });
        if (done) return;
        yield value;
      }
    } finally {
      this.#stops.delete(stop);
      // Not awaited: a source that is waiting for its next piece returns late or never.
      iterator.return?.().catch(() => {});
    }
  }

  stop(): void {
    this.#areStopped = true;
    for (const stop of this.#stops) stop();
  }
}
