// Documents as lines of JSON, whole and as they are stored, a piece at a time: the source of dumps and
// exports. Called by searchthread.ts; pool.ts decodes the pieces.
import type { JsonScanner } from "../core/json.ts";
import { VECTORS_FIELD } from "../schemas/vectorsfield.ts";
import { Bitmaps } from "./bitmaps.ts";
import { FieldSelection } from "./documents/selection.ts";
import type { DocumentLines, LinesQuery } from "./engine.ts";
import { filteredDocuments } from "./filter/evaluate.ts";
import type { IndexReader } from "./reader.ts";
import { vectorsMember, withMember } from "./vectors/retrieval.ts";

/** Documents are looked up in lists of this many docids. */
const LIST_MOST = 1024;
const LINE_FEED = 10;
const HEAD_BYTES = 8;
const NO_NEXT = 0xffff_ffff;
const WITHOUT_VECTORS = new FieldSelection(null, [VECTORS_FIELD]);

/**
 * Documents from a docid on, until their bytes reach the bound: at least one, if there is one. Encoded as one
 * byte array, which is what threads pass on fastest.
 */
export function readLines(
  reader: IndexReader,
  scanner: JsonScanner,
  { from, filter, bytesMax }: LinesQuery,
): Uint8Array {
  const { core, scratch, cache } = reader.share;
  const chosen = filteredDocuments(new Bitmaps(reader), filter, "invalid_document_filter") ?? reader.live;
  const out = scratch.alloc(LIST_MOST * 4);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let next = from; ; ) {
    const count = core.exports.bitmapToList(chosen, reader.words, next, out, LIST_MOST);
    if (count === 0) return encodeLines(parts, NO_NEXT);
    for (const docid of core.u32.slice(out / 4, out / 4 + count)) {
      // Each document is copied as soon as it is read: so the cache holds only one, however long the lines.
      cache.beginTurn();
      const line = lineOf(reader, scanner, docid);
      if (bytes > 0 && bytes + line.length > bytesMax) return encodeLines(parts, docid);
      parts.push(line);
      bytes += line.length;
      next = docid + 1;
    }
  }
}

/** With the vectors of all embedders, so that the receiver need not embed the document again. */
function lineOf(reader: IndexReader, scanner: JsonScanner, docid: number): Uint8Array {
  const { core } = reader.share;
  const hasEmbedders = Object.keys(reader.settings.embedders).length > 0;
  const vectors = hasEmbedders ? vectorsMember(reader, scanner, docid, true) : null;
  const { pointer, length } = reader.document(docid)!;
  const whole = core.u8.subarray(pointer, pointer + length);
  const document =
    vectors === null ? whole : withMember(WITHOUT_VECTORS.select(scanner, pointer, length), vectors);
  const line = new Uint8Array(document.length + 1);
  line.set(document);
  line[document.length] = LINE_FEED;
  return line;
}

/** Decodes what readLines has encoded. */
export function decodeLines(bytes: Uint8Array): DocumentLines {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const next = view.getUint32(4, true);
  return {
    lines: bytes.subarray(HEAD_BYTES),
    documents: view.getUint32(0, true),
    next: next === NO_NEXT ? null : next,
  };
}

/**
 *   0  u32 documents
 *   4  u32 next docid; NO_NEXT when there is none
 *   8  the lines
 */
function encodeLines(parts: Uint8Array[], next: number): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  const view = new DataView(head.buffer);
  view.setUint32(0, parts.length, true);
  view.setUint32(4, next, true);
  return Buffer.concat([head, ...parts]);
}
