// The in-memory inverted index of one run (assembly/inverter*.ts) as builder.ts uses it: documents go in
// through the walker, then a dictionary and encoded lists come out. One per indexing thread, emptied for each
// segment.
import type { Core } from "../core/core.ts";
import { DICTIONARY_WRITER_BYTES, dictionaryCapacity } from "../core/dictionary.ts";
import { JSON_FULL, JSON_TOO_DEEP, JSON_TOO_MANY_PATHS } from "../core/json.ts";
import { Region } from "../core/region.ts";
import type { Tokenizer } from "../core/tokenizer.ts";
import { ValueTable } from "./valuetable.ts";

/** Memory that a document is expected to need, as a multiple of its bytes. */
const GROWTH_TYPICAL = 8;
const FREE_BYTES_MIN = 64 * 1024;
/** Part of the memory for values when there are columns; below, when only values are gathered. */
const VALUES_PART = 0.25;
const VALUES_ALONE_PART = 0.9;
const WALKER_DOCUMENT_BYTES_FIRST = 64 * 1024;
const ENCODE_BYTES_FIRST = 1024 * 1024;
const ENCODE_TERMS_MOST = 4096;
/** A dictionary rarely takes more than this part of the memory in which its words were gathered. */
const DICTIONARY_PART = 0.25;

/** What happened to a document. */
export type Outcome = "done" | "full" | "tooDeep" | "tooManyPaths";

/** Encoded lists of some consecutive terms, one after another; void after the next call. */
interface EncodedLists {
  terms: number;
  postings: number;
  postingsBytes: number;
  positions: number;
  positionsBytes: number;
  /** Per term: bytes of its postings, bytes of its positions. */
  lengths: Uint32Array;
}

export class Inverter {
  readonly #core: Core;
  readonly #tokenizer: Tokenizer;
  readonly #pointer: number;
  readonly #bytes: number;
  readonly #besideWords: ValueTable;
  readonly #alone: ValueTable;
  /** The table of values, if the documents of the run have columns. */
  #values: ValueTable | null = null;
  readonly #walker: Region;
  readonly #encoded: Region;
  readonly #dictionary: Region;
  readonly #writer: number;
  readonly #lengths = new Uint32Array(2 * ENCODE_TERMS_MOST);
  /** Memory to lend when that for words is too small. */
  readonly #lent: Region;
  #terms = 0;

  /** `bytes`: bound for the words and values that are gathered before a segment must be written. */
  constructor(core: Core, tokenizer: Tokenizer, bytes: number) {
    this.#core = core;
    this.#tokenizer = tokenizer;
    this.#bytes = bytes;
    this.#pointer = core.reserve(bytes + core.exports.valuesOverhead());
    const tableOf = (part: number) => {
      const valueBytes = Math.floor((bytes * part) / 16) * 16;
      return new ValueTable(core, this.#pointer + bytes - valueBytes, valueBytes);
    };
    this.#besideWords = tableOf(VALUES_PART);
    this.#alone = tableOf(VALUES_ALONE_PART);
    this.#walker = new Region(core, core.exports.jsonWalkerBytes(WALKER_DOCUMENT_BYTES_FIRST));
    this.#encoded = new Region(core, ENCODE_BYTES_FIRST);
    this.#dictionary = new Region(core, Math.floor(bytes * DICTIONARY_PART));
    this.#lent = new Region(core);
    this.#writer = core.reserve(DICTIONARY_WRITER_BYTES);
    this.resetWalker();
  }

  /** Empties the index for a new segment, with or without a table of values. */
  start(hasColumns: boolean): void {
    this.#begin(hasColumns ? this.#besideWords : null);
  }

  /** Empties the index for documents of which only the values are needed. */
  startValues(): ValueTable {
    this.#begin(this.#alone);
    return this.#alone;
  }

  /** Values of the documents so far; null when there are no columns. */
  get values(): ValueTable | null {
    return this.#values;
  }

  /**
   * Forgets fields, shapes and locales: with the next document the walker asks the host for fields and shapes
   * again.
   */
  resetWalker(): void {
    this.#core.exports.jsonWalkerReset(this.#walker.pointer, this.#walker.bytes);
  }

  /**
   * Makes room for walking a document of this many bytes. True when the walker had to forget everything for
   * that, locales included.
   */
  makeRoom(length: number): boolean {
    const bytes = this.#core.exports.jsonWalkerBytes(length);
    if (bytes <= this.#walker.bytes) return false;
    this.#walker.ensure(bytes);
    this.resetWalker();
    return true;
  }

  setLocale(field: number, locale: number): void {
    this.#core.exports.jsonWalkerLocale(this.#walker.pointer, field, locale);
  }

  /** Shape of the last document: the host's answer for its top-level names. */
  get shape(): number {
    return this.#core.exports.jsonWalkerShape(this.#walker.pointer);
  }

  /** Address and length of the JSON value of the last document's location, or null. */
  get point(): { pointer: number; length: number } | null {
    const { jsonWalkerPoint, jsonWalkerPointBytes } = this.#core.exports;
    const pointer = jsonWalkerPoint(this.#walker.pointer) >>> 0;
    return pointer ? { pointer, length: jsonWalkerPointBytes(this.#walker.pointer) } : null;
  }

  /** The same for its geometry. */
  get geometry(): { pointer: number; length: number } | null {
    const { jsonWalkerGeometry, jsonWalkerGeometryBytes } = this.#core.exports;
    const pointer = jsonWalkerGeometry(this.#walker.pointer) >>> 0;
    return pointer ? { pointer, length: jsonWalkerGeometryBytes(this.#walker.pointer) } : null;
  }

  /** True when a document of this many bytes most likely fits. */
  fits(length: number): boolean {
    const wanted = FREE_BYTES_MIN + GROWTH_TYPICAL * length;
    if (this.#values && this.#values.free <= wanted) return false;
    return this.#core.exports.inverterFree(this.#pointer) >>> 0 > wanted;
  }

  /** Adds a document. After `full` nothing of it was kept. */
  add(docid: number, pointer: number, length: number): Outcome {
    const { jsonDocument } = this.#core.exports;
    const done = jsonDocument(
      this.#walker.pointer,
      this.#pointer,
      this.#values?.pointer ?? 0,
      this.#tokenizer.handle,
      docid,
      pointer,
      length,
    );
    if (done >= 0) return "done";
    if (done === JSON_TOO_DEEP) return "tooDeep";
    if (done === JSON_TOO_MANY_PATHS) return "tooManyPaths";
    if (done === -1 || done === JSON_FULL) return "full";
    throw new Error(`document ${docid} of ${length} bytes: walker error ${done}`);
  }

  /** Sorts the terms. Returns their number. No document may follow. */
  sort(): number {
    this.#terms = this.#core.exports.inverterSort(this.#pointer);
    return this.#terms;
  }

  /** The dictionary of the sorted terms, valid until the next call. */
  dictionary(): { pointer: number; length: number } {
    const { inverterTermBytes, inverterWriteDictionary, dictionaryWriterStart, dictionaryWriterFinish } =
      this.#core.exports;
    const bytes = dictionaryCapacity(this.#terms, inverterTermBytes(this.#pointer) >>> 0);
    const pointer = this.#dictionary.ensure(bytes);
    dictionaryWriterStart(this.#writer, pointer, bytes);
    const failed = inverterWriteDictionary(this.#pointer, this.#writer);
    const length = failed < 0 ? failed : dictionaryWriterFinish(this.#writer);
    if (length < 0) throw new Error(`dictionary of ${this.#terms} terms: writer error ${length}`);
    return { pointer, length };
  }

  /** Encodes the lists of all terms, a part at a time. */
  encode(visit: (lists: EncodedLists) => void): void {
    for (let term = 0; term < this.#terms; ) {
      const half = Math.floor(this.#encoded.bytes / 2 / 16) * 16 - ENCODE_TERMS_MOST * 8;
      const postings = this.#encoded.pointer;
      const positions = postings + half;
      const lengths = positions + half;
      const { inverterEncode } = this.#core.exports;
      const args = [postings, half, positions, half, lengths, ENCODE_TERMS_MOST] as const;
      const done = inverterEncode(this.#pointer, term, ...args);
      if (done === 0) {
        this.#encoded.ensure(this.#encoded.bytes * 2);
        continue;
      }
      const sizes = this.#lengths;
      sizes.set(this.#core.u32.subarray(lengths / 4, lengths / 4 + 2 * done));
      let postingsBytes = 0;
      let positionsBytes = 0;
      for (let i = 0; i < done; i++) {
        postingsBytes += sizes[2 * i];
        positionsBytes += sizes[2 * i + 1];
      }
      visit({ terms: done, postings, postingsBytes, positions, positionsBytes, lengths: sizes });
      term += done;
    }
  }

  /** Lends memory for what is written after the words, valid until `start` or the next call. */
  lend(bytes: number): number {
    return bytes <= this.#bytes ? this.#pointer : this.#lent.ensure(bytes);
  }

  #begin(values: ValueTable | null): void {
    this.#values = values;
    this.#core.exports.inverterStart(this.#pointer, this.#bytes - (values?.bytes ?? 0));
    values?.start();
  }
}
