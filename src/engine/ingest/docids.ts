// Assigns numbers to the documents that a batch writes: replaced ones keep theirs; new ones get the gaps left
// by deleted documents, lowest first, then the numbers after the highest. Called by batchdocuments.ts.
import type { IndexReader } from "../reader.ts";
import type { Changes } from "./changes.ts";

/** Documents to write, ascending by docid. */
export interface NumberedDocuments {
  docids: Uint32Array;
  /** Their entries in the changes, in the same order. */
  entries: Uint32Array;
}

/**
 * Numbers new documents in the order in which they came. Numbers that the batch itself frees are not used.
 */
export function numberDocuments(changes: Changes, reader: IndexReader): NumberedDocuments {
  const entries = changes.written();
  const free = freeDocids(reader, changes.cleared);
  const docids = new Uint32Array(entries.length);
  let ascending = true;
  entries.forEach((entry, i) => {
    const old = changes.cleared ? -1 : changes.oldDocid(entry);
    docids[i] = old < 0 ? free.next().value : old;
    if (i > 0 && docids[i] < docids[i - 1]) ascending = false;
  });
  if (ascending) return { docids, entries };
  const order = Uint32Array.from(docids.keys()).sort((a, b) => docids[a] - docids[b]);
  return { docids: order.map((i) => docids[i]), entries: order.map((i) => entries[i]) };
}

/** Free docids, ascending, without end. `cleared`: all documents are deleted. */
function* freeDocids(reader: IndexReader, cleared: boolean): Generator<number, never> {
  const { core } = reader.share;
  let docid = 0;
  if (!cleared) {
    const lives = (n: number) => (core.u8[reader.live + (n >>> 3)] >> (n & 7)) & 1;
    let highest = reader.words * 64 - 1;
    while (highest >= 0 && !lives(highest)) highest--;
    while (docid < highest) {
      if ((docid & 7) === 0 && core.u8[reader.live + (docid >>> 3)] === 255) docid += 8;
      else if (lives(docid)) docid++;
      else yield docid++;
    }
    docid = highest + 1;
  }
  for (;;) yield docid++;
}
