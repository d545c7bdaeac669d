// The bounded cache of extents that readers of segments share: spans of chunks, read on demand, verified,
// and laid one behind the other in a ring inside the core's memory. The newest extent overwrites the oldest,
// so any span that is no larger than the ring fits without fragmentation.
//
//   start                    head                                          end
//     [ newest ... newest ]    [ oldest | older | ...                     ]
//                              ^ the next extent goes here, evicting what it covers
//
// A turn (one search, one batch) may hold pointers to what it loaded: extents of the running turn are never
// evicted. The head jumps over them, and they count as new from then on. So a turn surely finds room for
// what it needs at once when that is half of the ring; above, it depends on where its extents lie.
import type { Core } from "../core/core.ts";
import { TarsierError } from "../errors.ts";
import type { SegmentFile } from "./file.ts";
import { CHUNK_BYTES } from "./format.ts";

interface Extent {
  file: SegmentFile;
  /** Number of its first chunk, and how many it has. */
  first: number;
  chunks: number;
  pointer: number;
  bytes: number;
  /** The last turn that asked for it. */
  turn: number;
}

const ALIGNMENT_BYTES = 64;
/** Of an extent that no turn holds. */
const NO_TURN = -1;
/** The queue is cut when so many extents at its front are gone. */
const QUEUE_GONE_MAX = 1024;

export class ExtentCache {
  readonly core: Core;
  /** Size of the ring. */
  readonly bytes: number;
  readonly #start: number;
  readonly #end: number;
  #head: number;
  #turn = 0;
  /** The longest extent of each first chunk. */
  readonly #files = new Map<SegmentFile, Map<number, Extent>>();
  /** As they lie in the ring from the head on, all the way round; those before `#oldest` are gone. */
  #queue: Extent[] = [];
  #oldest = 0;
  loads = 0;
  hits = 0;

  constructor(core: Core, bytes: number) {
    this.core = core;
    this.bytes = bytes;
    this.#start = core.reserve(bytes);
    this.#end = this.#start + bytes;
    this.#head = this.#start;
  }

  /** Begins a turn: pointers of earlier turns may dangle from now on. */
  beginTurn(): void {
    this.#turn++;
  }

  /**
   * Address of bytes [offset, offset + length) of a file, valid until the next turn, or, when the turn does
   * not hold them, until the next load.
   * @throws TarsierError `invalid_store_file`, or `search_memory_exceeded` when one turn needs more than the
   * cache holds
   */
  load(file: SegmentFile, offset: number, length: number, holds = true): number {
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / CHUNK_BYTES);
    const chunks = last - first + 1;
    const known = this.#files.get(file)?.get(first);
    if (known && known.chunks >= chunks) {
      this.hits++;
      if (holds) known.turn = this.#turn;
      return known.pointer + offset - first * CHUNK_BYTES;
    }
    this.loads++;
    const bytes = align(chunks * CHUNK_BYTES + ALIGNMENT_BYTES);
    const pointer = this.#makeRoom(bytes);
    file.readChunks(this.core, first, last, pointer);
    this.#keep({ file, first, chunks, pointer, bytes, turn: holds ? this.#turn : NO_TURN });
    return pointer + offset - first * CHUNK_BYTES;
  }

  /** Forgets a file that is closed. Its room is reused when the ring comes round. */
  forget(file: SegmentFile): void {
    for (const extent of this.#files.get(file)?.values() ?? []) extent.turn = NO_TURN;
    this.#files.delete(file);
  }

  #keep(extent: Extent): void {
    const extents = this.#files.get(extent.file);
    if (extents) extents.set(extent.first, extent);
    else this.#files.set(extent.file, new Map([[extent.first, extent]]));
    this.#queue.push(extent);
    this.#head = extent.pointer + extent.bytes;
  }

  /** Moves the head to the next place where `bytes` fit, and evicts what it passes and what lies there. */
  #makeRoom(bytes: number): number {
    let rounds = 0;
    for (;;) {
      const fits = this.#head + bytes <= this.#end;
      const held = this.#evict(this.#head, fits ? this.#head + bytes : this.#end);
      if (fits && !held) return this.#head;
      if (held) {
        this.#head = held.pointer + held.bytes;
        continue;
      }
      this.#head = this.#start;
      // After the second one every place has been looked at.
      if (++rounds === 2) {
        throw new TarsierError("search_memory_exceeded", { wanted: bytes, limit: this.bytes });
      }
    }
  }

  /**
   * Evicts extents in [from, to) up to the first that the turn holds; that one goes to the end of the queue.
   */
  #evict(from: number, to: number): Extent | null {
    while (this.#oldest < this.#queue.length) {
      const extent = this.#queue[this.#oldest];
      if (extent.pointer >= to || extent.pointer + extent.bytes <= from) break;
      this.#oldest++;
      if (extent.turn === this.#turn) {
        this.#queue.push(extent);
        return extent;
      }
      const extents = this.#files.get(extent.file);
      if (extents?.get(extent.first) === extent) extents.delete(extent.first);
    }
    if (this.#oldest > QUEUE_GONE_MAX && this.#oldest * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#oldest);
      this.#oldest = 0;
    }
    return null;
  }
}

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
