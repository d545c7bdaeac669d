// What a batch asks for, document by document: the operations of all tasks in order, folded into one final
// state per id. Nothing is written here; batchdocuments.ts applies the outcome. A payload with a faulty
// document leaves no trace.
import type { Core } from "../../core/core.ts";
import { ID_FINE, ID_ROW_FIELDS } from "../../core/json.ts";
import { Region } from "../../core/region.ts";
import type { IndexReader } from "../reader.ts";
import { GrowingColumn } from "./growing.ts";
import { IdTable } from "./idtable.ts";
import type { PayloadReader } from "./payloadreader.ts";

const ROWS_MOST = 8192;
const NONE = -1;

/** Finds the id of a document that the kernel left open; throws what is wrong with it. */
export type SlowId = (pointer: number, length: number, key: string) => string;

/** One document of a payload. */
export interface Piece {
  payload: number;
  offset: number;
  length: number;
  /** Its names need a closer look: repeated ones, or escapes. */
  unclear: boolean;
}

type VisitDocument = (entry: number, offset: number, length: number, unclear: boolean) => void;

export type Method = "replace" | "update";

export class Changes {
  readonly #core: Core;
  readonly #reader: IndexReader;
  /** Ids that some operation named. The columns below tell of each, its entry. */
  readonly ids: IdTable;
  readonly #slowId: SlowId;
  readonly #rows: Region;
  readonly #entries: Region;
  readonly #key: Region;
  /** Docid before the batch, or NONE. */
  readonly #docids = new GrowingColumn(new Int32Array(0));
  readonly #exists = new GrowingColumn(new Uint8Array(0));
  readonly #keepsOld = new GrowingColumn(new Uint8Array(0));
  /** The last piece of its content, or NONE. */
  readonly #pieces = new GrowingColumn(new Int32Array(0));
  /** The last operation that named it. */
  readonly #stamps = new GrowingColumn(new Int32Array(0));
  readonly #wasAdded = new GrowingColumn(new Uint8Array(0));
  /** Entries that some payload added, in order of their first time. */
  readonly #added = new GrowingColumn(new Uint32Array(0));
  /** Per piece. */
  readonly #pieceOffsets = new GrowingColumn(new Float64Array(0));
  readonly #pieceLengths = new GrowingColumn(new Uint32Array(0));
  readonly #piecePayloads = new GrowingColumn(new Int32Array(0));
  readonly #pieceUnclear = new GrowingColumn(new Uint8Array(0));
  /** The piece that it is laid over, or NONE. */
  readonly #pieceBefore = new GrowingColumn(new Int32Array(0));
  #stamp = 0;
  #cleared = false;
  #documents: number;

  constructor(core: Core, reader: IndexReader, slowId: SlowId) {
    this.#core = core;
    this.#reader = reader;
    this.#slowId = slowId;
    this.#documents = reader.state.numberOfDocuments;
    this.ids = new IdTable(core);
    this.#rows = new Region(core, core.exports.jsonIdsBytes(ROWS_MOST));
    this.#entries = new Region(core, ROWS_MOST * 4);
    this.#key = new Region(core, 1024);
  }

  /** Gives the memory back. */
  free(): void {
    this.ids.free();
    for (const region of [this.#rows, this.#entries, this.#key]) region.free();
  }

  /** True when all documents there were are to vanish. */
  get cleared(): boolean {
    return this.#cleared;
  }

  /** Documents that the index has after the operations so far. */
  get documents(): number {
    return this.#documents;
  }

  /** Number of entries. */
  get length(): number {
    return this.#docids.length;
  }

  /**
   * Adds the documents of a payload. Returns the number of distinct ids.
   * @throws TarsierError for the first document whose id is missing or not valid; then nothing was added
   */
  add(payload: number, file: PayloadReader, key: string, method: Method, skipCreation: boolean): number {
    const from = this.#pieceOffsets.length;
    const entries = new GrowingColumn(new Int32Array(0));
    this.#scan(file, key, (entry, offset, length, unclear) => {
      entries.push(entry);
      this.#pieceUnclear.push(unclear ? 1 : 0);
      this.#pieceOffsets.push(offset);
      this.#pieceLengths.push(length);
      this.#piecePayloads.push(payload);
      this.#pieceBefore.push(NONE);
    });
    this.#lookUp();
    const stamp = ++this.#stamp;
    let distinct = 0;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries.values[i];
      if (this.#stamps.values[entry] !== stamp) distinct++;
      this.#stamps.values[entry] = stamp;
      this.#put(entry, from + i, method, skipCreation);
    }
    return distinct;
  }

  /** Deletes documents by id. Returns how many were there, and how many distinct ids were given. */
  delete(ids: readonly string[]): { deleted: number; distinct: number } {
    const entries = new Set(ids.map((id) => this.ids.put(id)));
    this.#lookUp();
    const before = this.#documents;
    for (const entry of entries) {
      this.#documents -= this.#exists.values[entry];
      this.#exists.values[entry] = 0;
      this.#keepsOld.values[entry] = 0;
      this.#pieces.values[entry] = NONE;
    }
    return { deleted: before - this.#documents, distinct: entries.size };
  }

  /** Deletes everything. */
  clear(): void {
    this.#cleared = true;
    this.#documents = 0;
    this.#exists.values.fill(0);
    this.#keepsOld.values.fill(0);
    this.#pieces.values.fill(NONE);
  }

  /** Document number that an entry had before the batch, or -1. */
  oldDocid(entry: number): number {
    return this.#docids.values[entry];
  }

  /**
   * Entries to write, those that exist in the end and not just as they were, in the order in which they
   * came.
   */
  written(): Uint32Array {
    return this.#added.values.subarray(0, this.#added.length).filter((entry) => this.#isWritten(entry));
  }

  /** True when the document there was before the batch goes away, for good or for a new content. */
  isDead(entry: number): boolean {
    if (this.#docids.values[entry] === NONE) return false;
    return this.#exists.values[entry] === 0 || this.#isWritten(entry);
  }

  /** True when the new content goes on top of the old one. */
  keepsOld(entry: number): boolean {
    return this.#keepsOld.values[entry] === 1;
  }

  /** What makes up the new content, first to last. */
  pieces(entry: number): Piece[] {
    const pieces: Piece[] = [];
    for (let at = this.#pieces.values[entry]; at !== NONE; at = this.#pieceBefore.values[at]) {
      pieces.push({
        payload: this.#piecePayloads.values[at],
        offset: this.#pieceOffsets.values[at],
        length: this.#pieceLengths.values[at],
        unclear: this.#pieceUnclear.values[at] === 1,
      });
    }
    return pieces.length > 1 ? pieces.reverse() : pieces;
  }

  #isWritten(entry: number): boolean {
    return this.#exists.values[entry] === 1 && this.#pieces.values[entry] !== NONE;
  }

  #put(entry: number, piece: number, method: Method, skipCreation: boolean): void {
    const exists = this.#exists.values[entry] === 1;
    if (skipCreation && !exists) return;
    if (method === "update" && exists) this.#pieceBefore.values[piece] = this.#pieces.values[entry];
    else this.#keepsOld.values[entry] = 0;
    this.#pieces.values[entry] = piece;
    if (!this.#wasAdded.values[entry]) this.#added.push(entry);
    this.#wasAdded.values[entry] = 1;
    if (!exists) this.#documents++;
    this.#exists.values[entry] = 1;
  }

  /** Ids of a payload in order; every id gets an entry. */
  #scan(file: PayloadReader, key: string, visit: VisitDocument): void {
    const keyBytes = Buffer.from(key);
    const keyPointer = this.#key.ensure(keyBytes.length + 64);
    this.#core.write(keyPointer, keyBytes);
    const { jsonIds } = this.#core.exports;
    for (const piece of file.pieces()) {
      for (let at = 0; at < piece.length; ) {
        const start = piece.pointer + at;
        const rows = this.#rows.pointer;
        const count = jsonIds(start, piece.length - at, keyPointer, keyBytes.length, rows, ROWS_MOST);
        this.#number(start, key, count);
        const { u32, i32 } = this.#core;
        let end = 0;
        for (let i = 0; i < count; i++) {
          const row = rows / 4 + i * ID_ROW_FIELDS;
          const entry = i32[this.#entries.pointer / 4 + i];
          visit(entry, piece.offset + at + u32[row], u32[row + 1], u32[row + 4] !== ID_FINE);
          end = u32[row] + u32[row + 1];
        }
        at = count < ROWS_MOST ? piece.length : at + end;
      }
    }
  }

  /** Entries of the ids of `count` rows, in the order of the rows. */
  #number(start: number, key: string, count: number): void {
    const rows = this.#rows.pointer;
    const entries = this.#entries.pointer;
    for (let i = 0; i < count; i++) {
      const from = i;
      while (i < count && this.#core.u32[rows / 4 + i * ID_ROW_FIELDS + 4] === ID_FINE) i++;
      this.ids.putRows(rows + from * ID_ROW_FIELDS * 4, i - from, entries + from * 4);
      if (i === count) break;
      const row = rows / 4 + i * ID_ROW_FIELDS;
      const id = this.#slowId(start + this.#core.u32[row], this.#core.u32[row + 1], key);
      const entry = this.ids.put(id);
      this.#core.i32[entries / 4 + i] = entry;
    }
  }

  /** Finds out which of the new entries exist. */
  #lookUp(): void {
    const from = this.length;
    const count = this.ids.count - from;
    if (count === 0) return;
    this.#docids.extend(count, NONE);
    this.#pieces.extend(count, NONE);
    for (const column of [this.#exists, this.#keepsOld, this.#wasAdded]) column.extend(count, 0);
    this.#stamps.extend(count, 0);
    if (this.#cleared) return;
    const ordinals = new Region(this.#core, count * 4);
    const out = ordinals.pointer;
    for (const { segment, tombstones } of this.#reader.segments) {
      this.#reader.share.cache.beginTurn();
      segment.withIds((section) => this.ids.lookUp(from, count, section, out));
      const { i32 } = this.#core;
      for (let i = 0; i < count; i++) {
        const ordinal = i32[out / 4 + i];
        if (ordinal < 0) continue;
        const docid = segment.docidOf(ordinal);
        if (tombstones && (this.#core.u8[tombstones + (docid >>> 3)] >> (docid & 7)) & 1) continue;
        this.#docids.values[from + i] = docid;
        this.#exists.values[from + i] = 1;
        this.#keepsOld.values[from + i] = 1;
      }
    }
    ordinals.free();
  }
}
