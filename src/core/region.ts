// A region of a core's memory that can grow on request: it then moves, and its old place goes back to the
// core. For buffers whose size is only known at run time.
import type { Core } from "./core.ts";

export class Region {
  readonly #core: Core;
  #pointer = 0;
  #bytes = 0;

  constructor(core: Core, bytes = 0) {
    this.#core = core;
    if (bytes > 0) this.ensure(bytes);
  }

  get pointer(): number {
    return this.#pointer;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Makes the region at least this large; its contents are lost when it moves. Returns its address.
   * @throws CoreExhausted; then the region is as large as before
   */
  ensure(bytes: number): number {
    if (bytes > this.#bytes) {
      const before = this.#bytes;
      this.free();
      try {
        this.#take(Math.max(bytes, 64));
      } catch (error) {
        if (before > 0) this.#take(before);
        throw error;
      }
    }
    return this.#pointer;
  }

  /** Gives the memory back. The region may be used again. */
  free(): void {
    if (this.#bytes > 0) this.#core.give(this.#pointer, this.#bytes);
    this.#bytes = 0;
    this.#pointer = 0;
  }

  #take(bytes: number): void {
    this.#pointer = this.#core.take(bytes);
    this.#bytes = bytes;
  }
}
