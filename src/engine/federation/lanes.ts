// The calls of one federated search to each thread, one after another: between two of them the searches of
// others have their turn. A request may be about thousands of indexes. Used by ../pool.ts.

export class Lanes<Thread> {
  /** For each thread, fulfilled when the last call so far has ended. */
  readonly #ends = new Map<Thread, Promise<unknown>>();

  /** Makes a call when all earlier ones to the thread have ended, well or not. */
  run<Answer>(thread: Thread, call: () => Promise<Answer>): Promise<Answer> {
    const before = this.#ends.get(thread);
    const answer = before ? before.then(call) : call();
    this.#ends.set(
      thread,
      answer.catch(() => {}),
    );
    return answer;
  }
}
