// The changes of a batch, document by document: the operations of all tasks in order, folded into one final
// state per id. Nothing is written here; batchdocuments.ts applies the outcome. A payload with a faulty
// document leaves no trace.
import type { Core } from "../../core/core.ts";
import { ID_FINE, ID_ROW_FIELDS } from "../../core/json.ts";
import { Region } from "../../core/region.ts";
import { Table } from "../../core/table.ts";
import { ID_MIXED, ID_NUMBERS, ID_TEXTS } from "../../segment/idkinds.ts";
import type { Method } from "../engine.ts";
import type { IndexReader } from "../reader.ts";
import { ownerCheck, type Shard } from "../shard.ts";
import { IdTable } from "./idtable.ts";
import type { PayloadReader } from "./payloadreader.ts";

const ROWS_MOST = 8192;
const NONE = -1;

/**
 * Fields of an entry: its docid before the batch or NONE, the last piece of its content or NONE, the last
 * operation that named it, flags.
 */
const DOCID = 0;
const PIECE = 1;
const STAMP = 2;
const FLAGS = 3;
const ENTRY_FIELDS = 4;
const EXISTS = 1;
const KEEPS_OLD = 2;
const WAS_ADDED = 4;
const KEEPS_VECTORS = 8;

/**
 * Fields of a piece: its offset in the payload (lower and upper half) and length; the piece that it is laid
 * over, OLD for the document from before the batch, or NONE; its entry; four times the number of its payload,
 * plus 1 when it is unclear and 2 when it is laid under instead; and the previous piece for the same document
 * or NONE.
 */
const OFFSET = 0;
const OFFSET_UPPER = 1;
const LENGTH = 2;
const BEFORE = 3;
const ENTRY = 4;
const SOURCE = 5;
const PREVIOUS = 6;
const PIECE_FIELDS = 7;
const OLD = -2;
const UNCLEAR = 1;
const UNDER = 2;

/** The byte in front of an id that is a text. */
const QUOTE = 0x22;

/** Finds the id of a document that the kernel left open; throws when there is no valid one. */
type SlowId = (pointer: number, length: number, key: string) => string;

/** One document of a payload. */
export interface Piece {
  payload: number;
  offset: number;
  length: number;
  /** Its names need a closer look: some are repeated or have escapes. */
  unclear: boolean;
  /** It replaces the previous document completely. */
  isWhole: boolean;
  /** It is laid under the previous document, not over it. */
  isUnder: boolean;
}

type VisitDocument = (entry: number, offset: number, length: number, unclear: boolean) => void;

export interface Addition {
  method: Method;
  /** Leaves out unknown documents. */
  skipCreation: boolean;
  /** Leaves out documents that belong to other servers; they are not counted. */
  shard?: Shard;
}

export class Changes {
  readonly #core: Core;
  readonly #reader: IndexReader;
  /** Ids named by any operation. `#states` holds the entry of each. */
  readonly ids: IdTable;
  readonly #slowId: SlowId;
  readonly #rows: Region;
  readonly #entries: Region;
  readonly #key: Region;
  readonly #states: Table;
  readonly #pieces: Table;
  /** Entries added by any payload, in the order in which they first came. */
  readonly #added: Table;
  /** Kinds of ids in all documents that came: bits (segment/idkinds.ts). */
  idKinds = 0;
  #stamp = 0;
  #cleared = false;
  #documents: number;

  /** `idBytes`: initial memory for ids. */
  constructor(core: Core, reader: IndexReader, idBytes: number, slowId: SlowId) {
    this.#core = core;
    this.#reader = reader;
    this.#slowId = slowId;
    this.#documents = reader.state.numberOfDocuments;
    this.ids = new IdTable(core, idBytes);
    this.#states = new Table(core, ENTRY_FIELDS);
    this.#pieces = new Table(core, PIECE_FIELDS);
    this.#added = new Table(core, 1);
    this.#rows = new Region(core, core.exports.jsonIdsBytes(ROWS_MOST));
    this.#entries = new Region(core, ROWS_MOST * 4);
    this.#key = new Region(core, 1024);
  }

  /** Gives back the memory. */
  free(): void {
    this.ids.free();
    for (const region of [this.#rows, this.#entries, this.#key]) region.free();
    for (const table of [this.#states, this.#pieces, this.#added]) table.free();
  }

  /** True when all documents from before the batch are deleted. */
  get cleared(): boolean {
    return this.#cleared;
  }

  /** Documents that the index has after the operations so far. */
  get documents(): number {
    return this.#documents;
  }

  /** Number of entries. */
  get length(): number {
    return this.#states.length;
  }

  /**
   * Adds the documents of a payload. Returns the number of distinct ids.
   * @throws TarsierError for the first document whose id is missing or not valid; then nothing was added
   */
  add(payload: number, file: PayloadReader, key: string, addition: Addition): number {
    const { method, skipCreation, shard } = addition;
    const isOwn = shard && ownerCheck(shard);
    const from = this.#pieces.length;
    this.#scan(file, key, (entry, offset, length, unclear) => {
      const at = this.#pieces.push();
      const { u32, i32 } = this.#core;
      u32[at + OFFSET] = offset;
      u32[at + OFFSET_UPPER] = offset / 2 ** 32;
      u32[at + LENGTH] = length;
      i32[at + BEFORE] = NONE;
      u32[at + ENTRY] = entry;
      u32[at + SOURCE] = payload * 4 + (unclear ? UNCLEAR : 0) + (method === "complete" ? UNDER : 0);
    });
    this.#lookUp();
    const stamp = ++this.#stamp;
    let distinct = 0;
    for (let piece = from; piece < this.#pieces.length; piece++) {
      const entry = this.#core.u32[this.#pieces.at(piece) + ENTRY];
      if (isOwn && !isOwn(this.#idBytes(entry))) {
        // Until it is moved, a document of another server that is still here must match what its owner will
        // have.
        if (method === "replace") this.#giveUp(entry);
        else this.#put(entry, piece, method, true);
        continue;
      }
      const stampAt = this.#states.at(entry) + STAMP;
      if (this.#core.u32[stampAt] !== stamp) distinct++;
      this.#core.u32[stampAt] = stamp;
      this.#put(entry, piece, method, skipCreation);
    }
    return distinct;
  }

  /** Deletes documents by id. Returns how many were there, and how many distinct ids were given. */
  delete(ids: readonly string[]): { deleted: number; distinct: number } {
    const entries = new Set(ids.map((id) => this.ids.put(id)));
    this.#lookUp();
    const before = this.#documents;
    for (const entry of entries) {
      if (this.#has(entry, EXISTS)) this.#documents--;
      this.#empty(entry);
    }
    return { deleted: before - this.#documents, distinct: entries.size };
  }

  /** Deletes everything. */
  clear(): void {
    this.#cleared = true;
    this.#documents = 0;
    for (let entry = 0; entry < this.length; entry++) this.#empty(entry);
  }

  /** Document number that an entry had before the batch, or -1. */
  oldDocid(entry: number): number {
    return this.#core.i32[this.#states.at(entry) + DOCID];
  }

  /** Entries to write, in the order in which they came: those that exist at the end and have changed. */
  written(): Uint32Array {
    const written = new Uint32Array(this.#added.length);
    let count = 0;
    for (let i = 0; i < written.length; i++) {
      const entry = this.#core.u32[this.#added.at(i)];
      if (this.#isWritten(entry)) written[count++] = entry;
    }
    return written.subarray(0, count);
  }

  /** True when the document from before the batch goes away, either for good or for a new content. */
  isDead(entry: number): boolean {
    if (this.oldDocid(entry) === NONE) return false;
    return !this.#has(entry, EXISTS) || this.#isWritten(entry);
  }

  /** True when the new content is laid over the old one. */
  keepsOld(entry: number): boolean {
    return this.#has(entry, KEEPS_OLD);
  }

  /** True when vectors that the document had before the batch still exist. */
  keepsVectors(entry: number): boolean {
    return this.#has(entry, KEEPS_VECTORS);
  }

  /** The piece that is, unchanged, the new content; null when the content consists of more. */
  onlyPiece(entry: number): Piece | null {
    const { u32, i32 } = this.#core;
    const state = this.#states.at(entry);
    const piece = i32[state + PIECE];
    if (piece < 0 || u32[state + FLAGS] & KEEPS_OLD) return null;
    const at = this.#pieces.at(piece);
    return i32[at + BEFORE] >= 0 || u32[at + SOURCE] & UNCLEAR ? null : this.#pieceAt(at);
  }

  /** Leaves the document from before the batch where it is, since its new content is the same. */
  leave(entry: number): void {
    this.#core.i32[this.#states.at(entry) + PIECE] = NONE;
  }

  /** The pieces of the new content, first to last. */
  pieces(entry: number): Piece[] {
    return this.#chain(entry, BEFORE);
  }

  /**
   * All pieces that came for the document since it was last deleted: replacing its content keeps its vectors.
   */
  allPieces(entry: number): Piece[] {
    return this.#chain(entry, PREVIOUS);
  }

  /** The pieces of all payloads, in order. */
  *everyPiece(): Generator<Piece> {
    for (let piece = 0; piece < this.#pieces.length; piece++) yield this.#pieceAt(this.#pieces.at(piece));
  }

  #chain(entry: number, link: number): Piece[] {
    const { i32 } = this.#core;
    const pieces: Piece[] = [];
    for (let piece = i32[this.#states.at(entry) + PIECE]; piece >= 0; ) {
      const at = this.#pieces.at(piece);
      pieces.push(this.#pieceAt(at));
      piece = i32[at + link];
    }
    return pieces.length > 1 ? pieces.reverse() : pieces;
  }

  #pieceAt(at: number): Piece {
    const { u32, i32 } = this.#core;
    return {
      payload: u32[at + SOURCE] >>> 2,
      offset: u32[at + OFFSET] + u32[at + OFFSET_UPPER] * 2 ** 32,
      length: u32[at + LENGTH],
      unclear: (u32[at + SOURCE] & UNCLEAR) !== 0,
      isWhole: i32[at + BEFORE] === NONE,
      isUnder: (u32[at + SOURCE] & UNDER) !== 0,
    };
  }

  #idBytes(entry: number): Uint8Array {
    const { pointer, length } = this.ids.text(entry);
    return this.#core.u8.subarray(pointer, pointer + length);
  }

  /** Gives up a document that another server now has completely. */
  #giveUp(entry: number): void {
    if (this.#has(entry, EXISTS)) this.#documents--;
    this.#empty(entry);
  }

  #has(entry: number, flag: number): boolean {
    return (this.#core.u32[this.#states.at(entry) + FLAGS] & flag) !== 0;
  }

  #isWritten(entry: number): boolean {
    return this.#has(entry, EXISTS) && this.#core.i32[this.#states.at(entry) + PIECE] !== NONE;
  }

  /** Leaves nothing of a document, neither old nor new content. */
  #empty(entry: number): void {
    const at = this.#states.at(entry);
    this.#core.i32[at + PIECE] = NONE;
    this.#core.u32[at + FLAGS] &= WAS_ADDED;
  }

  #put(entry: number, piece: number, method: Method, skipCreation: boolean): void {
    const { u32, i32 } = this.#core;
    const state = this.#states.at(entry);
    let flags = u32[state + FLAGS];
    const exists = (flags & EXISTS) !== 0;
    if (skipCreation && !exists) return;
    const before = i32[state + PIECE];
    if (method !== "replace" && exists) i32[this.#pieces.at(piece) + BEFORE] = before === NONE ? OLD : before;
    else flags &= ~KEEPS_OLD;
    i32[this.#pieces.at(piece) + PREVIOUS] = exists ? before : NONE;
    i32[state + PIECE] = piece;
    u32[state + FLAGS] = flags | EXISTS | WAS_ADDED;
    if ((flags & WAS_ADDED) === 0) this.#added.append(entry);
    if (!exists) this.#documents++;
  }

  /** Reads the ids of a payload in order; every id gets an entry. */
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
        let end = 0;
        for (let i = 0; i < count; i++) {
          const { u8, u32, i32 } = this.#core;
          const row = rows / 4 + i * ID_ROW_FIELDS;
          const entry = i32[this.#entries.pointer / 4 + i];
          const isUnclear = u32[row + 4] !== ID_FINE;
          end = u32[row] + u32[row + 1];
          this.idKinds |= isUnclear ? ID_MIXED : u8[u32[row + 2] - 1] === QUOTE ? ID_TEXTS : ID_NUMBERS;
          visit(entry, piece.offset + at + u32[row], u32[row + 1], isUnclear);
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

  /** Finds out which of the new entries exist in the index. */
  #lookUp(): void {
    const from = this.length;
    const count = this.ids.count - from;
    if (count === 0) return;
    for (let i = 0; i < count; i++) {
      const at = this.#states.push();
      const { u32, i32 } = this.#core;
      i32[at + DOCID] = NONE;
      i32[at + PIECE] = NONE;
      u32[at + STAMP] = 0;
      u32[at + FLAGS] = 0;
    }
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
        const at = this.#states.at(from + i);
        this.#core.i32[at + DOCID] = docid;
        this.#core.u32[at + FLAGS] = EXISTS | KEEPS_OLD | KEEPS_VECTORS;
      }
    }
    ordinals.free();
  }
}
