// The bounded cache of extents that readers of segments share: spans of chunks, read on demand, verified, and laid one
// behind the other in a ring inside the core's memory. The newest extent overwrites the oldest, so any span that is
// no larger than the ring fits without fragmentation.
//
//   start                    head                                          end
//     [ newest ... newest ]    [ oldest | older | ...                     ]
//                              ^ the next extent goes here, evicting what it covers
//
// A turn (one search, one batch) may hold pointers to what it loaded: extents of the running turn are never evicted.
import type { Core } from "../core/core.ts";
import { TarsierError } from "../errors.ts";
import type { SegmentFile } from "./file.ts";
import { CHUNK_BYTES } from "./format.ts";

interface Extent {
  file: SegmentFile;
  key: number;
  pointer: number;
  bytes: number;
  turn: number;
}

/** Chunks of one extent are numbered in this many bits of its key. */
const KEY_SPAN = 2 ** 22;
const ALIGNMENT_BYTES = 64;

export class ExtentCache {
  readonly core: Core;
  readonly #start: number;
  readonly #end: number;
  #head: number;
  #turn = 0;
  readonly #files = new Map<SegmentFile, Map<number, Extent>>();
  /** Oldest first; `#oldest` is the index of the first live one. */
  #queue: Extent[] = [];
  #oldest = 0;
  loads = 0;
  hits = 0;

  constructor(core: Core, bytes: number) {
    this.core = core;
    this.#start = core.reserve(bytes);
    this.#end = this.#start + bytes;
    this.#head = this.#start;
  }

  /** Begins a turn: pointers of earlier turns may dangle from now on. */
  beginTurn(): void {
    this.#turn++;
  }

  /**
   * Address of bytes [offset, offset + length) of a file, valid until the next turn.
   * @throws TarsierError `invalid_store_file`, or `search_memory_exceeded` when one turn needs more than the cache holds
   */
  load(file: SegmentFile, offset: number, length: number): number {
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / CHUNK_BYTES);
    const key = first * KEY_SPAN + (last - first);
    let extents = this.#files.get(file);
    if (!extents) this.#files.set(file, (extents = new Map()));
    let extent = extents.get(key);
    if (extent) {
      this.hits++;
      extent.turn = this.#turn;
    } else {
      this.loads++;
      const bytes = Math.ceil(((last - first + 1) * CHUNK_BYTES + ALIGNMENT_BYTES) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
      const pointer = this.#allocate(bytes);
      file.readChunks(this.core, first, last, pointer);
      extent = { file, key, pointer, bytes, turn: this.#turn };
      this.#queue.push(extent);
      this.#head = pointer + bytes;
      extents.set(key, extent);
    }
    return extent.pointer + offset - first * CHUNK_BYTES;
  }

  /** Forgets a file that is closed. Its room is reused when the ring comes round. */
  forget(file: SegmentFile): void {
    this.#files.delete(file);
  }

  /** Room for `bytes` at the head, everything older there evicted. */
  #allocate(bytes: number): number {
    if (bytes > this.#end - this.#start) throw this.#exceeded(bytes);
    let pointer = this.#head;
    if (pointer + bytes > this.#end) {
      this.#evict(pointer, this.#end, bytes);
      pointer = this.#start;
    }
    this.#evict(pointer, pointer + bytes, bytes);
    return pointer;
  }

  #evict(from: number, to: number, wanted: number): void {
    while (this.#oldest < this.#queue.length) {
      const extent = this.#queue[this.#oldest];
      if (extent.pointer >= to || extent.pointer + extent.bytes <= from) break;
      if (extent.turn === this.#turn) throw this.#exceeded(wanted);
      const extents = this.#files.get(extent.file);
      if (extents?.get(extent.key) === extent) extents.delete(extent.key);
      this.#oldest++;
    }
    if (this.#oldest > 1024 && this.#oldest * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#oldest);
      this.#oldest = 0;
    }
  }

  #exceeded(wanted: number): TarsierError {
    return new TarsierError("search_memory_exceeded", { wanted, limit: this.#end - this.#start });
  }
}
