// Accepts writes: gives the uid and the date, and is done when the task is durable. Order of uids, of dates
// and of journal records is the same.
import { TarsierError } from "../errors.ts";
import { JOURNAL_BYTES_MAX, TASK_BYTES_MAX } from "../limits.ts";
import { formatSize } from "../sizes.ts";
import { pack } from "./codec.ts";
import type { Journal } from "./journal.ts";
import { indexUidOf, type TaskKind, touchedIndexes } from "./kinds.ts";
import type { Payloads } from "./payloads.ts";
import { kindOf, type Registration } from "./registration.ts";
import type { Task, TaskBody, TaskRecord } from "./task.ts";
import type { Clock } from "./time.ts";

export class Registrar {
  readonly #journal: Journal;
  readonly #payloads: Payloads;
  readonly #clock: Clock;
  /** Ahead of the state by the tasks that are being made durable. */
  #nextUid: number;

  constructor(journal: Journal, payloads: Payloads, clock: Clock) {
    this.#journal = journal;
    this.#payloads = payloads;
    this.#clock = clock;
    this.#nextUid = journal.state.nextTaskUid;
  }

  async register(registration: Registration): Promise<Task> {
    const payload = registration.type === "documentAdditionOrUpdate" ? registration.payload : null;
    try {
      this.#refuseFull();
    } catch (error) {
      if (payload) this.#payloads.discard(payload);
      throw error;
    }
    const inline = payload && (payload.stored ? await this.#payloads.keep(payload) : payload.inline());
    const { customMetadata, network } = registration;
    const body: TaskBody = { kind: kindOf(registration) };
    if (customMetadata !== undefined) body.customMetadata = customMetadata;
    if (network !== undefined) body.network = network;
    try {
      return await this.add(body, inline);
    } catch (error) {
      // After a failed commit the record may be on disk all the same, and would need its payload.
      if (payload?.stored && !this.#journal.failure) this.#payloads.remove(payload.stored.name);
      throw error;
    }
  }

  /** Registers a kind as it is, even when the journal is full. */
  async add(body: TaskBody, inline: Uint8Array | null = null): Promise<Task> {
    const uid = this.#nextUid;
    const enqueuedAt = this.#clock.now();
    const task = enqueuedRecord(uid, enqueuedAt, body, inline);
    if (task.body.length > TASK_BYTES_MAX) {
      throw new TarsierError("payload_too_large", { limit: formatSize(TASK_BYTES_MAX) });
    }
    const written = this.#journal.write({ type: "task", task });
    this.#nextUid = uid + 1;
    await written;
    return {
      uid,
      status: "enqueued",
      batchUid: null,
      canceledBy: null,
      error: null,
      counters: null,
      enqueuedAt,
      startedAt: null,
      finishedAt: null,
      ...body,
    };
  }

  #refuseFull(): void {
    if (this.#journal.bytes < JOURNAL_BYTES_MAX) return;
    const reason = `the task queue takes ${this.#journal.bytes} bytes; delete ended tasks with DELETE /tasks`;
    throw new TarsierError("no_space_left_on_device", { reason });
  }
}

function enqueuedRecord(
  uid: number,
  enqueuedAt: number,
  body: TaskBody,
  inline: Uint8Array | null,
): TaskRecord {
  const { kind } = body;
  return {
    uid,
    kind: kind.type,
    shown: indexUidOf(kind),
    touched: touchesOthers(kind) ? touchedIndexes(kind) : null,
    status: "enqueued",
    enqueuedAt,
    startedAt: null,
    finishedAt: null,
    batchUid: null,
    canceledBy: null,
    body: pack(body),
    outcome: null,
    inline,
  };
}

function touchesOthers(kind: TaskKind): boolean {
  return kind.type === "indexSwap" || (kind.type === "indexUpdate" && kind.newIndexUid !== null);
}
