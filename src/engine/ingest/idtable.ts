// The distinct ids of one batch, numbered from 0 in the order in which they come: the kernels of
// assembly/identifiers.ts over a region that grows. Used by changes.ts.
import type { Core } from "../../core/core.ts";
import { IDENTIFIERS_FULL, identifiersBytes } from "../../core/identifiers.ts";
import { Region } from "../../core/region.ts";
import type { Located } from "../../segment/locateddocument.ts";

const IDS_FIRST = 4096;
const ID_BYTES_TYPICAL = 16;
const ROW_BYTES = 20;

export class IdTable {
  readonly #core: Core;
  #region: Region;
  readonly #text: Region;

  /** `bytes`: size of the first region. Of a generous region only the parts in use cost memory. */
  constructor(core: Core, bytes: number) {
    this.#core = core;
    this.#text = new Region(core, 1024);
    this.#region = this.#start(Math.max(bytes, identifiersBytes(IDS_FIRST, IDS_FIRST * ID_BYTES_TYPICAL)));
  }

  get count(): number {
    return this.#core.exports.identifiersCount(this.#region.pointer);
  }

  /** Number of an id, which is added if it is new. */
  put(id: string): number {
    const bytes = Buffer.from(id);
    const pointer = this.#text.ensure(bytes.length + 64);
    this.#core.write(pointer, bytes);
    for (;;) {
      const entry = this.#core.exports.identifiersPut(this.#region.pointer, pointer, bytes.length);
      if (entry !== IDENTIFIERS_FULL) return entry;
      this.#grow();
    }
  }

  /** Numbers of the ids in `count` rows of jsonIds, as i32 at `out`; -1 for a row without one. */
  putRows(rows: number, count: number, out: number): void {
    const { identifiersPutRows } = this.#core.exports;
    for (let done = 0; done < count; ) {
      done += identifiersPutRows(this.#region.pointer, rows + done * ROW_BYTES, count - done, out + done * 4);
      if (done < count) this.#grow();
    }
  }

  /**
   * Ordinals of `count` ids in the ids section of a segment, as i32 at `out`; -1 for an id that is not there.
   */
  lookUp(from: number, count: number, section: number, out: number): void {
    this.#core.exports.identifiersLookup(this.#region.pointer, from, count, section, out);
  }

  /** An id in the core's memory, valid until the next id is put. */
  text(entry: number): Located {
    const { identifiersText, identifiersTextLength } = this.#core.exports;
    const { pointer } = this.#region;
    return { pointer: identifiersText(pointer, entry) >>> 0, length: identifiersTextLength(pointer, entry) };
  }

  string(entry: number): string {
    const { pointer, length } = this.text(entry);
    return Buffer.from(this.#core.u8.subarray(pointer, pointer + length)).toString();
  }

  free(): void {
    this.#region.free();
    this.#text.free();
  }

  #start(bytes: number): Region {
    const region = new Region(this.#core, bytes);
    this.#core.exports.identifiersStart(region.pointer, bytes);
    return region;
  }

  /** Moves the ids to a region of twice the size, under the same numbers. */
  #grow(): void {
    const { identifiersText, identifiersTextLength, identifiersPut } = this.#core.exports;
    const old = this.#region;
    const next = this.#start(old.bytes * 2);
    const count = this.count;
    for (let entry = 0; entry < count; entry++) {
      const text = identifiersText(old.pointer, entry);
      identifiersPut(next.pointer, text, identifiersTextLength(old.pointer, entry));
    }
    this.#region = next;
    old.free();
  }
}
