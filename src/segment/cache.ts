// The bounded cache of extents that readers of segments share: spans of chunks, read on demand, verified,
// and laid one behind the other in a ring inside the core's memory. The newest extent overwrites the oldest,
// so any span that is no larger than the ring fits without fragmentation.
//
//   start                    head                                          end                    top
//     [ newest ... newest ]    [ oldest | older | ...                     ] | pinned | pinned ... |
//                              ^ the next extent goes here, evicting what it covers
//
// What is walked all over (the graph of a segment and its codes) is pinned: it stays behind the ring, which
// is the smaller for it, until it is not used and the room is needed, or its file is closed.
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

/** Pinned bytes, at most this part of the memory. */
const PINNED_PART_MAX = 0.75;
const ALIGNMENT_BYTES = 64;
/** Of an extent that no turn holds. */
const NO_TURN = -1;
/** The queue is cut when so many extents at its front are gone. */
const QUEUE_GONE_MAX = 1024;

export class ExtentCache {
  readonly core: Core;
  /** Size of the ring when nothing is pinned. */
  readonly bytes: number;
  readonly #start: number;
  readonly #top: number;
  #end: number;
  /** Of each file by the number of the first chunk. */
  readonly #pins = new Map<SegmentFile, Map<number, Extent>>();
  /** Where the last one begins; the ring may end before it. */
  #lowestPin: number;
  /** Room that the turn could not free: the next one begins with it. */
  #wishedBytes = 0;
  #isUnpinning = false;
  #head: number;
  /** Number of the running turn. */
  turn = 0;
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
    this.#top = this.#start + bytes;
    this.#end = this.#top;
    this.#lowestPin = this.#top;
    this.#head = this.#start;
  }

  /** Extents that are kept, and how often one was there that was asked for. */
  get figures(): { bytes: number; bytesMax: number; hits: number; misses: number } {
    let bytes = 0;
    for (const files of [this.#files, this.#pins])
      for (const extents of files.values()) for (const extent of extents.values()) bytes += extent.bytes;
    return { bytes, bytesMax: this.bytes, hits: this.hits, misses: this.loads };
  }

  /** Begins a turn: pointers of earlier turns may dangle from now on. */
  beginTurn(): void {
    this.turn++;
    if (this.#isUnpinning) this.#unpin();
    if (this.#wishedBytes > 0) this.#endRingAt(this.#lowestPin - this.#wishedBytes);
    this.#wishedBytes = 0;
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
      if (holds) known.turn = this.turn;
      return known.pointer + offset - first * CHUNK_BYTES;
    }
    this.loads++;
    const bytes = align(chunks * CHUNK_BYTES + ALIGNMENT_BYTES);
    const pointer = this.#makeRoom(bytes);
    file.readChunks(this.core, first, last, pointer);
    this.#keep({ file, first, chunks, pointer, bytes, turn: holds ? this.turn : NO_TURN });
    return pointer + offset - first * CHUNK_BYTES;
  }

  /**
   * Address of bytes that will be looked at again and again, valid until the next turn. 0: there is no room
   * for them, at least not in this turn.
   */
  pin(file: SegmentFile, offset: number, length: number): number {
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / CHUNK_BYTES);
    const known = this.#pins.get(file)?.get(first);
    if (known) {
      known.turn = this.turn;
      return known.pointer + offset - first * CHUNK_BYTES;
    }
    const chunks = last - first + 1;
    const bytes = align(chunks * CHUNK_BYTES + ALIGNMENT_BYTES);
    const most = this.bytes * PINNED_PART_MAX;
    if (bytes > most) return 0;
    if (this.#top - this.#lowestPin + bytes > most && !this.#unpinUnused()) return 0;
    const pointer = this.#lowestPin - bytes;
    if (pointer < this.#end && !this.#endRingAt(pointer)) {
      this.#wishedBytes = bytes;
      return 0;
    }
    file.readChunks(this.core, first, last, pointer);
    this.#lowestPin = pointer;
    const extent = { file, first, chunks, pointer, bytes, turn: this.turn };
    const pins = this.#pins.get(file);
    if (pins) pins.set(first, extent);
    else this.#pins.set(file, new Map([[first, extent]]));
    return pointer + offset - first * CHUNK_BYTES;
  }

  /** Forgets a file that is closed. Its room is reused when the ring comes round. */
  forget(file: SegmentFile): void {
    for (const extent of this.#files.get(file)?.values() ?? []) extent.turn = NO_TURN;
    this.#files.delete(file);
    // Others of the pinned may be in use until the next turn.
    if (this.#pins.delete(file)) this.#isUnpinning = true;
  }

  /** Makes the ring end sooner. False when the turn holds something there. */
  #endRingAt(end: number): boolean {
    const living = this.#queue.slice(this.#oldest);
    const gone = living.filter(({ pointer, bytes }) => pointer + bytes > end);
    if (gone.some(({ turn }) => turn === this.turn)) return false;
    for (const extent of gone) this.#drop(extent);
    this.#queue = living.filter(({ pointer, bytes }) => pointer + bytes <= end);
    this.#oldest = 0;
    this.#end = end;
    if (this.#head > end) this.#head = this.#start;
    return true;
  }

  /** Gives the room of all that is pinned back to the ring, unless the turn uses some of it. */
  #unpinUnused(): boolean {
    for (const pins of this.#pins.values())
      for (const { turn } of pins.values()) if (turn === this.turn) return false;
    this.#unpin();
    return true;
  }

  #unpin(): void {
    this.#pins.clear();
    this.#lowestPin = this.#top;
    this.#end = this.#top;
    this.#isUnpinning = false;
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
        if (this.#end < this.#top && this.#unpinUnused()) return this.#makeRoom(bytes);
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
      if (extent.turn === this.turn) {
        this.#queue.push(extent);
        return extent;
      }
      this.#drop(extent);
    }
    if (this.#oldest > QUEUE_GONE_MAX && this.#oldest * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#oldest);
      this.#oldest = 0;
    }
    return null;
  }

  #drop(extent: Extent): void {
    const extents = this.#files.get(extent.file);
    if (extents?.get(extent.first) === extent) extents.delete(extent.first);
  }
}

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
