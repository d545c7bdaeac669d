// Everything the journal says, in memory: rebuilt by replay at start, then changed by the same records.
import { TarsierError } from "../errors.ts";
import { BatchTable } from "./batchtable.ts";
import { Catalog, type CatalogChange } from "./catalog.ts";
import { HeldWrites, HOLD } from "./heldwrites.ts";
import { OutgoingWrites } from "./outgoing.ts";
import type { FinishRecord, JournalRecord, SharedParts } from "./records.ts";
import type { RecordSource } from "./recordsource.ts";
import { TaskTable } from "./tasktable.ts";
import type { Moment } from "./time.ts";
import { rangesHave } from "./uidranges.ts";

export class State {
  readonly tasks: TaskTable;
  readonly batches: BatchTable;
  readonly catalog = new Catalog();
  readonly outgoing = new OutgoingWrites();
  readonly held: HeldWrites;
  /** Name of another server -> the last write that it sent, and its task here. */
  readonly origins = new Map<string, { writeId: string; taskUid: number }>();
  /**
   * Folders that belong to no index: those of deleted indexes until they are gone, those of new ones until
   * they are in the catalog.
   */
  readonly drops = new Set<string>();
  instanceUid: string | null = null;
  nextTaskUid = 0;
  nextBatchUid = 0;
  /** Newest date of all tasks. */
  newest: Moment = 0;
  readonly #values = new Map<string, Map<string, unknown>>();

  /** `source`: reads long parts of tasks and batches; null: everything is kept in memory. */
  constructor(source: RecordSource | null = null) {
    this.tasks = new TaskTable(source);
    this.batches = new BatchTable(this.tasks.names, source);
    this.held = new HeldWrites(this.tasks, () => this.values(HOLD.kind).get(HOLD.key));
  }

  values(kind: string): ReadonlyMap<string, unknown> {
    return this.#values.get(kind) ?? new Map();
  }

  /** `place`: that of the record in the journal; 0: it is in none. */
  apply(record: JournalRecord, place = 0): void {
    switch (record.type) {
      case "instance":
        this.instanceUid = record.uid;
        return;
      case "task":
        this.tasks.add(record.task, place);
        this.nextTaskUid = Math.max(this.nextTaskUid, record.task.uid + 1);
        this.newest = Math.max(this.newest, record.task.enqueuedAt, record.task.finishedAt ?? 0);
        if (record.shared) this.#share(record.task.uid, record.shared);
        return;
      case "finish":
        this.#finish(record, place);
        return;
      case "batch":
        this.batches.add(record.batch, place);
        this.nextBatchUid = Math.max(this.nextBatchUid, record.batch.uid + 1);
        return;
      case "catalog":
        this.#changeCatalog(record.changes);
        return;
      case "drop":
        this.drops.add(record.folder);
        return;
      case "dropped":
        this.drops.delete(record.folder);
        return;
      case "network":
        this.tasks.setNetwork(record.taskUid, record.network);
        return;
      case "delivery":
        this.outgoing.deliver(record);
        this.tasks.noteDelivery(record);
        return;
      case "outgoing":
        this.outgoing.add(record.write);
        return;
      case "origin":
        this.#share(record.taskUid, { origin: record });
        return;
      case "put":
        this.#put(record.kind, record.key, record.value);
        return;
      case "next":
        this.nextTaskUid = Math.max(this.nextTaskUid, record.taskUid);
        this.nextBatchUid = Math.max(this.nextBatchUid, record.batchUid);
        return;
      default:
        throw unknownRecord(record);
    }
  }

  /** Records that rebuild this state as it is now; may be consumed later, while the state changes. */
  snapshot(): Iterable<JournalRecord> {
    const [tasks, batches] = [this.tasks.snapshot(), this.batches.snapshot()];
    const rest: JournalRecord[] = [];
    if (this.instanceUid !== null) rest.push({ type: "instance", uid: this.instanceUid });
    rest.push({ type: "next", taskUid: this.nextTaskUid, batchUid: this.nextBatchUid });
    // One record each: together they may be too long for one.
    for (const change of this.catalog.changes()) rest.push({ type: "catalog", changes: [change] });
    for (const write of this.outgoing) rest.push({ type: "outgoing", write: { ...write } });
    for (const [remoteName, last] of this.origins) rest.push({ type: "origin", remoteName, ...last });
    for (const folder of this.drops) rest.push({ type: "drop", folder });
    for (const [kind, values] of this.#values) {
      for (const [key, value] of values) rest.push({ type: "put", kind, key, value });
    }
    return {
      *[Symbol.iterator]() {
        yield* rest;
        for (const batch of batches) yield { type: "batch", batch };
        for (const task of tasks) yield { type: "task", task };
      },
    };
  }

  #share(taskUid: number, { outgoing, origin }: SharedParts): void {
    if (outgoing) this.outgoing.add(outgoing);
    if (origin) this.origins.set(origin.remoteName, { writeId: origin.writeId, taskUid });
  }

  #finish(record: FinishRecord, place: number): void {
    const { tasks } = this;
    const { uid, startedAt, finishedAt } = record.batch;
    for (const [task, succeeded, outcome] of record.ends) {
      tasks.finish(task, { status: succeeded ? "succeeded" : "failed", canceledBy: null, outcome });
      tasks.setBatch(task, uid, startedAt, finishedAt);
    }
    const canceled = record.canceled ? this.#cancel(record, record.canceled) : [];
    // Before the catalog changes names.
    const indexes = tasks.indexesOf([...record.ends.map(([task]) => task), ...canceled]);
    this.#changeCatalog(record.catalog);
    for (const folder of record.drops) this.drops.add(folder);
    tasks.renameBelow(record.renamesBelow, record.renames);
    this.batches.add(record.batch, place, indexes);
    if (record.deleted.length > 0) this.#delete(record);
    this.nextBatchUid = Math.max(this.nextBatchUid, uid + 1);
    this.newest = Math.max(this.newest, finishedAt);
  }

  /** Returns the uids of the canceled tasks. */
  #cancel({ batch }: FinishRecord, canceled: NonNullable<FinishRecord["canceled"]>): number[] {
    const uids = [...this.tasks.waiting].filter((uid) => rangesHave(canceled.tasks, uid));
    for (const uid of uids) {
      this.tasks.finish(uid, { status: "canceled", canceledBy: canceled.by, outcome: null });
      this.tasks.setBatch(uid, batch.uid, batch.startedAt, batch.finishedAt);
    }
    return uids;
  }

  #delete({ deleted }: FinishRecord): void {
    const { columns } = this.tasks;
    const emptied = new Set<number>();
    this.tasks.remove((row) => {
      if (!rangesHave(deleted, columns.uids[row])) return false;
      emptied.add(columns.batches[row]);
      return true;
    });
    for (let row = 0; row < this.tasks.size; row++) emptied.delete(columns.batches[row]);
    this.batches.remove(emptied);
  }

  #changeCatalog(changes: CatalogChange[]): void {
    for (const change of changes) {
      this.catalog.apply(change);
      if (change.entry) this.drops.delete(change.entry.folder);
    }
  }

  #put(kind: string, key: string, value: unknown): void {
    const values = this.#values.get(kind) ?? new Map<string, unknown>();
    this.#values.set(kind, values);
    if (value === null) values.delete(key);
    else values.set(key, value);
  }
}

/** Thrown because skipping the record would lose a change. */
function unknownRecord(record: never): TarsierError {
  const type = JSON.stringify((record as { type?: unknown }).type);
  const message = `The journal holds a record of the unknown type ${type}: a newer version wrote it`;
  return new TarsierError("database_refused", { message });
}
