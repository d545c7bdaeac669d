// Indexes the documents of an index anew, after a change of settings that decides what is indexed. The old
// segments go on answering until the new ones are committed. Called by batchdocuments.ts.
import { Region } from "../../core/region.ts";
import type { Located } from "../../segment/documentblocks.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";
import type { ChangedDocument } from "../vectors/documentvectors.ts";
import type { DeadDocuments } from "./deaddocuments.ts";
import type { DocumentFeed } from "./documentfeed.ts";
import type { Work } from "./work.ts";
import type { Interrupt } from "./writer.ts";

/** Documents between two looks at whether the batch is to stop. */
const INTERRUPT_DOCUMENTS = 1024;
/** Address and length. */
const ID_ROW_BYTES = 8;

/** Feeds every document that lives and is not about to go, one segment after the other. */
export function* rebuild(
  reader: IndexReader,
  dead: DeadDocuments,
  feed: DocumentFeed,
  step: (finished: number, total: number) => void,
  interrupt: Interrupt,
): Work<void> {
  const { cache } = reader.share;
  const { numberOfDocuments } = reader.state;
  let done = 0;
  for (const open of reader.segments) {
    const { segment } = open;
    const ids = new SegmentIds(reader, open);
    for (let ordinal = 0; ordinal < segment.meta.documents; ordinal++) {
      cache.beginTurn();
      const docid = segment.docidOf(ordinal);
      if (dead.has(docid) || !reader.livesIn(open, docid)) continue;
      if (done % INTERRUPT_DOCUMENTS === 0) {
        interrupt();
        step(done, numberOfDocuments);
      }
      const id = ids.text(ordinal);
      const content = segment.document(ordinal);
      if (feed.preparation.isIdle) feed.addPlain(docid, id, content);
      else yield* feed.add(docid, id, unchanged(reader, docid, id, content));
      done++;
    }
    yield* feed.flush();
    ids.free();
  }
}

function unchanged(reader: IndexReader, docid: number, id: Located, content: Located): ChangedDocument {
  const text = Buffer.from(reader.share.core.read(id.pointer, id.length)).toString();
  const bytes = reader.share.core.read(content.pointer, content.length);
  return { id: text, content: bytes, oldDocid: docid, keepsOld: true, members: [], contentFrom: 0 };
}

/** The ids of one segment, kept at hand while all its documents are read. */
class SegmentIds {
  readonly #reader: IndexReader;
  readonly #region: Region;
  readonly #section: number;
  readonly #row: number;

  constructor(reader: IndexReader, { segment }: OpenSegment) {
    const { core } = reader.share;
    this.#reader = reader;
    this.#region = new Region(core);
    this.#section = segment.file.readSection(core, "ids", (bytes) => this.#region.ensure(bytes));
    this.#row = core.take(ID_ROW_BYTES);
  }

  text(ordinal: number): { pointer: number; length: number } {
    const { core } = this.#reader.share;
    core.exports.idSectionTexts(this.#section, ordinal, 1, this.#row);
    return { pointer: core.u32[this.#row / 4], length: core.u32[this.#row / 4 + 1] };
  }

  free(): void {
    this.#region.free();
    this.#reader.share.core.give(this.#row, ID_ROW_BYTES);
  }
}
