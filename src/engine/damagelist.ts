// Which indexes have a damaged file, as found by calls about them. Such an index can only be read until a
// restart checks it again: anything written to it could rest on wrong bytes. Kept by pool.ts.
import { type ErrorObject, messageOf } from "../errors.ts";
import { isDamage } from "../storage/failure.ts";

export class DamageList {
  readonly #byFolder = new Map<string, string>();
  /** Called once for each index. */
  onDamage: (folder: string, message: string) => void = () => {};

  /** The first finding about an index: file, offset, expected and found value. Null when none is known. */
  of(folder: string): string | null {
    return this.#byFolder.get(folder) ?? null;
  }

  /** Notes damage that a call meets, and passes its outcome on. */
  watch<Result>(folder: string, call: Promise<Result>): Promise<Result> {
    return call.catch((error: unknown) => {
      this.note(folder, error);
      throw error;
    });
  }

  /** Ignores failures other than damage. */
  note(folder: string, error: unknown): void {
    if (isDamage(error)) this.#add(folder, messageOf(error));
  }

  noteAll(folder: string, results: readonly { error?: ErrorObject | null }[]): void {
    for (const { error } of results) if (error?.code === DAMAGED) this.#add(folder, error.message);
  }

  forget(folder: string): void {
    this.#byFolder.delete(folder);
  }

  #add(folder: string, message: string): void {
    if (this.#byFolder.has(folder)) return;
    this.#byFolder.set(folder, message);
    this.onDamage(folder, message);
  }
}

const DAMAGED = "invalid_store_file";
