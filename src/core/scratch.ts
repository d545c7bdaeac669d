// Memory of one operation (a search, a lookup): a stack inside a core that is emptied when the next one
// begins. Bitmaps and lists of kernels live here. What was allocated is not zeroed unless asked for.
import { TarsierError } from "../errors.ts";
import type { Core } from "./core.ts";

const ALIGNMENT_BYTES = 64;

export class Scratch {
  readonly core: Core;
  readonly #start: number;
  readonly #end: number;
  #top: number;

  /** Pages that are never touched cost no memory, so `bytes` may be generous. */
  constructor(core: Core, bytes: number) {
    this.core = core;
    this.#start = Math.ceil(core.reserve(bytes + ALIGNMENT_BYTES) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    this.#end = this.#start + bytes;
    this.#top = this.#start;
  }

  /** Empties the stack: everything handed out before is void. */
  reset(): void {
    this.#top = this.#start;
  }

  /** A place to return to with `release`. */
  mark(): number {
    return this.#top;
  }

  release(mark: number): void {
    this.#top = mark;
  }

  /** @throws TarsierError `search_memory_exceeded` */
  alloc(bytes: number): number {
    const pointer = this.#top;
    const top = pointer + Math.ceil((bytes + ALIGNMENT_BYTES) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    if (top > this.#end) {
      throw new TarsierError("search_memory_exceeded", { wanted: bytes, limit: this.#end - this.#start });
    }
    this.#top = top;
    return pointer;
  }

  allocZeroed(bytes: number): number {
    const pointer = this.alloc(bytes);
    this.core.fill(pointer, 0, bytes);
    return pointer;
  }
}
