// The final bytes of the documents that a batch writes: as they are in a payload, or joined from the index's
// document and the pieces that payloads lay over it. Called by batchdocuments.ts.
import { JsonScanner } from "../../core/json.ts";
import { Region } from "../../core/region.ts";
import type { Located } from "../../segment/locateddocument.ts";
import { BytesFile } from "../../storage/bytesfile.ts";
import { mergeDocuments, withoutRepeats } from "../documents/merge.ts";
import { Overlay } from "../documents/overlay.ts";
import type { IndexReader } from "../reader.ts";
import type { Changes, Piece } from "./changes.ts";
import { forDocument } from "./largedocument.ts";
import { PayloadReader } from "./payloadreader.ts";
import { areSame } from "./unchangeddocuments.ts";

/** Number of payloads that keep their last piece in memory. A batch may have thousands of payloads. */
const WINDOWS_MAX = 8;

/** A document in the core's memory. */
interface FinalDocument extends Located {
  /** Is it known that no name needs a closer look, and of several pieces that no others came for it? */
  isClear: boolean;
  /** Laid over the document from before: is it that one, byte by byte? Null where that is not known. */
  isUnchanged: boolean | null;
}

export class Contents {
  readonly scanner: JsonScanner;
  readonly #reader: IndexReader;
  /** By their number, which pieces refer to. */
  readonly #payloads: PayloadReader[] = [];
  /** The payloads that hold memory, the most recently used last. */
  readonly #recent: PayloadReader[] = [];
  readonly #text: Region;
  /** A second place, for a document that is laid over the one in the first. */
  readonly #other: Region;
  readonly #overlay: Overlay;

  constructor(reader: IndexReader) {
    this.#reader = reader;
    this.#overlay = new Overlay(reader.share.core);
    this.scanner = new JsonScanner(reader.share.core);
    this.#text = new Region(reader.share.core);
    this.#other = new Region(reader.share.core);
  }

  /**
   * Opens a payload, or the file at that path. Payloads are numbered in the order in which they are opened.
   */
  open(payload: Uint8Array | string): { number: number; reader: PayloadReader } {
    const { core, storage } = this.#reader.share;
    const file = typeof payload === "string" ? storage.open(payload) : new BytesFile(payload);
    const reader = new PayloadReader(core, file);
    const number = this.#payloads.push(reader) - 1;
    return { number, reader: this.#use(number) };
  }

  /** The document of an entry in the core's memory, until the next call. */
  locate(changes: Changes, entry: number): FinalDocument {
    const only = changes.onlyPiece(entry);
    if (only) return final(this.locatePiece(only), true, null);
    const pieces = changes.pieces(entry);
    const old = changes.keepsOld(entry) ? changes.oldDocid(entry) : -1;
    const isClear =
      !pieces.some(({ unclear }) => unclear) && changes.allPieces(entry).length === pieces.length;
    const laid = isClear ? this.#laidOver(pieces, old) : null;
    if (laid) return laid;
    const content = this.#joined(pieces, old);
    const { length } = content;
    const pointer = this.#room(this.#text, length);
    this.#reader.share.core.write(pointer, content);
    return final({ pointer, length }, false, null);
  }

  /** The document of an entry as it was after the first `count` of all its pieces. */
  earlier(changes: Changes, entry: number, count: number): Uint8Array {
    const pieces = changes.allPieces(entry).slice(0, count);
    const first = pieces.findLastIndex(({ isWhole }) => isWhole);
    return first < 0 ? this.#joined(pieces, changes.oldDocid(entry)) : this.#joined(pieces.slice(first), -1);
  }

  /** Bytes of a piece in the core's memory, until the next call. */
  locatePiece({ payload, offset, length }: Piece): Located {
    return { pointer: this.#use(payload).locate(offset, length), length };
  }

  /** Closes the payloads and gives memory back. May be called twice. */
  close(): void {
    for (const reader of this.#payloads.splice(0)) reader.close();
    this.#recent.length = 0;
    this.#text.free();
    this.#other.free();
    this.#overlay.free();
    this.scanner.free();
  }

  /** What #joined makes, in a faster way; null when it has to be done there. */
  #laidOver(pieces: readonly Piece[], docid: number): FinalDocument | null {
    const old = docid < 0 ? null : this.#old(docid, pieces);
    let content = old;
    for (const piece of pieces) {
      content = content ? this.#lay(content, piece) : this.#copy(piece);
      if (!content) return null;
    }
    const isUnchanged = old && areSame(this.#reader.share.core, old, content!);
    return final(content!, true, isUnchanged);
  }

  /** The document from before the batch, for which these pieces came. */
  #old(docid: number, pieces: readonly Piece[]): Located {
    this.#reader.share.cache.beginTurn();
    const bytes = () => pieces.reduce((sum, { length }) => sum + length, 0);
    return forDocument(bytes, null, () => this.#reader.document(docid)!);
  }

  #copy(piece: Piece): Located {
    const { pointer, length } = this.locatePiece(piece);
    const to = this.#room(this.#text, length);
    this.#reader.share.core.copy(to, pointer, length);
    return { pointer: to, length };
  }

  /** Null when documents are not such as an overlay takes. */
  #lay(content: Located, piece: Piece): Located | null {
    const came = this.locatePiece(piece);
    const isInText = content.pointer === this.#text.pointer;
    const pointer = this.#room(isInText ? this.#other : this.#text, content.length + came.length);
    const [older, newer] = piece.isUnder ? [came, content] : [content, came];
    const length = this.#overlay.lay(older, newer, pointer);
    return length < 0 ? null : { pointer, length };
  }

  #room(region: Region, length: number): number {
    return forDocument(length, null, () => region.ensure(length));
  }

  /** Pieces laid over (or under) each other, and over the existing document `docid` unless that is -1. */
  #joined(pieces: readonly Piece[], docid: number): Uint8Array {
    const { core } = this.#reader.share;
    let content: Uint8Array | null = null;
    if (docid >= 0) {
      const { pointer, length } = this.#old(docid, pieces);
      content = core.read(pointer, length);
    }
    for (const { payload, offset, length, isUnder } of pieces) {
      const pointer = this.#use(payload).locate(offset, length);
      if (content === null) {
        content = withoutRepeats(this.scanner, pointer, length);
        continue;
      }
      const piece = core.read(pointer, length);
      content = isUnder
        ? mergeDocuments(this.scanner, piece, content)
        : mergeDocuments(this.scanner, content, piece);
    }
    return content!;
  }

  /** The reader of a payload; the least recently used one gives up its memory for it. */
  #use(payload: number): PayloadReader {
    const reader = this.#payloads[payload];
    if (reader === this.#recent.at(-1)) return reader;
    const place = this.#recent.indexOf(reader);
    if (place >= 0) this.#recent.splice(place, 1);
    this.#recent.push(reader);
    if (this.#recent.length > WINDOWS_MAX) this.#recent.shift()!.release();
    return reader;
  }
}

/** A located document with what is known of it. Spreading objects would take microseconds per document. */
function final({ pointer, length }: Located, isClear: boolean, isUnchanged: boolean | null): FinalDocument {
  return { pointer, length, isClear, isUnchanged };
}
