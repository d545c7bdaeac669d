// Space of the disk that is set aside for what must be written though none is left: how batches ended, and
// the tasks that make room. It is a file of the data folder that is removed when its space is needed. Kept by
// the journal; the doors that open a folder of the file system have one (src/node.ts, src/index.ts). In a
// browser the journal itself keeps such space (storage/opfs.ts).
import { randomFillSync } from "node:crypto";
import { SPACE_RESERVE_BYTES } from "../limits.ts";
import { isFull } from "../storage/failure.ts";
import { type Storage, sizeIfAny } from "../storage/storage.ts";

const RESERVE_NAME = "reserve";

export class SpaceReserve {
  readonly #storage: Storage;
  #isWhole: boolean;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#isWhole = isWholeIn(storage);
  }

  /** False when some of it has been given to who wrote, also by a process before this one. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Sets the space aside, unless it is already. Where something else stands in its place nothing is: writes
   * go on without it.
   * @throws TarsierError `no_space_left_on_device`: what takes space should not be written then
   */
  restore(): void {
    if (this.#isWhole) return;
    try {
      this.#make();
      this.#isWhole = true;
    } catch (error) {
      if (isFull(error)) throw error;
    }
  }

  /** Gives the space to who writes next. Returns false when there is none to give. */
  giveUp(): boolean {
    this.#isWhole = false;
    try {
      if (!this.#storage.exists(RESERVE_NAME)) return false;
      this.#storage.remove(RESERVE_NAME);
      return true;
    } catch {
      return false;
    }
  }

  #make(): void {
    const file = this.#storage.create(RESERVE_NAME);
    try {
      // Some file systems give zeros no space.
      file.append(randomFillSync(new Uint8Array(SPACE_RESERVE_BYTES)));
    } catch (error) {
      this.#storage.remove(RESERVE_NAME);
      throw error;
    } finally {
      file.close();
    }
  }
}

function isWholeIn(storage: Storage): boolean {
  try {
    return sizeIfAny(storage, RESERVE_NAME) === SPACE_RESERVE_BYTES;
  } catch {
    return false;
  }
}
