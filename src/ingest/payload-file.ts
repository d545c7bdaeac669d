// The payload file of a task while it is being written: takes bytes, writes them in large blocks beside the
// caller's work, and is complete and on disk after `finish`, or gone after `discard`. Used by payload.ts.
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { enlarge, FIRST_BYTES } from "./lines.ts";

/** Bytes of one write. Two such blocks are in memory: one being filled, one being written. */
const BLOCK_BYTES = 1024 * 1024;

export class PayloadFile {
  readonly #path: string;
  readonly #file: FileHandle;
  #filling = new Uint8Array(FIRST_BYTES);
  #spare = new Uint8Array(0);
  #length = 0;
  #written = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Creates the file; an older one of that name is emptied. */
  static async create(path: string): Promise<PayloadFile> {
    return new PayloadFile(path, await open(path, "w"));
  }

  /** Bytes given so far. */
  get bytes(): number {
    return this.#written + this.#length;
  }

  /** Takes a copy of the bytes. Waits only while both blocks are full. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; ) {
      const taken = Math.min(bytes.length - start, BLOCK_BYTES - this.#length);
      const needed = this.#length + taken;
      if (needed > this.#filling.length)
        this.#filling = enlarge(this.#filling, Math.min(2 * needed, BLOCK_BYTES));
      this.#filling.set(bytes.subarray(start, start + taken), this.#length);
      this.#length += taken;
      start += taken;
      if (this.#length === BLOCK_BYTES) await this.#startWrite();
    }
  }

  /** Writes the rest and closes. With `sync` the bytes and the name of the file survive a loss of power. */
  async finish(sync: boolean): Promise<void> {
    await this.#startWrite();
    await this.#writing;
    if (sync) await Promise.all([this.#file.datasync(), syncFolder(dirname(this.#path))]);
    await this.#file.close();
  }

  /** Removes the file, whatever state it is in. */
  async discard(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.close().catch(() => undefined);
    await rm(this.#path, { force: true });
  }

  /** Waits for the block on its way and sends the filled one after it, not waiting for that. */
  async #startWrite(): Promise<void> {
    await this.#writing;
    const [block, length, position] = [this.#filling, this.#length, this.#written];
    [this.#filling, this.#spare] = [this.#spare, block];
    this.#written += length;
    this.#length = 0;
    this.#writing = writeAll(this.#file, block.subarray(0, length), position);
    // Whoever waits next gets the failure; until then nobody is listening, which is no reason to end the
    // process.
    this.#writing.catch(() => undefined);
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
