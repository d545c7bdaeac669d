// Long bodies that were shown recently, without their bulk: clients ask for the same task again and again
// while they wait for its end. Bounded by bytes. Part of taskcontents.ts.
import type { TaskBody } from "./task.ts";

export class BriefBodies {
  /** By uid, least recently used first. */
  readonly #entries = new Map<number, { body: TaskBody; bytes: number }>();
  #bytes = 0;

  get(uid: number): TaskBody | null {
    const entry = this.#entries.get(uid);
    if (!entry) return null;
    this.#entries.delete(uid);
    this.#entries.set(uid, entry);
    return entry.body;
  }

  /** `bytes`: those of the packed body. The newest entry is kept, however long it is. */
  set(uid: number, body: TaskBody, bytes: number): void {
    this.delete(uid);
    this.#entries.set(uid, { body, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= BYTES_MAX || oldest === uid) return;
      this.delete(oldest);
    }
  }

  delete(uid: number): void {
    this.#bytes -= this.#entries.get(uid)?.bytes ?? 0;
    this.#entries.delete(uid);
  }
}

/** Bytes of packed bodies; unpacked they take some five times as much. */
const BYTES_MAX = 8 * 2 ** 20;
