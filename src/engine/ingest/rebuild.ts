// Indexes the documents of an index anew, after a change of settings that decides what is indexed. The old segments go on
// answering until the new ones are committed. Called by writer.ts.
import type { SegmentEntry } from "../../segment/manifeststate.ts";
import type { IndexReader } from "../reader.ts";
import type { IndexingRun } from "./indexing.ts";
import type { Interrupt } from "./writer.ts";

const DOCIDS_MOST = 1024;
const ID_BYTES_MAX = 512;

/** Feeds every live document, ascending by docid. Returns the new segments. */
export function rebuild(
  reader: IndexReader,
  indexing: IndexingRun,
  step: (finished: number, total: number) => void,
  interrupt: Interrupt,
): SegmentEntry[] {
  const { core, cache } = reader.share;
  const list = core.take(DOCIDS_MOST * 4);
  const id = core.take(ID_BYTES_MAX);
  let done = 0;
  for (let from = 0; ; ) {
    const count = core.exports.bitmapToList(reader.live, reader.words, from, list, DOCIDS_MOST);
    if (count === 0) break;
    interrupt();
    step(done, reader.state.numberOfDocuments);
    const docids = core.u32.slice(list / 4, list / 4 + count);
    for (const docid of docids) {
      cache.beginTurn();
      const { segment, ordinal } = reader.find(docid)!;
      const idLength = core.exports.idSectionText(segment.load("ids"), ordinal, id);
      const { pointer, length } = segment.document(ordinal);
      indexing.add(docid, core.u8.subarray(id, id + idLength), pointer, length);
    }
    done += count;
    from = docids[count - 1] + 1;
  }
  indexing.finish();
  core.give(list, DOCIDS_MOST * 4);
  core.give(id, ID_BYTES_MAX);
  return indexing.segments;
}
