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
  /** Under which the extents of the file hold it: its first chunk, or what `windowKey` says. */
  key: number;
  /** Number of its first chunk, and how many it has. */
  first: number;
  chunks: number;
  pointer: number;
  bytes: number;
  /** A bit for each chunk not verified yet, the first one lowest: those of a window, until asked for. */
  doubts: number;
  /** The last turn that asked for it. */
  turn: number;
}

interface FileExtents {
  /** The longest of each first chunk, and the windows. */
  byKey: Map<number, Extent>;
  /** Is it read by windows? */
  isWindowed: boolean;
}

/** The key of no window. */
const NO_WINDOW = Number.NEGATIVE_INFINITY;
/** A window has so many chunks, and begins at a multiple of them. */
const WINDOW_CHUNKS = 32;
/** A bit for each chunk of a window. */
const ALL_DOUBTS = 0xffffffff;
/** Files are read by windows while all of them take at most this part of the memory. */
const WINDOWED_PART_MAX = 0.5;
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
  readonly #files = new Map<SegmentFile, FileExtents>();
  /** Bytes of the files that are read by windows, and how many there may be. */
  #windowed = 0;
  readonly #windowsMax: number;
  /** As they lie in the ring from the head on, all the way round; those before `#oldest` are gone. */
  #queue: Extent[] = [];
  #oldest = 0;
  loads = 0;
  hits = 0;

  /** `readsAhead`: a long read costs little more than a short one where the files are. */
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

  /** Extents that are kept, and how often one was there that was asked for. */
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
   * Address of bytes [offset, offset + length) of a file, valid until the next turn, or, when the turn does
   * not hold them, until the next load.
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

  /** Forgets a file that is closed. Its room is reused when the ring comes round. */
  forget(file: SegmentFile): void {
    const extents = this.#files.get(file);
    for (const extent of extents?.byKey.values() ?? []) extent.turn = NO_TURN;
    if (extents?.isWindowed) this.#windowed -= file.covered;
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

  #enter(file: SegmentFile): FileExtents {
    const isWindowed = this.#windowed + file.covered <= this.#windowsMax;
    if (isWindowed) this.#windowed += file.covered;
    const extents = { byKey: new Map<number, Extent>(), isWindowed };
    this.#files.set(file, extents);
    return extents;
  }

  /** What holds the chunks `first` to `last`. */
  #find({ byKey, isWindowed }: FileExtents, first: number, last: number): Extent | null {
    const window = isWindowed ? byKey.get(windowOf(first, last)) : undefined;
    if (window) return window;
    const extent = byKey.get(first);
    return extent && extent.first + extent.chunks > last ? extent : null;
  }

  /** Null when that fails, for what is asked for may be whole, and have room. */
  #readWindow(file: SegmentFile, window: number): Extent | null {
    const first = (-1 - window) * WINDOW_CHUNKS;
    try {
      return this.#read(file, window, first, Math.min(first + WINDOW_CHUNKS, file.checksums.length) - 1);
    } catch {
      return null;
    }
  }

  /** Reads chunks to a new place in the ring: windows without verifying them, all else for good. */
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

  /** What is damaged is read anew when it is asked for again. */
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
    const extents = this.#files.get(extent.file)?.byKey;
    if (extents?.get(extent.key) === extent) extents.delete(extent.key);
  }
}

/** The window in which all of these chunks lie, as a key: below those of chunks. */
function windowOf(first: number, last: number): number {
  const window = Math.floor(first / WINDOW_CHUNKS);
  return Math.floor(last / WINDOW_CHUNKS) === window ? -1 - window : NO_WINDOW;
}

const bytesFor = (chunks: number): number =>
  Math.ceil((chunks * CHUNK_BYTES + ALIGNMENT_BYTES) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
