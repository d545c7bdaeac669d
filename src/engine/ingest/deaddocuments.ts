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
  /** All docids, for those who ask for single ones. */
  #docids: ReadonlySet<number> | null = null;
  /** Place of the segment of the last document: mostly, the next one is in the same. */
  #place = 0;

  /** Not for a batch that clears the index: then no segments are left that contain these documents. */
  constructor(reader: IndexReader, changes: Changes) {
    this.#reader = reader;
    this.#bySegment = reader.segments.map(() => []);
    this.#shapes = reader.segments.map(() => []);
    let count = 0;
    for (let entry = 0; entry < changes.length; entry++) {
      if (!changes.isDead(entry)) continue;
      if (count++ % TURN_DOCUMENTS === 0) reader.share.cache.beginTurn();
      this.#add(changes.oldDocid(entry));
    }
  }

  has(docid: number): boolean {
    this.#docids ??= new Set(this.#bySegment.flat());
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
      const dead = this.#bySegment[place];
      if (dead.length === 0) return [entry];
      // They lived until now, so none of them has a tombstone yet.
      if (dead.length + (entry.tombstones?.count ?? 0) === entry.documents) return [];
      const all = readTombstones(share.storage, folder, entry.tombstones).with(dead);
      return [
        { ...entry, tombstones: writeTombstones(share.storage, folder, entry.name, state.version + 1, all) },
      ];
    });
  }

  #add(docid: number): void {
    const { segments } = this.#reader;
    let ordinal = this.#ordinalIn(this.#place, docid);
    for (let place = 0; ordinal < 0; place++) {
      ordinal = this.#ordinalIn(place, docid);
      if (ordinal >= 0) this.#place = place;
    }
    const place = this.#place;
    const shape = segments[place].segment.shapeOf(ordinal);
    this.#bySegment[place].push(docid);
    this.#shapes[place][shape] = (this.#shapes[place][shape] ?? 0) + 1;
  }

  /** Place of a living document in a segment, or -1. */
  #ordinalIn(place: number, docid: number): number {
    const open = this.#reader.segments[place];
    return this.#reader.livesIn(open, docid) ? open.segment.ordinalOf(docid) : -1;
  }
}

function vectorsIn(store: VectorStore, docid: number): number {
  const place = store.placeOf(docid);
  if (place < 0) return 0;
  const [from, to] = store.range(place);
  return to - from;
}
