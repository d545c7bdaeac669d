// Bytes that are made before their turn in a segment file comes, such as posting lists while occurrences are
// written. They are kept in a buffer of the core's memory; those that do not fit go to a temporary file
// beside the segment. Used by builder.ts, merge.ts and vectorlist.ts.
import type { Core } from "../core/core.ts";
import type { Storage, WritableFile } from "../storage/storage.ts";
import type { SegmentWriter } from "./writer.ts";

/** The buffer of the spools that a thread uses one after another. */
export class SpoolBuffer {
  readonly core: Core;
  readonly pointer: number;
  readonly bytes: number;

  constructor(core: Core, bytes: number) {
    this.core = core;
    this.pointer = core.reserve(bytes);
    this.bytes = bytes;
  }
}

/** Name of the temporary file beside a segment. */
export function spoolOf(segment: string): string {
  return `${segment}.tmp`;
}

export class Spool {
  readonly #storage: Storage;
  readonly #path: string;
  readonly #buffer: SpoolBuffer;
  /** Bytes in the buffer; they follow those in the file. */
  #filled = 0;
  #file: WritableFile | null = null;

  constructor(storage: Storage, path: string, buffer: SpoolBuffer) {
    this.#storage = storage;
    this.#path = path;
    this.#buffer = buffer;
  }

  /** Appends a copy of bytes of the core's memory. */
  appendFrom(pointer: number, length: number): void {
    const { core, pointer: buffer, bytes } = this.#buffer;
    for (let from = 0; from < length; ) {
      if (this.#filled === bytes) this.#empty();
      const count = Math.min(length - from, bytes - this.#filled);
      core.copy(buffer + this.#filled, pointer + from, count);
      this.#filled += count;
      from += count;
    }
  }

  /** Appends all bytes to a segment file, and forgets them. */
  copyTo(writer: SegmentWriter): void {
    if (this.#file) this.#copyFile(writer);
    else writer.appendFrom(this.#buffer.pointer, this.#filled);
    this.discard();
  }

  /** Removes the temporary file, if there is one. */
  discard(): void {
    this.#filled = 0;
    this.#file?.close();
    if (this.#file) this.#storage.remove(this.#path);
    this.#file = null;
  }

  /** Moves the content of the buffer to the file. */
  #empty(): void {
    const { core, pointer } = this.#buffer;
    this.#file ??= this.#storage.create(this.#path);
    this.#file.append(core.u8.subarray(pointer, pointer + this.#filled));
    this.#filled = 0;
  }

  #copyFile(writer: SegmentWriter): void {
    this.#empty();
    const { core, pointer, bytes } = this.#buffer;
    const file = this.#storage.open(this.#path);
    try {
      for (let offset = 0; offset < file.size; ) {
        const read = file.readInto(core.u8.subarray(pointer, pointer + bytes), offset);
        writer.appendFrom(pointer, read);
        offset += read;
      }
    } finally {
      file.close();
    }
  }
}
