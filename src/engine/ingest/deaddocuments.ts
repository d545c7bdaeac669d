// The documents of an index that a batch removes or replaces: how they reduce the counts of fields, and the
// tombstones that delete them. Called by batchdocuments.ts and rebuild.ts.
import type { EmbeddingCounts, SegmentEntry } from "../../segment/manifeststate.ts";
import { readTombstones, writeTombstones } from "../../segment/tombstones.ts";
import type { VectorStore } from "../../segment/vectorstore.ts";
import type { IndexReader } from "../reader.ts";
import type { Changes } from "./changes.ts";

/** Documents that are looked at in one turn of the cache. */
const TURN_DOCUMENTS = 256;

export class DeadDocuments {
  readonly #reader: IndexReader;
  /** Docids by place of their segment. */
  readonly #bySegment: number[][];
  /**
   * Number of documents that go, by place of the segment and number of their shape (their set of field
   * names).
   */
  readonly #shapes: number[][];
  readonly #docids = new Set<number>();

  /** Not for a batch that clears the index: then no segments are left that contain these documents. */
  constructor(reader: IndexReader, changes: Changes) {
    this.#reader = reader;
    this.#bySegment = reader.segments.map(() => []);
    this.#shapes = reader.segments.map(() => []);
    for (let entry = 0; entry < changes.length; entry++) {
      if (!changes.isDead(entry)) continue;
      if (this.count % TURN_DOCUMENTS === 0) reader.share.cache.beginTurn();
      this.#add(changes.oldDocid(entry));
    }
  }

  get count(): number {
    return this.#docids.size;
  }

  has(docid: number): boolean {
    return this.#docids.has(docid);
  }

  /** Reports how many documents are lost for each top-level field. */
  eachField(visit: (name: string, documents: number) => void): void {
    this.#shapes.forEach((counts, place) => {
      const { shapes } = this.#reader.segments[place].segment.meta;
      counts.forEach((documents, shape) => {
        for (const name of shapes[shape]) visit(name, documents);
      });
    });
  }

  /** The vectors that go with them. */
  embeddings(): EmbeddingCounts {
    const counts = { vectors: 0, documents: 0 };
    this.#bySegment.forEach((docids, place) => {
      const { segment } = this.#reader.segments[place];
      if (docids.length === 0 || segment.meta.vectors.length === 0) return;
      this.#reader.share.cache.beginTurn();
      const stores = segment.vectors();
      for (const docid of docids) {
        const count = stores.reduce((sum, store) => sum + vectorsIn(store, docid), 0);
        counts.vectors += count;
        if (count > 0) counts.documents++;
      }
    });
    return counts;
  }

  /**
   * The existing segments, with tombstones for these documents; a segment without any live document is
   * dropped.
   */
  writeTombstones(): SegmentEntry[] {
    const { state, folder, share } = this.#reader;
    return state.segments.flatMap((entry, place) => {
      if (this.#bySegment[place].length === 0) return [entry];
      const all = readTombstones(share.storage, folder, entry.tombstones).with(this.#bySegment[place]);
      if (all.count === entry.documents) return [];
      return [
        { ...entry, tombstones: writeTombstones(share.storage, folder, entry.name, state.version + 1, all) },
      ];
    });
  }

  #add(docid: number): void {
    const { segment, ordinal } = this.#reader.find(docid)!;
    const place = this.#reader.segments.findIndex((open) => open.segment === segment);
    this.#docids.add(docid);
    this.#bySegment[place].push(docid);
    const shape = segment.shapeOf(ordinal);
    this.#shapes[place][shape] = (this.#shapes[place][shape] ?? 0) + 1;
  }
}

function vectorsIn(store: VectorStore, docid: number): number {
  const place = store.placeOf(docid);
  if (place < 0) return 0;
  const [from, to] = store.range(place);
  return to - from;
}
