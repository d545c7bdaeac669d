// Reads one section of a segment from its first byte to its last, without the cache: a window in the core's
// memory moves over it. This way merges read each byte of their sources once. Used by the merging files here:
// documentmerge.ts, termcursor.ts, vectormerge.ts.
//
//   section   [ ............... | window | ............... ]
//                               ^ moves on when bytes after its end are asked for
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import type { SegmentFile } from "./file.ts";
import { CHUNK_BYTES, type SectionName } from "./format.ts";

/** Size of a window, unless more is asked for at once. */
const WINDOW_BYTES = 64 * CHUNK_BYTES;

export class SectionStream {
  readonly #core: Core;
  readonly #file: SegmentFile;
  readonly #region: Region;
  readonly #start: number;
  readonly #end: number;
  /** The part of the file in the window. */
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
   * Address of bytes of the section, valid until the next call.
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
