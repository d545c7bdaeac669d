// Blocks of documents on their way through compression, which takes a seventh of the time of indexing: some
// of them wait for a thread that helps, while the one that makes them goes on. A block that nobody has taken
// when it is needed is compressed by the latter: so it is without a helper, too, or with a slow one. Used by
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

/** Of one segment: a helper is not worth its start for fewer blocks. */
const BLOCKS_MIN = 128;
/** A block takes less than a millisecond; a thread may wait for a processor. */
const WAIT_MS_MAX = 10_000;

/** A block that is compressed: places in the core's memory, void when the next one is put in. */
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
  /** Where the slots are: one that a helper was lost with is replaced. */
  readonly #slots: number[];
  readonly #table: number;
  readonly #waitMsMax: number;
  #mayHelp: boolean;
  /** Of the blocks inside, the one that was put in first at the beginning. */
  readonly #documents: number[] = [];
  /** Blocks taken out, of any segment, and put in for the one at hand. */
  #taken = 0;
  #ofSegment = 0;

  /** `mayHelp`: a thread may be started. `waitMsMax`: one that takes longer for a block is lost. */
  constructor(core: Core, mayHelp: boolean, waitMsMax = WAIT_MS_MAX) {
    const slots = mayHelp ? SLOTS : 1;
    this.#core = core;
    this.#pointer = core.reserve(PRESS_BYTES + slots * SLOT_BYTES);
    this.#slots = Array.from({ length: slots }, (_, number) => slotAt(this.#pointer, number));
    this.#table = core.reserve(LZ4_TABLE_BYTES);
    this.#mayHelp = mayHelp;
    this.#waitMsMax = waitMsMax;
  }

  /** Blocks inside. */
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

  /** Is there a helper, or does one start? */
  get hasHelper(): boolean {
    return Atomics.load(this.#core.i32, (this.#pointer >>> 2) + HELPERS) !== 0;
  }

  /** Where the next block is to be written: RAW_BYTES_MAX bytes. There must be room. */
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

  /** Takes out the block that is inside for longest. */
  take(): PressedBlock {
    const place = this.#place(0);
    if (!this.#isDone(place)) this.#replace(place);
    const slot = this.#slots[place];
    const { i32 } = this.#core;
    Atomics.store(i32, (slot >>> 2) + STATE, EMPTY);
    this.#taken++;
    return {
      documents: this.#documents.shift()!,
      ...{ raw: rawAt(slot), rawBytes: i32[(slot >>> 2) + RAW_BYTES] },
      ...{ packed: packedAt(slot), packedBytes: i32[(slot >>> 2) + PACKED_BYTES] },
    };
  }

  /** Compresses a block of any size at once; returns its bytes at `packed`, 0: it does not become smaller. */
  compress(raw: number, bytes: number, packed: number): number {
    return this.#core.exports.lz4Compress(raw, bytes, packed, bytes, this.#table);
  }

  /** Ends a segment, and gives up what is inside. */
  clear(): void {
    while (this.count > 0) this.take();
    this.#ofSegment = 0;
  }

  /** Of the block with so many before it. */
  #place(before: number): number {
    return (this.#taken + before) % this.#slots.length;
  }

  /** Compresses the block of a slot, or waits for the helper that does. False: it does not come back. */
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

  /** Leaves a slot to the helper that was lost with it: what the block is made of is only read there. */
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
