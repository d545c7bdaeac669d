// Collects memory that goes back to a core all at once, when the work that it was taken for is done or has
// failed.
import type { Core } from "./core.ts";

/** Holds memory of a core. May be freed more than once. */
export interface Freeable {
  free(): void;
}

export class Workspace implements Freeable {
  readonly core: Core;
  readonly #taken: { pointer: number; bytes: number }[] = [];
  readonly #owned: Freeable[] = [];

  constructor(core: Core) {
    this.core = core;
  }

  /** A region until `free`, its contents undefined. */
  take(bytes: number): number {
    const pointer = this.core.take(bytes);
    this.#taken.push({ pointer, bytes });
    return pointer;
  }

  /** Makes a part be freed along with the rest, unless that was done before. */
  own<Part extends Freeable>(part: Part): Part {
    this.#owned.push(part);
    return part;
  }

  free(): void {
    for (const part of this.#owned.splice(0)) part.free();
    for (const { pointer, bytes } of this.#taken.splice(0)) this.core.give(pointer, bytes);
  }
}
