// How the moves of documents get on, and whether they can at all: writes wait no longer than that
// (tasks/heldwrites.ts). Kept for each instance while it is open, as a start begins anew. moving.ts and
// release.ts note it; spread.ts asks, for this server and for those that wait for it.
import type { HeldWrites } from "../tasks/heldwrites.ts";
import type { InstanceInterface } from "../tasks/instanceinterface.ts";

/**
 * Writes wait no longer for moves that do not get on: a long batch runs, or a server takes no documents. More
 * than WAIT_MS_MAX in release.ts.
 */
const MOVES_MS_MAX = 20_000;

class Standstill {
  readonly #held: HeldWrites;
  /** Whether no documents move because a server is away, or sees other members. */
  isStuck = false;
  /** When the moves of this server got on, by performance.now(). */
  #movedAt = 0;

  constructor(held: HeldWrites) {
    this.#held = held;
  }

  /** Call it when moves of this server get on. */
  noteMove(): void {
    this.#movedAt = performance.now();
  }

  /** Whether the moves that wait here have not got on for long. They have some time to begin. */
  hasStopped(): boolean {
    return performance.now() - Math.max(this.#movedAt, this.#held.since) > MOVES_MS_MAX;
  }
}

const known = new WeakMap<HeldWrites, Standstill>();

export function standstillOf(instance: Pick<InstanceInterface, "held">): Standstill {
  const held = instance.held();
  const standstill = known.get(held) ?? new Standstill(held);
  known.set(held, standstill);
  return standstill;
}
