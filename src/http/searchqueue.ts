// How many searches run at once, and how many may wait. When the queue is full, one of those that wait
// (chosen by chance, so that no client can be starved on purpose) makes room for the new one. What nobody
// waits for any more is not run: pages that search while somebody types give up one search after another.
// The server holds one for all its searches.
import { setTimeout } from "node:timers/promises";
import type { Turn } from "../engine/turn.ts";
import { TarsierError } from "../errors.ts";

interface SearchQueueOptions {
  runningMax: number;
  /** 0: a search that cannot run at once is refused. */
  waitingMax: number;
  /** A search that waited longer is refused. */
  waitMsMax: number;
}

/** What a search has of the queue. */
interface Slot {
  isHeld: boolean;
  isOver: boolean;
  /** Nobody waits for its answer any more. */
  hasLeft(): boolean;
}

interface Waiting {
  start(): void;
  refuse(refusal: TarsierError): void;
  since: number;
  hasLeft(): boolean;
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
  /** Searches that were away, and want to go on: before those that have not begun. */
  readonly #returning: Waiting[] = [];
  #awayCount = 0;
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

  /**
   * Runs the search when its turn comes, unless whoever asked has left by then. It may give the turn away for
   * a while, and gets the next one that is free.
   * @throws TarsierError `too_many_search_requests` when its turn does not come
   */
  async run<T>(search: (turn: Turn) => Promise<T>, hasLeft: () => boolean): Promise<T> {
    if (this.#running < this.#options.runningMax) this.#running++;
    else await this.#wait(hasLeft).catch((refusal) => this.#tellLater(refusal, hasLeft));
    const slot: Slot = { isHeld: true, isOver: false, hasLeft };
    try {
      return await search({ away: (wait) => this.#away(slot, wait) });
    } finally {
      slot.isOver = true;
      this.#giveBack(slot);
    }
  }

  async #away<T>(slot: Slot, wait: () => Promise<T>): Promise<T> {
    // As many as may wait for a turn at all: else they would have no bound.
    if (!slot.isHeld || this.#awayCount >= this.#options.waitingMax) return wait();
    this.#awayCount++;
    this.#giveBack(slot);
    try {
      return await wait();
    } finally {
      this.#awayCount--;
      if (!slot.isOver) await this.#comeBack(slot);
    }
  }

  async #comeBack(slot: Slot): Promise<void> {
    if (slot.hasLeft()) throw unwanted();
    if (this.#running < this.#options.runningMax) this.#running++;
    else
      await new Promise<void>((start, refuse) => {
        this.#returning.push({ start, refuse, since: performance.now(), hasLeft: slot.hasLeft });
      });
    slot.isHeld = true;
    // Nobody waited for it.
    if (slot.isOver) this.#giveBack(slot);
  }

  #giveBack(slot: Slot): void {
    if (!slot.isHeld) return;
    slot.isHeld = false;
    this.#next();
  }

  /** The slot of a search that ended goes to the one that waits next. */
  #next(): void {
    for (;;) {
      const waiting = this.#returning.shift() ?? this.#waiting.shift();
      if (waiting === undefined) {
        this.#running--;
        return;
      }
      if (waiting.hasLeft()) waiting.refuse(unwanted());
      else if (performance.now() - waiting.since > this.#options.waitMsMax) waiting.refuse(this.#excess());
      else {
        waiting.start();
        return;
      }
    }
  }

  #wait(hasLeft: () => boolean): Promise<void> {
    const { waitingMax } = this.#options;
    if (waitingMax === 0) return Promise.reject(this.#excess());
    if (this.#waiting.length >= waitingMax) this.#dropOne();
    return new Promise((start, refuse) => {
      this.#waiting.push({ start, refuse, since: performance.now(), hasLeft });
    });
  }

  #dropOne(): void {
    const left = this.#waiting.findIndex((waiting) => waiting.hasLeft());
    const at = left >= 0 ? left : Math.floor(Math.random() * this.#waiting.length);
    const [dropped] = this.#waiting.splice(at, 1);
    dropped.refuse(left >= 0 ? unwanted() : this.#excess());
  }

  #excess(): TarsierError {
    return new TarsierError("too_many_search_requests", { capacity: this.#options.waitingMax });
  }

  async #tellLater(refusal: unknown, hasLeft: () => boolean): Promise<never> {
    if (!hasLeft() && this.#refusalsHeld < REFUSALS_HELD_MAX) {
      this.#refusalsHeld++;
      await setTimeout(REFUSAL_MS);
      this.#refusalsHeld--;
    }
    throw refusal;
  }
}

/** For the log: there is nobody to read it. */
function unwanted(): TarsierError {
  return new TarsierError("bad_request", { message: "The connection was closed before the search was done" });
}
