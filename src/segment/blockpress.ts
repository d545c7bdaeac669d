// Compression of blocks of documents, which takes a seventh of the time of indexing: some blocks wait for a
// helping thread, while the thread that makes them goes on. A block that no helper has taken when it is
// needed is compressed by its maker; so it also works without a helper, or with a slow one. Used by
// documentblocks.ts.
import type { Core } from "../core/core.ts";
import { LZ4_TABLE_BYTES } from "../core/lz4.ts";
import { startBlockHelper } from "./blockhelper.ts";
import {
  compressSlot,
  DONE,
  EMPTY,
  FILLED,
  HELPED,
  HELPERS,
  PACKED_BYTES,
  PRESS_BYTES,
  packedAt,
  RAW_BYTES,
  rawAt,
  SLOT_BYTES,
  SLOTS,
  STATE,
  slotAt,
  WAITING,
} from "./blockslots.ts";

/** Blocks of a segment from which on a helper is worth starting. */
const BLOCKS_MIN = 128;
/** A block takes less than a millisecond, but a thread may have to wait for a processor. */
const WAIT_MS_MAX = 10_000;

/** A compressed block, as places in the core's memory that are void when the next block is put in. */
export interface PressedBlock {
  documents: number;
  raw: number;
  rawBytes: number;
  packed: number;
  /** 0: it did not become smaller. */
  packedBytes: number;
}

export class BlockPress {
  readonly #core: Core;
  readonly #pointer: number;
  /** Where the slots are. A slot that was lost along with its helper is replaced. */
  readonly #slots: number[];
  readonly #table: number;
  readonly #waitMsMax: number;
  #mayHelp: boolean;
  /** Number of documents of each block inside, oldest block first. */
  readonly #documents: number[] = [];
  /** Blocks taken out, of any segment; below, blocks put in for the current segment. */
  #taken = 0;
  #ofSegment = 0;

  /**
   * `mayHelp`: a thread may be started. `waitMsMax`: a helper that takes longer for a block counts as lost.
   */
  constructor(core: Core, mayHelp: boolean, waitMsMax = WAIT_MS_MAX) {
    const slots = mayHelp ? SLOTS : 1;
    this.#core = core;
    this.#pointer = core.reserve(PRESS_BYTES + slots * SLOT_BYTES);
    this.#slots = Array.from({ length: slots }, (_, number) => slotAt(this.#pointer, number));
    this.#table = core.reserve(LZ4_TABLE_BYTES);
    this.#mayHelp = mayHelp;
    this.#waitMsMax = waitMsMax;
  }

  /** Number of blocks inside. */
  get count(): number {
    return this.#documents.length;
  }

  get isFull(): boolean {
    return this.count === this.#slots.length;
  }

  /** Blocks that helpers compressed so far. */
  get helped(): number {
    return Atomics.load(this.#core.i32, (this.#pointer >>> 2) + HELPED);
  }

  /** Is there a helper, or is one starting? */
  get hasHelper(): boolean {
    return Atomics.load(this.#core.i32, (this.#pointer >>> 2) + HELPERS) !== 0;
  }

  /** Where to write the next block: RAW_BYTES_MAX bytes. There must be room. */
  get next(): number {
    return rawAt(this.#slots[this.#place(this.count)]);
  }

  /** Puts in the block that was written to `next`. */
  put(bytes: number, documents: number): void {
    const { i32 } = this.#core;
    const slot = this.#slots[this.#place(this.count)] >>> 2;
    this.#documents.push(documents);
    i32[slot + RAW_BYTES] = bytes;
    Atomics.store(i32, slot + STATE, WAITING);
    if (!this.#mayHelp) return;
    const press = this.#pointer >>> 2;
    Atomics.add(i32, press + FILLED, 1);
    Atomics.notify(i32, press + FILLED);
    const isWorthIt = ++this.#ofSegment % BLOCKS_MIN === 0;
    if (isWorthIt && Atomics.compareExchange(i32, press + HELPERS, 0, 1) === 0)
      startBlockHelper(this.#core, this.#pointer);
  }

  /** Takes out the block that has been inside for the longest time. */
  take(): PressedBlock {
    const place = this.#place(0);
    if (!this.#isDone(place)) this.#replace(place);
    const slot = this.#slots[place];
    const { i32 } = this.#core;
    Atomics.store(i32, (slot >>> 2) + STATE, EMPTY);
    this.#taken++;
    return {
      documents: this.#documents.shift()!,
      raw: rawAt(slot),
      rawBytes: i32[(slot >>> 2) + RAW_BYTES],
      packed: packedAt(slot),
      packedBytes: i32[(slot >>> 2) + PACKED_BYTES],
    };
  }

  /**
   * Compresses a block of any size at once; returns its bytes at `packed`, 0 when it does not become smaller.
   */
  compress(raw: number, bytes: number, packed: number): number {
    return this.#core.exports.lz4Compress(raw, bytes, packed, bytes, this.#table);
  }

  /** Ends a segment and drops the blocks inside. */
  clear(): void {
    while (this.count > 0) this.take();
    this.#ofSegment = 0;
  }

  /** Slot of the block that has `before` others in front of it. */
  #place(before: number): number {
    return (this.#taken + before) % this.#slots.length;
  }

  /**
   * Compresses the block of a slot, or waits for the helper that does. False when the helper does not finish.
   */
  #isDone(place: number): boolean {
    const slot = this.#slots[place];
    const { i32, exports } = this.#core;
    if (compressSlot(i32, exports, slot, this.#table)) return true;
    const at = (slot >>> 2) + STATE;
    const end = performance.now() + this.#waitMsMax;
    for (let state = Atomics.load(i32, at); state !== DONE; state = Atomics.load(i32, at)) {
      if (performance.now() > end) return false;
      Atomics.wait(i32, at, state, 100);
    }
    return true;
  }

  /**
   * Abandons a slot to its lost helper: a copy takes its place, since the helper only reads the block's
   * content.
   */
  #replace(place: number): void {
    const lost = this.#slots[place];
    const slot = this.#core.reserve(SLOT_BYTES);
    this.#core.copy(slot, lost, SLOT_BYTES);
    this.#slots[place] = slot;
    this.#mayHelp = false;
    const { i32, exports } = this.#core;
    Atomics.store(i32, (slot >>> 2) + STATE, WAITING);
    compressSlot(i32, exports, slot, this.#table);
  }
}
