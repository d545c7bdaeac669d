// Regions of a core that are all given back together, when the work they were taken for is done.
import type { Core } from "./core.ts";

export class Workspace {
  readonly core: Core;
  readonly #taken: { pointer: number; bytes: number }[] = [];

  constructor(core: Core) {
    this.core = core;
  }

  /** A region until `free`, its contents undefined. */
  take(bytes: number): number {
    const pointer = this.core.take(bytes);
    this.#taken.push({ pointer, bytes });
    return pointer;
  }

  free(): void {
    for (const { pointer, bytes } of this.#taken.splice(0)) this.core.give(pointer, bytes);
  }
}
