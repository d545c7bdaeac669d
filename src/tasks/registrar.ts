// Accepts writes: gives a task its uid and date, and answers when it is durable. Uids, dates and journal
// records have the same order.
import { TarsierError } from "../errors.ts";
import { JOURNAL_BYTES_MAX, TASK_BYTES_MAX } from "../limits.ts";
import { formatSize } from "../sizes.ts";
import { pack } from "./codec.ts";
import type { Journal } from "./journal.ts";
import { indexUidOf, ROOM_MAKING_TYPES, type TaskKind, touchedIndexes } from "./kinds.ts";
import type { Origin, OutgoingDraft, OutgoingWrite } from "./outgoing.ts";
import type { Payloads } from "./payloads.ts";
import type { SharedParts } from "./records.ts";
import { kindOf, type Registration } from "./registration.ts";
import type { Task, TaskBody, TaskRecord } from "./task.ts";
import type { Clock } from "./time.ts";

export class Registrar {
  readonly #journal: Journal;
  readonly #payloads: Payloads;
  readonly #clock: Clock;
  /** Ahead of the state by the tasks that are being made durable. */
  #nextUid: number;
  /** Last write of each remote, including those whose record is still being written. */
  readonly #origins = new Map<string, { writeId: string; task: Promise<Task> }>();

  constructor(journal: Journal, payloads: Payloads, clock: Clock) {
    this.#journal = journal;
    this.#payloads = payloads;
    this.#clock = clock;
    this.#nextUid = journal.state.nextTaskUid;
  }

  async register(registration: Registration): Promise<Task> {
    const payload = registration.type === "documentAdditionOrUpdate" ? registration.payload : null;
    const { outgoing, origin } = registration;
    try {
      this.#payloads.refuseFailed();
      this.#refuseFull();
      if (outgoing) this.#journal.state.outgoing.refuseFull();
    } catch (error) {
      if (payload) this.#payloads.discard(payload);
      throw error;
    }
    const inline = payload && (payload.stored ? await this.#payloads.keep(payload) : payload.inline());
    const files = new Set(payload?.stored ? [payload.stored.name] : []);
    try {
      const body = bodyOf(registration);
      const kept = outgoing && (await this.#keep(outgoing, body.kind, inline));
      if (kept?.payload) files.add(kept.payload);
      const known = origin && this.#known(origin);
      if (known) {
        const task = await known;
        for (const file of files) this.#payloads.remove(file);
        return task;
      }
      const shared = kept || origin ? { ...(kept && { outgoing: kept }), ...(origin && { origin }) } : null;
      const { place } = registration;
      if (place) await place.turn;
      const added = this.add(body, inline, shared);
      place?.leave();
      return await added;
    } catch (error) {
      // After a failed commit the record may still be on disk, and would need its payload.
      if (!this.#journal.failure) for (const file of files) this.#payloads.remove(file);
      throw error;
    }
  }

  /** Registers a kind as it is, even when the journal is full. */
  async add(
    body: TaskBody,
    inline: Uint8Array | null = null,
    parts: SharedParts | null = null,
  ): Promise<Task> {
    const uid = this.#nextUid;
    const enqueuedAt = this.#clock.now();
    const task = enqueuedRecord(uid, enqueuedAt, body, inline);
    if (task.body.length > TASK_BYTES_MAX) {
      throw new TarsierError("payload_too_large", { limit: formatSize(TASK_BYTES_MAX) });
    }
    const shared = parts?.outgoing ? { ...parts, outgoing: { ...parts.outgoing, taskUid: uid } } : parts;
    const record = { type: "task" as const, task, ...(shared && { shared }) };
    const written = this.#journal.write(record, ROOM_MAKING_TYPES.has(body.kind.type) ? "task" : "room");
    this.#nextUid = uid + 1;
    const registered: Task = {
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
    const done = written.then(() => {
      this.#journal.state.tasks.keepBrief(uid, body);
      return registered;
    });
    if (parts?.origin) this.#remember(parts.origin, done);
    return done;
  }

  /** Keeps the body of a write for other servers: the payload of the addition, or one of its own. */
  async #keep(draft: OutgoingDraft, kind: TaskKind, inline: Uint8Array | null): Promise<OutgoingWrite> {
    const { json, hasBody, ...rest } = draft;
    const write = { ...rest, id: globalThis.crypto.randomUUID(), taskUid: -1 };
    if (!hasBody) return { ...write, contentType: null, inline: null, payload: null, payloadBytes: 0 };
    if (json === null && kind.type === "documentAdditionOrUpdate") {
      const { payload, payloadBytes } = kind;
      return { ...write, contentType: "application/x-ndjson", inline, payload, payloadBytes };
    }
    const own = this.#payloads.draft();
    try {
      own.append(Buffer.from(json ?? ""));
    } catch (error) {
      this.#payloads.discard(own);
      throw error;
    }
    const bytes = await this.#payloads.keep(own);
    const payload = own.stored?.name ?? null;
    return { ...write, contentType: "application/json", inline: bytes, payload, payloadBytes: own.size };
  }

  /** The task of a write that was received before, if its answer was lost on the way. */
  #known({ remoteName, writeId }: Origin): Promise<Task> | Task | null {
    const last = this.#origins.get(remoteName);
    if (last?.writeId === writeId) return last.task;
    const durable = this.#journal.state.origins.get(remoteName);
    return durable?.writeId === writeId ? this.#journal.state.tasks.get(durable.taskUid) : null;
  }

  #remember({ remoteName, writeId }: Origin, task: Promise<Task>): void {
    this.#origins.set(remoteName, { writeId, task });
    task.catch(() => this.#origins.delete(remoteName));
  }

  #refuseFull(): void {
    if (this.#journal.bytes < JOURNAL_BYTES_MAX) return;
    const reason = `the task queue takes ${this.#journal.bytes} bytes; delete ended tasks with DELETE /tasks`;
    throw new TarsierError("no_space_left_on_device", { reason });
  }
}

/** Absent parts are left out, as most tasks have none of them. */
function bodyOf(registration: Registration): TaskBody {
  const { customMetadata, network, sharers, isMove } = registration;
  const body: TaskBody = { kind: kindOf(registration) };
  if (customMetadata !== undefined) body.customMetadata = customMetadata;
  if (network !== undefined) body.network = network;
  if (isMove) body.isMove = isMove;
  else if (sharers !== undefined) body.sharers = sharers;
  return body;
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
