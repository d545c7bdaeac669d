// The bounded cache of extents that readers of segments share: spans of chunks, read on demand, verified, and
// placed one after another in a ring inside the core's memory. The newest extent overwrites the oldest, so
// any span that is no larger than the ring fits without fragmentation.
//
//   start                    head                                          end                    top
//     [ newest ... newest ]    [ oldest | older | ...                     ] | pinned | pinned ... |
//                              ^ the next extent goes here, evicting what it covers
//
// Data that is accessed all over (the graph of a segment and its codes) is pinned: it stays after the ring,
// which becomes smaller by that, until it is unused and the room is needed, or its file is closed.
//
// A turn (one search, one batch) may hold pointers to what it loaded: extents of the running turn are never
// evicted. The head jumps over them, and they count as new from then on. So a turn always finds room if it
// needs at most half of the ring at once; beyond that it depends on where its extents are.
import type { Core } from "../core/core.ts";
import { TarsierError } from "../errors.ts";
import type { SegmentFile } from "./file.ts";
import { CHUNK_BYTES } from "./format.ts";

interface Extent {
  file: SegmentFile;
  /** Its key among the extents of the file: its first chunk, or the key of its window (`windowOf`). */
  key: number;
  /** Number of its first chunk; below, number of its chunks. */
  first: number;
  chunks: number;
  pointer: number;
  bytes: number;
  /**
   * One bit for each chunk not verified yet, the first chunk lowest: chunks of a window are verified when
   * used.
   */
  doubts: number;
  /** The last turn that used it. */
  turn: number;
}

interface FileExtents {
  /** The longest extent at each first chunk, and the windows. */
  byKey: Map<number, Extent>;
  /** Whether the file is read by windows. */
  isWindowed: boolean;
}

/** Stands for no window. */
const NO_WINDOW = Number.NEGATIVE_INFINITY;
/** Number of chunks in a window, which begins at a multiple of this. */
const WINDOW_CHUNKS = 32;
/** A bit for each chunk of a window. */
const ALL_DOUBTS = 0xffffffff;
/** Files are read by windows as long as all such files together take at most this part of the memory. */
const WINDOWED_PART_MAX = 0.5;
/** Pinned bytes are at most this part of the memory. */
const PINNED_PART_MAX = 0.75;
const ALIGNMENT_BYTES = 64;
/** Turn of an extent that no turn holds. */
const NO_TURN = -1;
/** The queue is shortened when this many extents at its front are gone. */
const QUEUE_GONE_MAX = 1024;

export class ExtentCache {
  readonly core: Core;
  /** Size of the ring when nothing is pinned. */
  readonly bytes: number;
  readonly #start: number;
  readonly #top: number;
  #end: number;
  /** For each file, its pins by the number of their first chunk. */
  readonly #pins = new Map<SegmentFile, Map<number, Extent>>();
  /** Where the last pinned extent begins; the ring may end before it. */
  #lowestPin: number;
  /** Room that this turn could not free: the next turn begins by freeing it. */
  #wishedBytes = 0;
  #isUnpinning = false;
  #head: number;
  /** Number of the running turn. */
  turn = 0;
  readonly #files = new Map<SegmentFile, FileExtents>();
  /** Bytes of the files that are read by windows; below, how many there may be. */
  #windowed = 0;
  readonly #windowsMax: number;
  /** The extents in ring order, from the head on all the way round; those before `#oldest` are gone. */
  #queue: Extent[] = [];
  #oldest = 0;
  loads = 0;
  hits = 0;

  /** `readsAhead`: on this storage, a long read costs little more than a short one. */
  constructor(core: Core, bytes: number, readsAhead = false) {
    this.core = core;
    this.bytes = bytes;
    this.#windowsMax = readsAhead ? bytes * WINDOWED_PART_MAX : 0;
    this.#start = core.reserve(bytes);
    this.#top = this.#start + bytes;
    this.#end = this.#top;
    this.#lowestPin = this.#top;
    this.#head = this.#start;
  }

  /** Bytes of the kept extents, and how often a requested one was there. */
  get figures(): { bytes: number; bytesMax: number; hits: number; misses: number } {
    let bytes = 0;
    const inRing = [...this.#files.values()].map(({ byKey }) => byKey);
    for (const extents of [...inRing, ...this.#pins.values()])
      for (const extent of extents.values()) bytes += extent.bytes;
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
   * Address of bytes [offset, offset + length) of a file, valid until the next turn, or until the next load
   * if the turn does not hold them.
   * @throws TarsierError `invalid_store_file`, or `search_memory_exceeded` when one turn needs more than the
   * cache holds
   */
  load(file: SegmentFile, offset: number, length: number, holds = true): number {
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / CHUNK_BYTES);
    const extents = this.#files.get(file) ?? this.#enter(file);
    const known = this.#find(extents, first, last);
    if (known) {
      this.hits++;
      if (known.doubts !== 0) this.#verify(known, first, last);
      if (holds) known.turn = this.turn;
      return known.pointer + offset - known.first * CHUNK_BYTES;
    }
    this.loads++;
    const window = windowOf(first, last);
    const extent =
      (extents.isWindowed && window !== NO_WINDOW && this.#readWindow(file, window)) ||
      this.#read(file, first, first, last);
    extents.byKey.set(extent.key, extent);
    this.#verify(extent, first, last);
    extent.turn = holds ? this.turn : NO_TURN;
    return extent.pointer + offset - extent.first * CHUNK_BYTES;
  }

  /**
   * Address of bytes that will be accessed again and again, valid until the next turn. 0 when there is no
   * room for them, at least not in this turn.
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
    const bytes = bytesFor(chunks);
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
    const extent = { file, key: first, first, chunks, pointer, bytes, doubts: 0, turn: this.turn };
    const pins = this.#pins.get(file);
    if (pins) pins.set(first, extent);
    else this.#pins.set(file, new Map([[first, extent]]));
    return pointer + offset - first * CHUNK_BYTES;
  }

  /** Forgets a closed file. Its room is reused when the ring comes round. */
  forget(file: SegmentFile): void {
    const extents = this.#files.get(file);
    for (const extent of extents?.byKey.values() ?? []) extent.turn = NO_TURN;
    if (extents?.isWindowed) this.#windowed -= file.covered;
    this.#files.delete(file);
    // Other pinned extents may be in use until the next turn.
    if (this.#pins.delete(file)) this.#isUnpinning = true;
  }

  /** Moves the end of the ring down. False when the turn holds something there. */
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

  /** Gives the room of all pinned extents back to the ring, unless the turn uses one of them. */
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

  #enter(file: SegmentFile): FileExtents {
    const isWindowed = this.#windowed + file.covered <= this.#windowsMax;
    if (isWindowed) this.#windowed += file.covered;
    const extents = { byKey: new Map<number, Extent>(), isWindowed };
    this.#files.set(file, extents);
    return extents;
  }

  /** The extent that contains the chunks `first` to `last`. */
  #find({ byKey, isWindowed }: FileExtents, first: number, last: number): Extent | null {
    const window = isWindowed ? byKey.get(windowOf(first, last)) : undefined;
    if (window) return window;
    const extent = byKey.get(first);
    return extent && extent.first + extent.chunks > last ? extent : null;
  }

  /** Null when that fails: the requested chunks themselves may be sound, and have room. */
  #readWindow(file: SegmentFile, window: number): Extent | null {
    const first = (-1 - window) * WINDOW_CHUNKS;
    try {
      return this.#read(file, window, first, Math.min(first + WINDOW_CHUNKS, file.checksums.length) - 1);
    } catch {
      return null;
    }
  }

  /** Reads chunks to a new place in the ring: windows without verifying them, all else verified. */
  #read(file: SegmentFile, key: number, first: number, last: number): Extent {
    const chunks = last - first + 1;
    const bytes = bytesFor(chunks);
    const pointer = this.#makeRoom(bytes);
    const isWindow = key < 0;
    if (isWindow) file.fetchChunks(this.core, first, last, pointer);
    else file.readChunks(this.core, first, last, pointer);
    const doubts = isWindow ? ALL_DOUBTS >>> (WINDOW_CHUNKS - chunks) : 0;
    const extent = { file, key, first, chunks, pointer, bytes, doubts, turn: NO_TURN };
    this.#queue.push(extent);
    this.#head = pointer + bytes;
    return extent;
  }

  /** Drops a damaged extent: it is read anew when it is used again. */
  #verify(extent: Extent, first: number, last: number): void {
    for (let chunk = first; chunk <= last && extent.doubts !== 0; chunk++) {
      const place = chunk - extent.first;
      if (((extent.doubts >>> place) & 1) === 0) continue;
      try {
        extent.file.verifyChunks(this.core, chunk, chunk, extent.pointer + place * CHUNK_BYTES);
      } catch (error) {
        this.#drop(extent);
        throw error;
      }
      extent.doubts &= ~(1 << place);
    }
  }

  /**
   * Moves the head to the next place where `bytes` fit, and evicts the extents that it passes and those in
   * that place.
   */
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
      // After two rounds every place has been looked at.
      if (++rounds === 2) {
        if (this.#end < this.#top && this.#unpinUnused()) return this.#makeRoom(bytes);
        throw new TarsierError("search_memory_exceeded", { wanted: bytes, limit: this.bytes });
      }
    }
  }

  /**
   * Evicts extents in [from, to) up to the first one that the turn holds; that one moves to the end of the
   * queue.
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
    const extents = this.#files.get(extent.file)?.byKey;
    if (extents?.get(extent.key) === extent) extents.delete(extent.key);
  }
}

/** Key of the window that contains all of these chunks; lower than the keys of chunks. */
function windowOf(first: number, last: number): number {
  const window = Math.floor(first / WINDOW_CHUNKS);
  return Math.floor(last / WINDOW_CHUNKS) === window ? -1 - window : NO_WINDOW;
}

const bytesFor = (chunks: number): number =>
  Math.ceil((chunks * CHUNK_BYTES + ALIGNMENT_BYTES) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
