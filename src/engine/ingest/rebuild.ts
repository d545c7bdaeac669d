// Indexes all documents of an index anew, after a change of settings that affects what is indexed. The old
// segments go on answering until the new ones are committed. Called by batchdocuments.ts.
import type { Interrupt } from "../../segment/interrupt.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { IndexReader } from "../reader.ts";
import type { ChangedDocument } from "../vectors/documentvectors.ts";
import type { Work } from "../work.ts";
import type { DocumentCheck } from "./columnrebuild.ts";
import type { DeadDocuments } from "./deaddocuments.ts";
import type { DocumentFeed } from "./documentfeed.ts";
import { LargeDocument } from "./largedocument.ts";
import { SegmentIds } from "./segmentids.ts";

/** Number of documents after which the batch checks whether it is to stop. */
const INTERRUPT_DOCUMENTS = 1024;

interface RebuildWork {
  reader: IndexReader;
  dead: DeadDocuments;
  feed: DocumentFeed;
  check: DocumentCheck | null;
  step: (finished: number, total: number) => void;
  interrupt: Interrupt;
}

/** Feeds every live document that is not about to be removed, one segment after another. */
export function* rebuild({ reader, dead, feed, check, step, interrupt }: RebuildWork): Work<void> {
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
        if (feed.preparation.isIdle) feed.addPlain(docid, ids.text(ordinal), document);
        else {
          // Rendering the texts to embed may take seconds per document.
          interrupt();
          yield* feed.add(docid, unchanged(reader, docid, ids.string(ordinal), document));
        }
        done++;
      }
      yield* feed.flush();
    } catch (error) {
      if (!(error instanceof LargeDocument) || error.docid === null) throw error;
      // A full segment may end here that began with documents of others.
      const isHere = !dead.has(error.docid) && reader.livesIn(open, error.docid);
      const ordinal = isHere ? segment.ordinalOf(error.docid) : -1;
      throw ordinal < 0 ? error : error.named(ids.string(ordinal));
    } finally {
      ids.free();
    }
  }
}

function unchanged(
  { share }: IndexReader,
  docid: number,
  id: string,
  { pointer, length }: Located,
): ChangedDocument {
  const content = share.core.read(pointer, length);
  const nothing = { members: [], contentFrom: 0, contentAfter: () => content };
  return { id, content, oldDocid: docid, keepsOld: true, ...nothing };
}
