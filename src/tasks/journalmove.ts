// Notes where a rewritten journal has the records with long parts, which the state reads again. Used by
// journal.ts.
import { batchIn, type JournalRecord } from "./records.ts";
import { KEPT_BYTES_MAX } from "./recordsource.ts";
import type { State } from "./state.ts";
import type { TaskRecord } from "./task.ts";
import type { NewPlace } from "./taskcontents.ts";

export class JournalMove {
  readonly #state: State;
  /** Records not written to the new file yet. */
  readonly #expected = new Map<Uint8Array, JournalRecord>();
  readonly #tasks = new Map<number, NewPlace>();
  readonly #batches = new Map<number, number>();

  constructor(state: State) {
    this.#state = state;
  }

  /** A record will be written to the new file. */
  expect(payload: Uint8Array, record: JournalRecord): void {
    if (this.#isNeeded(payload, record)) this.#expected.set(payload, record);
  }

  /** The record was written at this place. */
  note(payload: Uint8Array, place: number): void {
    const record = this.#expected.get(payload);
    if (!record) return;
    this.#expected.delete(payload);
    const batch = batchIn(record);
    if (record.type === "task") this.#tasks.set(record.task.uid, newPlace(record.task, place));
    else if (batch) this.#batches.set(batch.uid, place);
  }

  /** The new file has become the journal. */
  finish(): void {
    this.#state.tasks.move(this.#tasks);
    this.#state.batches.move(this.#batches);
  }

  /** Place of a record in the new file; 0: nothing is read from it again. */
  placeOf(record: JournalRecord): number {
    const batch = batchIn(record);
    if (record.type === "task") return this.#tasks.get(record.task.uid)?.place ?? 0;
    return batch ? (this.#batches.get(batch.uid) ?? 0) : 0;
  }

  /** Whether a part of it is long, now or once it is applied, and may be read again. */
  #isNeeded({ length }: Uint8Array, record: JournalRecord): boolean {
    const { tasks, batches } = this.#state;
    const batch = batchIn(record);
    if (record.type === "task") return length > KEPT_BYTES_MAX || tasks.isPlaced(record.task.uid);
    return batch !== null && (length > KEPT_BYTES_MAX || batches.isPlaced(batch.uid));
  }
}

function newPlace({ body, status }: TaskRecord, place: number): NewPlace {
  const isShort = body.length <= KEPT_BYTES_MAX;
  return { place, isEnded: status !== "enqueued", bodyBytes: body.length, body: isShort ? body : null };
}
