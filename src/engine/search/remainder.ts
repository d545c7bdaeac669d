// What a sort leaves of its documents while it takes those with values away: in the end, those without.
// Called by columnsort.ts and geosort.ts.
import type { Bitmaps } from "./bitmaps.ts";
import { Documents } from "./documents.ts";

export class Remainder {
  /** Documents that were not taken yet. */
  count: number;
  readonly #bitmaps: Bitmaps;
  readonly #documents: Documents;
  /** Bitmap of them; 0 for few documents, of which a second sort may see thousands of sets. */
  readonly #rest: number;
  readonly #taken: Uint32Array[] = [];

  constructor(bitmaps: Bitmaps, documents: Documents) {
    this.#bitmaps = bitmaps;
    this.#documents = documents;
    this.#rest = documents.isShortList ? 0 : bitmaps.create(documents.bitmap);
    this.count = documents.count;
  }

  /** Takes some of them away, each once. */
  take(docids: Uint32Array): void {
    this.count -= docids.length;
    if (!this.#rest) {
      this.#taken.push(docids);
      return;
    }
    this.#bitmaps.remove(this.#rest, docids);
  }

  /** Those that are left, but for those that the search excludes. The last thing to ask for. */
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
