// Indexes the documents of an index anew, after a change of settings that decides what is indexed. The old
// segments go on answering until the new ones are committed. Called by batchdocuments.ts.
import type { IndexReader } from "../reader.ts";
import type { DocumentCheck } from "./columnrebuild.ts";
import type { DeadDocuments } from "./deaddocuments.ts";
import type { IndexingRun } from "./indexing.ts";
import { SegmentIds } from "./segmentids.ts";
import type { Interrupt } from "./writer.ts";

/** Documents between two looks at whether the batch is to stop. */
const INTERRUPT_DOCUMENTS = 1024;

export interface RebuildWork {
  reader: IndexReader;
  dead: DeadDocuments;
  indexing: IndexingRun;
  check: DocumentCheck | null;
  step: (finished: number, total: number) => void;
  interrupt: Interrupt;
}

/** Feeds every document that lives and is not about to go, one segment after the other. */
export function rebuild({ reader, dead, indexing, check, step, interrupt }: RebuildWork): void {
  const { cache } = reader.share;
  const { numberOfDocuments } = reader.state;
  let done = 0;
  for (const open of reader.segments) {
    const { segment } = open;
    const ids = new SegmentIds(reader, open);
    try {
      for (let ordinal = 0; ordinal < segment.meta.documents; ordinal++) {
        cache.beginTurn();
        const docid = segment.docidOf(ordinal);
        if (dead.has(docid) || !reader.livesIn(open, docid)) continue;
        if (done % INTERRUPT_DOCUMENTS === 0) {
          interrupt();
          step(done, numberOfDocuments);
        }
        const document = segment.document(ordinal);
        check?.(document, () => ids.string(ordinal));
        indexing.add(docid, ids.text(ordinal), document);
        done++;
      }
    } finally {
      ids.free();
    }
  }
}
