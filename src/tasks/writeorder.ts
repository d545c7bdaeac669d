// The order in which the writes of a program become tasks: that of its calls, although the documents of one
// take time to be read, or the function of another to be compiled. Kept by instance.ts, asked for by
// src/operations/checkedwrites.ts; registrar.ts waits for the turn of a write.
import { deferred } from "../deferred.ts";

/** Where one write stands among the others. */
export interface Place {
  /** Fulfilled when every write that was called before has been registered, or has failed. */
  readonly turn: Promise<void>;
  /** Fulfilled when every write that was called before is durable, or has failed. */
  readonly settled: Promise<void>;
  /** Lets the next write pass: this one has been registered. */
  leave(): void;
}

/** So many writes may be on the way to their turn: each reads its documents into memory or an open file. */
const BEGUN_MAX = 16;

export class WriteOrder {
  /** Fulfilled when all writes have left, or ended, that were called until now. */
  #passed: Promise<void> = Promise.resolve();
  #ended: Promise<void> = Promise.resolve();
  /** What `#passed` was after each of the last writes, in the slot of its number. */
  readonly #earlier = new Array<Promise<void>>(BEGUN_MAX).fill(this.#passed);
  #calledCount = 0;
  #passedCount = 0;

  /**
   * Calls the write, at once unless many others are on the way. It leaves its place at its end at the latest.
   */
  run<T>(write: (place: Place) => Promise<T>): Promise<T> {
    const [turn, settled] = [this.#passed, this.#ended];
    const left = deferred();
    const ended = deferred();
    const isCrowded = this.#calledCount - this.#passedCount >= BEGUN_MAX;
    const earlier = this.#earlier[this.#calledCount % BEGUN_MAX];
    this.#ended = settled.then(() => ended.promise);
    this.#passed = turn
      .then(() => left.promise)
      .then(() => {
        this.#passedCount++;
      });
    this.#earlier[this.#calledCount++ % BEGUN_MAX] = this.#passed;
    // Not before: the write may call others.
    const begin = async () => write({ turn, settled, leave: left.resolve });
    return (isCrowded ? earlier.then(begin) : begin()).finally(() => {
      left.resolve();
      ended.resolve();
    });
  }

  /** Fulfilled when every write that has been called until now is durable, or has failed. */
  async settled(): Promise<void> {
    await this.#ended;
  }
}
