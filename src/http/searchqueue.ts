// How many searches run at once, and how many may wait. When the queue is full, one of those that wait
// (chosen by chance, so that no client can be starved on purpose) makes room for the new one. The server
// holds one for all its searches.
import { setTimeout } from "node:timers/promises";
import { TarsierError } from "../errors.ts";

interface SearchQueueOptions {
  runningMax: number;
  /** 0: a search that cannot run at once is refused. */
  waitingMax: number;
  /** A search that waited longer is refused. */
  waitMsMax: number;
}

interface Waiting {
  start(): void;
  refuse(): void;
  since: number;
}

/**
 * A refusal is held back for so long. Clients that ask again at once would otherwise take more of the
 * server's time for their refusals than all searches that it accepts.
 */
const REFUSAL_MS = 250;
/** Refusals that are held back at a time; the others are told at once. */
const REFUSALS_HELD_MAX = 1024;

export class SearchQueue {
  readonly #options: SearchQueueOptions;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #refusalsHeld = 0;

  constructor(options: SearchQueueOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get waitingMax(): number {
    return this.#options.waitingMax;
  }

  /** Runs the search when its turn comes. Throws too_many_search_requests when it does not come. */
  async run<T>(search: () => Promise<T>): Promise<T> {
    if (this.#running < this.#options.runningMax) this.#running++;
    else await this.#wait().catch((refusal) => this.#tellLater(refusal));
    try {
      return await search();
    } finally {
      this.#next();
    }
  }

  /** The slot of a search that ended goes to the one that waits next. */
  #next(): void {
    for (;;) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) {
        this.#running--;
        return;
      }
      if (performance.now() - waiting.since <= this.#options.waitMsMax) {
        waiting.start();
        return;
      }
      waiting.refuse();
    }
  }

  #wait(): Promise<void> {
    const { waitingMax } = this.#options;
    const refusal = () => new TarsierError("too_many_search_requests", { capacity: waitingMax });
    if (waitingMax === 0) return Promise.reject(refusal());
    if (this.#waiting.length >= waitingMax) {
      const [dropped] = this.#waiting.splice(Math.floor(Math.random() * this.#waiting.length), 1);
      dropped.refuse();
    }
    return new Promise((start, reject) => {
      this.#waiting.push({ start, refuse: () => reject(refusal()), since: performance.now() });
    });
  }

  async #tellLater(refusal: unknown): Promise<never> {
    if (this.#refusalsHeld < REFUSALS_HELD_MAX) {
      this.#refusalsHeld++;
      await setTimeout(REFUSAL_MS);
      this.#refusalsHeld--;
    }
    throw refusal;
  }
}
