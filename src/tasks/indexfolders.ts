// The folders of indexes: `indexes/<random>` in the storage, a new name for every index. The journal names a
// folder before it appears and until it is gone, so no crash leaves one behind, and nothing is removed merely
// because it is unknown.
import type { Engine } from "../engine/engine.ts";
import { INDEXES_FOLDER } from "../segment/journalfile.ts";
import { join } from "../storage/storage.ts";
import type { CatalogEntry } from "./catalog.ts";
import type { Journal } from "./journal.ts";
import type { Clock } from "./time.ts";

export class IndexFolders {
  readonly #journal: Journal;
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #onTrouble: (error: Error) => void;

  constructor(journal: Journal, engine: Engine, clock: Clock, onTrouble: (error: Error) => void) {
    this.#journal = journal;
    this.#engine = engine;
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  /** A new folder; it is removed at the next start unless the catalog has it by then. */
  async reserve(): Promise<string> {
    const folder = newFolder();
    await this.#journal.write({ type: "drop", folder });
    return folder;
  }

  async createIndex(uid: string): Promise<CatalogEntry> {
    const folder = newFolder();
    const createdAt = this.#clock.now();
    const entry = {
      folder,
      createdAt,
      updatedAt: createdAt,
      description: await this.#engine.describe(folder),
    };
    await this.#journal.write({ type: "catalog", changes: [{ uid, entry }] });
    return entry;
  }

  /** What cannot be removed now is tried again at the next start. */
  async drop(folders: Iterable<string>): Promise<void> {
    for (const folder of folders) {
      try {
        await this.#engine.drop(folder);
        await this.#journal.write({ type: "dropped", folder });
      } catch (error) {
        this.#onTrouble(error as Error);
      }
    }
  }

  /** Removes what a crash left over. */
  async dropAbandoned(): Promise<void> {
    await this.drop([...this.#journal.state.drops]);
  }
}

/** A name that was never used before. */
export function newFolder(): string {
  return join(INDEXES_FOLDER, globalThis.crypto.randomUUID());
}
