// The values of one field in one segment, for filters, sorts, facets and distinct (layout: columnformat.ts).
// A value is identified by its code: its place in the order of the field's values, numbers before texts, then
// the kinds without a value. Made by Segment.column when needed: nothing is loaded until it is asked for, and
// addresses are valid until the turn of the cache ends.
//
//   count, numbers, texts         how many codes, values
//   seek(key), find(key)          first code not below a key; code of a key or -1     (keys: columnkeys.ts)
//   codeOf(kind)                  code of bare, null or empty, or -1
//   value(code), term(code)       number or text; key
//   codes(ordinal)                of a document, ascending
//   list(code)                    posting list of docids
//   into(from, to, bitmap)        documents with a code in a range
//   setInto(codes, bitmap)        documents with a code of a set
//   keys(docids, isDown)          sort keys of documents
//   keysInto(from, to, isDown, bitmap)   documents whose sort key is in a range, where it is gapless
//   frequency(code)               number of documents with a code
//   counts(docids, counts)        how many of some documents have each code
//   distinct(docids, seen)        those that share no value with an earlier one
import { COLUMN_VIEW_FIELDS, KIND_BARE, KIND_NUMBER } from "../core/columns.ts";
import type { Core } from "../core/core.ts";
import { DICTIONARY_TERM_ROOM_BYTES } from "../core/dictionary.ts";
import { Region } from "../core/region.ts";
import {
  type ColumnLayout,
  type ColumnMeta,
  type ColumnPart,
  codesOf,
  columnLayout,
} from "./columnformat.ts";
import { numberOfKey, textOfKey } from "./columnkeys.ts";

/** What a column needs from its segment. */
interface ColumnHost {
  documents: number;
  firstDocid: number;
  /** Address of section `order`, or 0. */
  order(): number;
  /** Address of bytes of the column. */
  load(offset: number, length: number): number;
}

/** See Column.#listBounds. */
interface ListBounds {
  array: number;
  first: number;
  start: number;
  end: number;
}

/** Uniting the lists of a range pays off if the segment has at least this many documents for each code. */
const DOCUMENTS_PER_LIST = 32;
/** For sorts it also takes this many documents of the segment for each byte of the lists. */
const DOCUMENTS_PER_LIST_BYTE = 8;
const KEY_ROOM_BYTES = 512;
const DICTIONARY_KEY_BYTES_MAX = 480;
/** Initial room for the codes of one document; it grows for documents with more. */
const CODES_FIRST = 1024;
/** A list begins with the number of its documents. */
const LIST_HEAD_BYTES = 5;
/** Packed numbers are loaded in steps of this many: there a byte begins, whatever their width. */
const PACKED_STEP = 8;

export class Column {
  readonly meta: ColumnMeta;
  readonly count: number;
  readonly #core: Core;
  readonly #host: ColumnHost;
  readonly #layout: ColumnLayout;

  constructor(core: Core, meta: ColumnMeta, host: ColumnHost) {
    this.#core = core;
    this.meta = meta;
    this.#host = host;
    this.#layout = columnLayout(meta, host.documents);
    this.count = codesOf(meta);
  }

  get numbers(): number {
    return this.meta.numbers;
  }

  /** Number of values: codes below this stand for values. */
  get values(): number {
    return this.meta.numbers + this.meta.texts;
  }

  /** First code whose key is not below `key`, or, with `above`, is higher than it. */
  seek(key: Uint8Array, above = false): number {
    const { key: room } = roomOf(this.#core);
    // No key in a dictionary is so long that the cut-off part could matter.
    const bytes = key.subarray(0, DICTIONARY_KEY_BYTES_MAX);
    this.#core.write(room, bytes);
    // No other key lies between a key and the same key with a zero byte appended.
    this.#core.u8[room + bytes.length] = 0;
    const length = bytes.length + (above ? 1 : 0);
    return this.#core.exports.dictionarySeek(this.#dictionary, room, length);
  }

  /** Code of a key, or -1. */
  find(key: Uint8Array): number {
    if (key.length > DICTIONARY_KEY_BYTES_MAX) return -1;
    const { key: room } = roomOf(this.#core);
    this.#core.write(room, key);
    return this.#core.exports.dictionaryFind(this.#dictionary, room, key.length);
  }

  /** Code of a kind without a value, or -1 when no document has it. */
  codeOf(kind: number): number {
    const { kinds } = this.meta;
    const bit = 1 << (kind - KIND_BARE);
    if (!(kinds & bit)) return -1;
    return this.values + codesOf({ numbers: 0, texts: 0, kinds: kinds & (bit - 1) });
  }

  /** Key of a code, a copy. */
  term(code: number): Uint8Array {
    const { term } = roomOf(this.#core);
    const length = this.#core.exports.dictionaryTerm(this.#dictionary, code, term);
    return this.#core.read(term, length);
  }

  /** Number or normal form of a text; null for a kind without a value. */
  value(code: number): number | string | null {
    if (code >= this.values) return null;
    const key = this.term(code);
    return key[0] === KIND_NUMBER ? numberOfKey(key) : textOfKey(key);
  }

  /** Codes of a document by its ordinal, ascending. */
  codes(ordinal: number): Uint32Array {
    const { codes } = roomOf(this.#core);
    const view = this.#view();
    let most = codes.bytes / 4;
    let count = this.#core.exports.columnCodes(view, ordinal, this.count, codes.pointer, most);
    if (count > most) {
      most = count;
      count = this.#core.exports.columnCodes(view, ordinal, this.count, codes.ensure(4 * most), most);
    }
    return this.#core.u32.slice(codes.pointer / 4, codes.pointer / 4 + count);
  }

  /** Posting list of a code, in a column with lists. */
  list(code: number): { pointer: number; length: number } {
    const { start, end } = this.#listBounds(code, code + 1);
    return { pointer: this.#load("lists", start, end - start), length: end - start };
  }

  /** Adds the documents with a code in [from, to) to a bitmap of docids. */
  into(from: number, to: number, bitmap: number, words: number): void {
    if (from >= to) return;
    if (this.#areListsFew(from, to)) this.#unite(this.#listBounds(from, to), to - from, bitmap, words);
    else this.#core.exports.columnScan(this.#view(), from, to, bitmap, words);
  }

  /** The same for the codes in a bitmap, which has a bit for each code and one more. */
  setInto(codes: number, bitmap: number, words: number): void {
    this.#core.exports.columnScanSet(this.#view(), codes, bitmap, words);
  }

  /**
   * Writes to `keys` a u32 sort key for each of `count` ascending docids at `docids`: documents sort by it,
   * that is, by their best value. Upwards the codes themselves are the keys; downwards see `codeOfKey`.
   */
  keys(docids: number, count: number, isDown: boolean, keys: number): void {
    const { columnKeys } = this.#core.exports;
    columnKeys(this.#view(), docids, count, this.numbers, this.values, isDown ? 1 : 0, keys);
  }

  /**
   * Is every docid of the segment one document with exactly one code? Then many codes are scanned at a time.
   */
  get isGapless(): boolean {
    return this.meta.isSingle && this.#host.order() === 0;
  }

  /** Adds the documents with a sort key in [from, to) to a bitmap of docids, in a gapless column. */
  keysInto(from: number, to: number, isDown: boolean, bitmap: number, words: number): void {
    if (!isDown) this.#codesInto(from, to, bitmap, words);
    else {
      // Downwards, the keys of numbers and those of texts each count codes from the end of their range.
      const [numbers, end] = [this.numbers, this.numbers + this.values];
      this.#codesInto(numbers - Math.min(to, numbers), numbers - from, bitmap, words);
      this.#codesInto(end - to, end - Math.max(from, numbers), bitmap, words);
    }
  }

  /** Number of documents of the segment with a code, in a column with lists. */
  frequency(code: number): number {
    const { start, end } = this.#listBounds(code, code + 1);
    const head = this.#load("lists", start, Math.min(end - start, LIST_HEAD_BYTES));
    return this.#core.exports.postingsCount(head, end - start);
  }

  /**
   * Adds `count` ascending docids at `docids` to the counts of their codes: an array of u32 with one more
   * than there are codes.
   */
  counts(docids: number, count: number, counts: number): void {
    this.#core.exports.columnCount(this.#view(), docids, count, counts);
  }

  /**
   * Of `count` ascending docids at `docids`, keeps those that share no value with an earlier one or with the
   * bitmap of codes `seen`, at most `most`; returns how many.
   */
  distinct(docids: number, count: number, seen: number, most: number): number {
    const { columnDistinct } = this.#core.exports;
    return columnDistinct(this.#view(), docids, count, this.values, seen, docids, most);
  }

  /** The code that a sort key stands for. */
  codeOfKey(key: number, isDown: boolean): number {
    if (!isDown) return key;
    return key < this.numbers ? this.numbers - 1 - key : this.numbers + this.values - 1 - key;
  }

  /** Address of the dictionary. */
  get dictionary(): number {
    return this.#dictionary;
  }

  get #dictionary(): number {
    const { start, length } = this.#layout.parts.dictionary;
    return this.#host.load(start, length);
  }

  /**
   * `into` for a sort, which can scan codes instead: lists are only read where they are short in comparison.
   */
  #codesInto(from: number, to: number, bitmap: number, words: number): void {
    if (from >= to) return;
    const bounds = this.#areListsFew(from, to) ? this.#listBounds(from, to) : null;
    const isShort = bounds && (bounds.end - bounds.start) * DOCUMENTS_PER_LIST_BYTE <= this.#host.documents;
    if (isShort) this.#unite(bounds, to - from, bitmap, words);
    else this.#core.exports.columnScan(this.#view(), from, to, bitmap, words);
  }

  #areListsFew(from: number, to: number): boolean {
    return this.meta.isListed && (to - from) * DOCUMENTS_PER_LIST <= this.#host.documents;
  }

  #unite({ array, first, start, end }: ListBounds, count: number, bitmap: number, words: number): void {
    const lists = this.#load("lists", start, end - start);
    const { columnListsInto } = this.#core.exports;
    columnListsInto(array, this.#layout.listStartBits, first, count, lists, bitmap, words);
  }

  /**
   * Where the lists of codes [from, to) start and end in part `lists`, and the packed array that says so for
   * each of them, beginning with its number `first`.
   */
  #listBounds(from: number, to: number): ListBounds {
    const { listStartBits } = this.#layout;
    const first = from % PACKED_STEP;
    const loadedFrom = ((from - first) * listStartBits) / 8;
    const loadedTo = Math.ceil(((to + 1) * listStartBits) / 8);
    const array = this.#load("listStarts", loadedFrom, loadedTo - loadedFrom);
    const startOf = (number: number) => this.#core.exports.bitsRead(array, number, listStartBits) >>> 0;
    return { array, first, start: startOf(first), end: startOf(first + to - from) };
  }

  #load(part: ColumnPart, offset: number, length: number): number {
    return this.#host.load(this.#layout.parts[part].start + offset, length);
  }

  /** The view through which kernels read, valid until the next one is made. */
  #view(): number {
    const { parts, codeBits, startBits } = this.#layout;
    const { isSingle } = this.meta;
    const codes = this.#load("codes", 0, parts.codes.length);
    const starts = isSingle ? 0 : this.#load("starts", 0, parts.starts.length);
    const { documents, firstDocid } = this.#host;
    const fields = [codes, codeBits, starts, startBits, documents, this.#host.order(), firstDocid];
    const { view } = roomOf(this.#core);
    this.#core.u32.set(fields, view / 4);
    return view;
  }
}

/** Places in a core's memory for inputs and outputs of the kernels; reserved once for each core. */
interface ColumnRoom {
  key: number;
  term: number;
  codes: Region;
  view: number;
}

const rooms = new WeakMap<Core, ColumnRoom>();

function roomOf(core: Core): ColumnRoom {
  let room = rooms.get(core);
  if (!room) {
    const key = core.reserve(KEY_ROOM_BYTES);
    const term = core.reserve(DICTIONARY_TERM_ROOM_BYTES);
    room = {
      key,
      term,
      codes: new Region(core, 4 * CODES_FIRST),
      view: core.reserve(4 * COLUMN_VIEW_FIELDS),
    };
    rooms.set(core, room);
  }
  return room;
}
