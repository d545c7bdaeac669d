// Which indexes exist: uid -> folder, dates and what the instance knows of the index without opening it.
// Changed only by journal records (state.ts), so that an index and the end of the task that made it appear
// together.
import type { IndexDescription } from "../engine/engine.ts";
import type { Moment } from "./time.ts";

export interface CatalogEntry {
  /** Name inside the storage; never used twice. */
  folder: string;
  createdAt: Moment;
  updatedAt: Moment;
  description: IndexDescription;
}

/**
 * `entry` null: the index is removed and its uid free again. The changes of one record are applied in order.
 */
export interface CatalogChange {
  uid: string;
  entry: CatalogEntry | null;
}

export class Catalog {
  readonly #entries = new Map<string, CatalogEntry>();

  get(uid: string): CatalogEntry | undefined {
    return this.#entries.get(uid);
  }

  has(uid: string): boolean {
    return this.#entries.has(uid);
  }

  /** Uids in the order of their bytes. */
  uids(): string[] {
    // Index uids are ASCII, so the order of UTF-16 units is that of bytes.
    return [...this.#entries.keys()].sort();
  }

  apply({ uid, entry }: CatalogChange): void {
    if (entry === null) this.#entries.delete(uid);
    else this.#entries.set(uid, entry);
  }

  changes(): CatalogChange[] {
    return [...this.#entries].map(([uid, entry]) => ({ uid, entry }));
  }
}
