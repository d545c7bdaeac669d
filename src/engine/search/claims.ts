// The bucket that a rule is filling by sets of documents: choices claim candidates, the first one wins, and
// the paths of choices that claimed something go on to the next rule. Called by words.ts and typo.ts.
import type { Bitmaps } from "./bitmaps.ts";
import { Documents } from "./documents.ts";
import { distinctPaths, type Path } from "./graph.ts";
import type { Bucket, Rank } from "./rule.ts";

export class Claims {
  readonly #bitmaps: Bitmaps;
  /** Bitmap of the candidates that no bucket has. */
  readonly left: number;
  #found = 0;
  #paths: Path[] = [];

  constructor(bitmaps: Bitmaps, documents: Documents) {
    this.#bitmaps = bitmaps;
    this.left = bitmaps.create(documents.bitmap);
  }

  /** Begins the next bucket; false when no candidate is left for it. */
  begin(): boolean {
    if (!this.#bitmaps.any(this.left)) return false;
    this.#bitmaps.exclude(this.left);
    this.#found = 0;
    this.#paths = [];
    return true;
  }

  /** Gives the bucket those of some documents that are left. */
  claim(documents: number, path: Path): void {
    const claimed = this.#bitmaps.intersection(documents, this.left);
    if (!this.#bitmaps.any(claimed)) return;
    this.#bitmaps.andNot(this.left, claimed);
    if (this.#found) this.#bitmaps.or(this.#found, claimed);
    else this.#found = claimed;
    this.#paths.push(path);
  }

  /** The bucket, null when nothing was claimed. */
  bucket(rank: Rank): Bucket | null {
    if (!this.#found) return null;
    const documents = Documents.ofBitmap(this.#bitmaps, this.#found);
    return { documents, paths: distinctPaths(this.#paths), rank };
  }
}
