// The turn that a search has among those of a server (src/http/searchqueue.ts), as what runs in it sees it:
// while it waits for a provider of vectors, others may have the turn. Called by pool.ts and
// vectors/queryvectors.ts, and by what runs several searches in one turn.

export interface Turn {
  /** Waits for something that needs no turn: of one search, which does nothing else meanwhile. */
  away<T>(wait: () => Promise<T>): Promise<T>;
}

/** Nobody else waits for it. */
export const KEPT_TURN: Turn = { away: (wait) => wait() };

/** One turn for several searches: it is given away while none of them needs it. */
export class SharedTurn implements Turn {
  readonly #turn: Turn;
  /** Searches that have begun and not ended, and those of them that are not away. */
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

  /** Throws what the turn says that cannot be had again: the search is there all the same, to leave. */
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
