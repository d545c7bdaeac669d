// Documents as lines of JSON, whole and as they are stored, a piece at a time: what dumps and exports are
// made of. Called by searchthread.ts.
import type { DocumentLines, LinesQuery } from "./engine.ts";
import { filteredDocuments } from "./filter/evaluate.ts";
import type { IndexReader } from "./reader.ts";
import { Bitmaps } from "./search/bitmaps.ts";

/** Docids are looked at in lists of this many. */
const LIST_MOST = 1024;
const LINE_FEED = 10;

/** Documents from a docid on, until their bytes reach the bound: at least one, when there is one. */
export function readLines(reader: IndexReader, { from, filter, bytesMax }: LinesQuery): DocumentLines {
  const { core, scratch, cache } = reader.share;
  const chosen = filteredDocuments(new Bitmaps(reader), filter, "invalid_document_filter") ?? reader.live;
  const out = scratch.alloc(LIST_MOST * 4);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let next = from; ; ) {
    const count = core.exports.bitmapToList(chosen, reader.words, next, out, LIST_MOST);
    if (count === 0) return { lines: Buffer.concat(parts), documents: parts.length, next: null };
    for (const docid of core.u32.slice(out / 4, out / 4 + count)) {
      // What was read is copied at once: however long the lines, the cache holds one document of them.
      cache.beginTurn();
      const { pointer, length } = reader.document(docid)!;
      if (bytes > 0 && bytes + length + 1 > bytesMax) {
        return { lines: Buffer.concat(parts), documents: parts.length, next: docid };
      }
      const line = new Uint8Array(length + 1);
      line.set(core.u8.subarray(pointer, pointer + length));
      line[length] = LINE_FEED;
      parts.push(line);
      bytes += line.length;
      next = docid + 1;
    }
  }
}
