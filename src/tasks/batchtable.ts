// Ended batches, oldest first. What filters need lies open, the rest is packed in an arena.
import { ByteArena } from "./arena.ts";
import { unpack } from "./codec.ts";
import type { Moment } from "./time.ts";
import type { BatchStats } from "./views.ts";

/** What only a view needs. */
export interface BatchBody {
  details: Record<string, unknown>;
  stats: BatchStats;
  strategy: string;
}

/** An ended batch, as the journal keeps it. */
export interface BatchRecord {
  uid: number;
  startedAt: Moment;
  finishedAt: Moment;
  /** Enqueue dates of its oldest and its newest task. */
  oldest: Moment;
  newest: Moment;
  /** Packed BatchBody. */
  body: Uint8Array;
}

export type BatchDates = Omit<BatchRecord, "body">;

export class BatchTable {
  readonly #rows = new Map<number, { dates: BatchDates; body: number }>();
  #arena = new ByteArena();

  get size(): number {
    return this.#rows.size;
  }

  get bytes(): number {
    return this.#arena.length - this.#arena.garbage;
  }

  add({ body, ...dates }: BatchRecord): void {
    this.#rows.set(dates.uid, { dates, body: this.#arena.add(body) });
  }

  dates(uid: number): BatchDates | null {
    return this.#rows.get(uid)?.dates ?? null;
  }

  body(uid: number): BatchBody {
    return unpack<BatchBody>(this.#arena.read(this.#rows.get(uid)!.body));
  }

  /** Uids, ascending. */
  uids(): Iterable<number> {
    return this.#rows.keys();
  }

  remove(uid: number): void {
    const row = this.#rows.get(uid);
    if (!row) return;
    this.#arena.forget(row.body);
    this.#rows.delete(uid);
    if (this.#arena.garbage > this.#arena.length / 2) this.#collectGarbage();
  }

  /** All batches as of now; may be consumed later, while the table changes. */
  snapshot(): Iterable<BatchRecord> {
    const arena = this.#arena;
    const rows = [...this.#rows.values()];
    return {
      *[Symbol.iterator]() {
        for (const { dates, body } of rows) yield { ...dates, body: arena.read(body) };
      },
    };
  }

  #collectGarbage(): void {
    const old = this.#arena;
    this.#arena = new ByteArena();
    for (const [uid, { dates, body }] of this.#rows) {
      this.#rows.set(uid, { dates, body: this.#arena.add(old.read(body)) });
    }
  }
}
