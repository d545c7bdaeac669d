// Bounds how many searches run at once, and how many wait. When the queue is full, a random waiting search
// makes room for the new one, so that no client can be starved on purpose. A search whose client has gone is
// not run: pages that search as somebody types give up one search after the other. The server has one queue
// for all searches.
import { setTimeout } from "node:timers/promises";
import type { Turn } from "../engine/turn.ts";
import { TarsierError } from "../errors.ts";

interface SearchQueueOptions {
  runningMax: number;
  /** 0: a search that cannot run at once is refused. */
  waitingMax: number;
  /** A search that has waited longer is refused. */
  waitMsMax: number;
}

/** The place that a search takes in the queue. */
interface Slot {
  isHeld: boolean;
  isOver: boolean;
  /** Whether its client has gone. */
  hasLeft(): boolean;
}

interface Waiting {
  start(): void;
  refuse(refusal: TarsierError): void;
  since: number;
  hasLeft(): boolean;
}

/**
 * How long a refusal is delayed. Clients that retry at once would otherwise cost the server more time for
 * refusals than for all searches that it accepts.
 */
const REFUSAL_MS = 250;
/** How many refusals are delayed at a time; others are sent at once. */
const REFUSALS_HELD_MAX = 1024;

export class SearchQueue {
  readonly #options: SearchQueueOptions;
  readonly #waiting: Waiting[] = [];
  /** Searches that had given their turn away and want to continue; they go before those not yet begun. */
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
   * Runs the search when its turn comes, unless its client has gone by then. The search may give its turn
   * away for a while, and then gets the next free one.
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
    // As many as may wait for a turn: without a bound there could be any number.
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
    // The search ended while it waited to come back.
    if (slot.isOver) this.#giveBack(slot);
  }

  #giveBack(slot: Slot): void {
    if (!slot.isHeld) return;
    slot.isHeld = false;
    this.#next();
  }

  /** Gives the slot of a search that ended to the next one that waits. */
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

/** Only the log shows it: the client has gone. */
function unwanted(): TarsierError {
  return new TarsierError("bad_request", { message: "The connection was closed before the search was done" });
}
