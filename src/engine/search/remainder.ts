// The documents that a sort has not placed yet; documents with values are taken away until only those without
// are left. Called by columnsort.ts and geosort.ts.
import type { Bitmaps } from "../bitmaps.ts";
import { Documents } from "./documents.ts";

export class Remainder {
  /** Number of documents not taken yet. */
  count: number;
  readonly #bitmaps: Bitmaps;
  readonly #documents: Documents;
  /** Bitmap of them. 0 if they are few: a second sort may see thousands of such sets. */
  readonly #rest: number;
  readonly #taken: Uint32Array[] = [];

  constructor(bitmaps: Bitmaps, documents: Documents) {
    this.#bitmaps = bitmaps;
    this.#documents = documents;
    this.#rest = documents.isShortList ? 0 : bitmaps.create(documents.bitmap);
    this.count = documents.count;
  }

  /** Takes some documents away, each only once. */
  take(docids: Uint32Array): void {
    this.count -= docids.length;
    if (!this.#rest) {
      this.#taken.push(docids);
      return;
    }
    this.#bitmaps.remove(this.#rest, docids);
  }

  /** The documents that are left, except those that the search excludes. Must be called last. */
  documents(): Documents {
    const bitmaps = this.#bitmaps;
    if (this.#rest) {
      bitmaps.exclude(this.#rest);
      return Documents.ofBitmap(bitmaps, this.#rest);
    }
    const taken = new Set(this.#taken.flatMap((docids) => [...docids]));
    const left = this.#documents.docids.filter((docid) => !taken.has(docid));
    return Documents.ofDocids(bitmaps, bitmaps.withoutExcluded(left));
  }
}
