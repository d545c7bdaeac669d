// What an open store or server has to close, in the order it was opened. Filled by the doors: src/index.ts,
// src/node.ts and browser/opening.ts.

type Closer = () => unknown;

export class Closers {
  readonly #closers: Closer[] = [];
  #closed: Promise<void> | null = null;

  push(closer: Closer): void {
    this.#closers.push(closer);
  }

  /** Closes everything once, the newest first, also behind one that fails. @throws the first error */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  /** What `open` returns; when it throws, everything is closed, and its error is the one that is told. */
  async openOrClose<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      await this.close().catch(() => {});
      throw error;
    }
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const closer of this.#closers.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
