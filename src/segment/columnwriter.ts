// Writes section `columns` (columnformat.ts), one column after another, from dictionaries and entries: those
// of the value table (valuetable.ts) or of a merge (columnmerge.ts).
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import { bitsOf, type ColumnMeta, codesOf, columnLayout, packedBytes } from "./columnformat.ts";
import type { SegmentWriter } from "./writer.ts";

/** Room for the posting lists written at a time; a single longer list gets more. */
const LISTS_ROOM_BYTES = 1024 * 1024;
/** A list takes at most this many bytes per document, and a few more. */
const LIST_BYTES_MAX = 8;

/** One column in the core's memory. */
interface ColumnSource extends Pick<ColumnMeta, "name" | "numbers" | "texts" | "kinds" | "isListed"> {
  dictionary: { pointer: number; length: number };
  /** Address of the entries: u32 ordinal of the document, u32 code. */
  entries: number;
  count: number;
}

/** The documents of a segment: address of their docids (u32 each, ascending) and their number. */
export interface SegmentOrder {
  order: number;
  documents: number;
}

export class ColumnWriter {
  readonly #core: Core;
  readonly #writer: SegmentWriter;
  readonly #documents: number;
  readonly #order: number;
  /** Starts, codes, lists, ordinals: u32 each. */
  readonly #arrays: Region;
  readonly #packed: Region;
  /** Bytes of each posting list. */
  readonly #lengths: Region;
  #begin = -1;
  readonly columns: ColumnMeta[] = [];

  constructor(core: Core, writer: SegmentWriter, { order, documents }: SegmentOrder) {
    this.#core = core;
    this.#writer = writer;
    this.#documents = documents;
    this.#order = order;
    this.#arrays = new Region(core);
    this.#packed = new Region(core);
    this.#lengths = new Region(core);
  }

  /** Writes a column. */
  write({ name, numbers, texts, kinds, isListed, dictionary, entries, count }: ColumnSource): void {
    if (this.#begin < 0) {
      this.#writer.beginSection("columns");
      this.#begin = this.#writer.bytes;
    }
    const { columnGroup, columnInvert, columnOrder } = this.#core.exports;
    const codeCount = codesOf({ numbers, texts, kinds });
    const arrays = this.#room(count, codeCount);
    const { starts, codes, lists, ordinals } = arrays;
    const isSingle = columnGroup(entries, count, this.#documents, starts, codes) <= 1;
    if (!isSingle || isListed) columnInvert(starts, codes, this.#documents, codeCount, lists, ordinals);
    if (!isSingle) columnOrder(lists, ordinals, codeCount, this.#documents, starts, codes);
    const meta: ColumnMeta = {
      name,
      at: this.#writer.bytes - this.#begin,
      numbers,
      texts,
      kinds,
      entries: count,
      isSingle,
      dictionaryBytes: dictionary.length,
      isListed,
      listBytes: 0,
    };
    this.#writer.appendFrom(dictionary.pointer, dictionary.length);
    this.#pad();
    this.#writeForward(meta, arrays, codeCount);
    if (isListed) this.#writeLists(meta, arrays, codeCount);
    this.columns.push(meta);
  }

  /** Completes the section, if there is one. Returns the facts of its columns. */
  finish(): ColumnMeta[] {
    if (this.#begin >= 0) this.#writer.endSection();
    this.free();
    return this.columns;
  }

  free(): void {
    for (const region of [this.#arrays, this.#packed, this.#lengths]) region.free();
  }

  #room(count: number, codeCount: number): ColumnArrays {
    const lengths = [this.#documents + 1, count, codeCount + 1, count];
    let at = this.#arrays.ensure(lengths.reduce((sum, length) => sum + align(4 * length), 0));
    const [starts, codes, lists, ordinals] = lengths.map((length) => {
      const start = at;
      at += align(4 * length);
      return start;
    });
    return { starts, codes, lists, ordinals };
  }

  #writeForward(meta: ColumnMeta, { starts, codes }: ColumnArrays, codeCount: number): void {
    const { codeBits, startBits } = columnLayout(meta, this.#documents);
    if (!meta.isSingle) {
      this.#pack(codes, meta.entries, codeBits);
      this.#pack(starts, this.#documents + 1, startBits);
      return;
    }
    const region = new Region(this.#core, 4 * this.#documents);
    this.#core.exports.columnFill(starts, codes, this.#documents, codeCount, region.pointer);
    this.#pack(region.pointer, this.#documents, codeBits);
    region.free();
  }

  #writeLists(meta: ColumnMeta, { lists, ordinals }: ColumnArrays, codeCount: number): void {
    const { columnDocids, columnLists } = this.#core.exports;
    columnDocids(ordinals, meta.entries, this.#order);
    const lengths = this.#lengths.ensure(4 * (codeCount + 1));
    let capacity = LISTS_ROOM_BYTES;
    for (let code = 0; code < codeCount; ) {
      const out = this.#packed.ensure(capacity);
      const done = columnLists(lists, ordinals, code, codeCount, out, capacity, lengths + 4 * code);
      if (done === 0) {
        capacity = LISTS_ROOM_BYTES + LIST_BYTES_MAX * meta.entries;
        continue;
      }
      const { u32 } = this.#core;
      let bytes = 0;
      for (let i = code; i < code + done; i++) bytes += u32[lengths / 4 + i];
      this.#writer.appendFrom(out, bytes);
      code += done;
    }
    meta.listBytes = this.#startsOf(lengths, codeCount);
    this.#pad();
    this.#pack(lengths, codeCount + 1, bitsOf(meta.listBytes));
  }

  /** Turns the lengths of lists into their starts; returns the sum. */
  #startsOf(lengths: number, codeCount: number): number {
    const { u32 } = this.#core;
    let start = 0;
    for (let i = lengths / 4; i < lengths / 4 + codeCount; i++) {
      const bytes = u32[i];
      u32[i] = start;
      start += bytes;
    }
    u32[lengths / 4 + codeCount] = start;
    return start;
  }

  #pack(numbers: number, count: number, bits: number): void {
    const out = this.#packed.ensure(packedBytes(count, bits) + 8);
    this.#writer.appendFrom(out, this.#core.exports.bitsWrite(numbers, count, bits, out));
    this.#pad();
  }

  #pad(): void {
    const bytes = this.#writer.bytes - this.#begin;
    this.#writer.append(new Uint8Array(align(bytes) - bytes));
  }
}

/** Addresses of arrays that the kernels fill. */
interface ColumnArrays {
  starts: number;
  codes: number;
  lists: number;
  ordinals: number;
}

const align = (bytes: number): number => Math.ceil(bytes / 16) * 16;
