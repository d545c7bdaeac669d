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
  HELPERS,
  PACKED_BYTES,
  PRESS_BYTES,
  packedAt,
  RAW_BYTES,
  rawAt,
  SLOTS,
  STATE,
  slotAt,
  WAITING,
} from "./blockslots.ts";

/** A helper is not worth its start for fewer blocks. */
const BLOCKS_MIN = 128;
/** A block takes less than a millisecond; a thread may wait for a processor. */
const WAIT_MS_MAX = 30_000;

/** A block that went through the press: places in the core's memory, void when the next one is put in. */
export interface PressedBlock {
  raw: number;
  rawBytes: number;
  packed: number;
  /** 0: it did not become smaller. */
  packedBytes: number;
}

export class BlockPress {
  readonly #core: Core;
  readonly #pointer: number;
  readonly #table: number;
  readonly #mayHelp: boolean;
  /** Blocks put in, and taken out. */
  #filled = 0;
  #emptied = 0;

  /** `mayHelp`: a thread may be started. */
  constructor(core: Core, mayHelp: boolean) {
    this.#core = core;
    this.#pointer = core.reserve(PRESS_BYTES);
    this.#table = core.reserve(LZ4_TABLE_BYTES);
    this.#mayHelp = mayHelp;
  }

  /** Blocks inside. */
  get count(): number {
    return this.#filled - this.#emptied;
  }

  get isFull(): boolean {
    return this.count === SLOTS;
  }

  /** Where the next block is to be written: RAW_BYTES_MAX bytes. There must be room. */
  get next(): number {
    return rawAt(this.#slot(this.#filled));
  }

  /** Puts in the block that was written to `next`. */
  put(bytes: number): void {
    const { i32 } = this.#core;
    const slot = this.#slot(this.#filled++) >>> 2;
    i32[slot + RAW_BYTES] = bytes;
    Atomics.store(i32, slot + STATE, WAITING);
    if (!this.#mayHelp) return;
    const press = this.#pointer >>> 2;
    Atomics.add(i32, press + FILLED, 1);
    Atomics.notify(i32, press + FILLED);
    const isWorthIt = this.#filled % BLOCKS_MIN === 0;
    if (isWorthIt && Atomics.compareExchange(i32, press + HELPERS, 0, 1) === 0)
      startBlockHelper(this.#core, this.#pointer);
  }

  /** Takes out the block that is inside for longest. */
  take(): PressedBlock {
    const slot = this.#slot(this.#emptied++);
    const { i32, exports } = this.#core;
    if (!compressSlot(i32, exports, slot, this.#table)) this.#await(slot);
    const at = slot >>> 2;
    Atomics.store(i32, at + STATE, EMPTY);
    return {
      ...{ raw: rawAt(slot), rawBytes: i32[at + RAW_BYTES] },
      ...{ packed: packedAt(slot), packedBytes: i32[at + PACKED_BYTES] },
    };
  }

  /** Gives up what is inside. */
  clear(): void {
    const { i32 } = this.#core;
    for (; this.#emptied < this.#filled; this.#emptied++) {
      const slot = this.#slot(this.#emptied);
      const at = (slot >>> 2) + STATE;
      if (Atomics.compareExchange(i32, at, WAITING, EMPTY) === WAITING) continue;
      this.#await(slot);
      Atomics.store(i32, at, EMPTY);
    }
  }

  #slot(number: number): number {
    return slotAt(this.#pointer, number % SLOTS);
  }

  /** Until the helper is done with it. */
  #await(slot: number): void {
    const { i32 } = this.#core;
    const at = (slot >>> 2) + STATE;
    const end = performance.now() + WAIT_MS_MAX;
    for (let state = Atomics.load(i32, at); state !== DONE; state = Atomics.load(i32, at)) {
      if (performance.now() > end) throw new Error("a thread that compresses documents does not come back");
      Atomics.wait(i32, at, state, 100);
    }
  }
}
