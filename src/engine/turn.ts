// The turn that a search takes among those of a server (src/http/searchqueue.ts), as seen by the code that
// runs in it: while it waits for a provider of vectors, others may have the turn. Used by pool.ts,
// queryvectors.ts and those that run several searches in one turn.

export interface Turn {
  /**
   * Gives the turn to others while a search waits for something that does not need it. The search does
   * nothing else meanwhile.
   */
  away<T>(wait: () => Promise<T>): Promise<T>;
}

/** For when no other search waits for the turn. */
export const KEPT_TURN: Turn = { away: (wait) => wait() };

/** One turn shared by several searches: it is given up while none of them needs it. */
export class SharedTurn implements Turn {
  readonly #turn: Turn;
  /** Searches that have begun and not ended; below, those of them that are not away. */
  #searches = 0;
  #present = 0;
  #absence: Promise<void> | null = null;
  #endAbsence: () => void = () => {};

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  async run<T>(search: (turn: Turn) => Promise<T>): Promise<T> {
    this.#searches++;
    try {
      await this.#enter();
      return await search(this);
    } finally {
      this.#searches--;
      this.#leave();
    }
  }

  async away<T>(wait: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await wait();
    } finally {
      await this.#enter();
    }
  }

  /**
   * Throws what `away` threw when the turn could not be had again: the search counts as present even so, and
   * has to leave.
   */
  async #enter(): Promise<void> {
    try {
      while (this.#absence) {
        this.#endAbsence();
        await this.#absence;
      }
    } finally {
      this.#present++;
    }
  }

  #leave(): void {
    if (--this.#present > 0 || this.#searches === 0) return;
    const absence = this.#turn.away(() => new Promise<void>((end) => (this.#endAbsence = end)));
    this.#absence = absence.finally(() => {
      this.#absence = null;
    });
  }
}
