// One section of a segment read from its first byte to its last, past the cache: a window in the core's
// memory moves over it. Merges (merge.ts, termmerge.ts) read each byte of their sources once, in this way.
//
//   section   [ ............... | window | ............... ]
//                               ^ moves on when bytes behind its end are asked for
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import type { SegmentFile } from "./file.ts";
import { CHUNK_BYTES, type SectionName } from "./format.ts";

/** A window is so large, or as large as what is asked for. */
const WINDOW_BYTES = 64 * CHUNK_BYTES;

export class SectionStream {
  readonly #core: Core;
  readonly #file: SegmentFile;
  readonly #region: Region;
  readonly #start: number;
  readonly #end: number;
  /** Part of the file that lies in the window. */
  #from = 0;
  #to = 0;

  constructor(core: Core, file: SegmentFile, name: SectionName) {
    this.#core = core;
    this.#file = file;
    this.#region = new Region(core);
    const { offset, length } = file.section(name);
    this.#start = offset;
    this.#end = offset + length;
  }

  /**
   * Address of bytes of the section, until the next call.
   * @throws TarsierError `invalid_store_file`
   */
  view(offset: number, length: number): number {
    const from = this.#start + offset;
    if (from < this.#from || from + length > this.#to) this.#move(from, length);
    return this.#region.pointer + from - this.#from;
  }

  /** Gives the window back. */
  free(): void {
    this.#region.free();
    this.#from = this.#to = 0;
  }

  #move(from: number, length: number): void {
    const wanted = Math.min(Math.max(length, WINDOW_BYTES), this.#end - from);
    let begin = 0;
    const address = this.#file.readRange(
      this.#core,
      from,
      wanted,
      (bytes) => (begin = this.#region.ensure(bytes)),
    );
    this.#from = from - (address - begin);
    this.#to = from + wanted;
  }
}
