// Numbers for new documents: the gaps that deleted documents left, lowest first, then on from the highest. Called by
// batchdocuments.ts.
import type { IndexReader } from "../reader.ts";

/** Free docids, ascending, without end. `cleared`: all documents are gone. */
export function* freeDocids(reader: IndexReader, cleared: boolean): Generator<number, never> {
  const { core } = reader.share;
  let docid = 0;
  if (!cleared) {
    const bits = reader.words * 64;
    let highest = bits - 1;
    const lives = (n: number) => (core.u8[reader.live + (n >> 3)] >> (n & 7)) & 1;
    while (highest >= 0 && !lives(highest)) highest--;
    while (docid < highest) {
      if ((docid & 7) === 0 && core.u8[reader.live + (docid >> 3)] === 255) docid += 8;
      else if (lives(docid)) docid++;
      else yield docid++;
    }
    docid = highest + 1;
  }
  for (;;) yield docid++;
}
