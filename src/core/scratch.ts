// Memory of one operation (a search, a look-up): a stack inside a core that is emptied when the next one
// begins. Bitmaps and lists of kernels live here. Allocated memory is not zeroed unless asked for. The search
// of the core allocates here, too (assembly/search/arena.ts), so the top of the stack is kept in that memory
// itself.
//
//   | u32 top | u32 end | ... 64 bytes | taken ... | free ... |
import { TarsierError } from "../errors.ts";
import type { Core } from "./core.ts";

const ALIGNMENT_BYTES = 64;

export class Scratch {
  readonly core: Core;
  /** Address of top and end. */
  readonly arena: number;
  readonly #start: number;
  readonly #end: number;

  /** Pages that are never touched cost no memory, so `bytes` may be generous. */
  constructor(core: Core, bytes: number) {
    this.core = core;
    this.arena = aligned(core.reserve(bytes + 2 * ALIGNMENT_BYTES));
    this.#start = this.arena + ALIGNMENT_BYTES;
    this.#end = this.#start + bytes;
    core.u32[this.arena / 4 + 1] = this.#end;
    this.reset();
  }

  /** Empties the stack: everything handed out before is void. */
  reset(): void {
    this.release(this.#start);
  }

  /** A place to return to with `release`. */
  mark(): number {
    return this.core.u32[this.arena / 4];
  }

  release(mark: number): void {
    this.core.u32[this.arena / 4] = mark;
  }

  /** @throws TarsierError `search_memory_exceeded` */
  alloc(bytes: number): number {
    const pointer = aligned(this.mark());
    const top = pointer + bytes + ALIGNMENT_BYTES;
    // Written so that NaN, which damaged files may cause, is refused as well.
    if (!(bytes >= 0 && top <= this.#end)) this.refuse(bytes);
    this.release(top);
    return pointer;
  }

  allocZeroed(bytes: number): number {
    const pointer = this.alloc(bytes);
    this.core.fill(pointer, 0, bytes);
    return pointer;
  }

  /** @throws TarsierError `search_memory_exceeded` for this many bytes */
  refuse(bytes: number): never {
    throw new TarsierError("search_memory_exceeded", { wanted: bytes, limit: this.#end - this.#start });
  }
}

const aligned = (address: number): number => Math.ceil(address / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
