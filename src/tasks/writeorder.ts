// The order in which the writes of a program become tasks: that of its calls, although the documents of one
// take time to be read, or the function of another to be compiled. Kept by instance.ts, asked for by
// src/operations/checkedwrites.ts; registrar.ts waits for the turn of a write.

/** Where one write stands among the others. */
export interface Place {
  /** Fulfilled when every write that was called before has been registered, or has failed. */
  readonly turn: Promise<void>;
  /** Fulfilled when every write that was called before is durable, or has failed. */
  readonly settled: Promise<unknown>;
  /** Lets the next write pass: this one has been registered. */
  leave(): void;
}

export class WriteOrder {
  #turn: Promise<void> = Promise.resolve();
  #ended: Promise<unknown> = Promise.resolve();

  /** The write is called at once, and leaves its place at its end at the latest. */
  run<T>(write: (place: Place) => Promise<T>): Promise<T> {
    const turn = this.#turn;
    let leave: () => void = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#turn = turn.then(() => left);
    const before = this.#ended;
    const outcome = write({ turn, settled: before, leave }).finally(leave);
    this.#ended = outcome.then(
      () => before,
      () => before,
    );
    return outcome;
  }

  /** Fulfilled when every write that has been called until now is durable, or has failed. */
  async settled(): Promise<void> {
    await this.#ended;
  }
}
