// The facade of everything between an accepted write and its end: what src/operations, src/http and parts of
// src/tasks ask of an instance (instance.ts).
import type { IndexDescription } from "../engine/engine.ts";
import type { IndexHandle } from "../engine/indexhandle.ts";
import type { ReadableFile } from "../storage/storage.ts";
import type { Page, PageOfUids, Paging, TaskFilter, Visibility } from "./filter.ts";
import type { HeldWrites } from "./heldwrites.ts";
import type { Delivery, OutgoingWrite, OutgoingWrites } from "./outgoing.ts";
import type { PayloadDraft } from "./payloads.ts";
import type { QueueFigures } from "./queuefigures.ts";
import type { Registration } from "./registration.ts";
import type { Task } from "./task.ts";
import type { BatchView, SummarizedTask, TaskView } from "./views.ts";
import type { Place } from "./writeorder.ts";

export interface IndexView {
  uid: string;
  createdAt: string;
  updatedAt: string;
  primaryKey: string | null;
}

export interface IndexStats {
  description: IndexDescription;
  /** True while the running batch works on this index. */
  isIndexing: boolean;
  updatedAt: string;
  /** Damage that was met in its files; null: none so far. */
  damage: string | null;
}

export interface InstanceStats {
  /** Bytes on disk of indexes, journal and waiting payloads. */
  databaseBytes: number;
  indexes: Map<string, IndexStats>;
}

export interface InstanceEvents {
  /**
   * Tasks of a batch that just ended, durably, by ascending uid. In `tasks`, long ones are outlines; `whole`
   * reads them one at a time and leaves out those that are gone by then.
   */
  finished(tasks: readonly Task[], whole: Iterable<Task>): void;
  /** Writes wait because documents move between servers, and nothing else is to be done. */
  held(): void;
  /** Something failed that is no fault of a task. After a failed commit, nothing more is accepted or run. */
  trouble(error: Error): void;
  /** After such a trouble no task runs any more: whoever waits for one waits in vain. */
  stopped(error: Error): void;
}

/** What `Instance` does (`await Instance.open(options)`). Every refusal is a TarsierError. */
export interface InstanceInterface {
  readonly uid: string;

  // Writing. Promises are fulfilled once the task is durable.
  /** To be filled with NDJSON, one document per line; `register` makes it durable and takes it over. */
  draftPayload(): PayloadDraft;
  /** Removes a payload that will not be registered. */
  discardPayload(payload: PayloadDraft): void;
  register(registration: Registration): Promise<SummarizedTask>;
  /** Runs a write that gets its place after all writes that were run by this before: writeorder.ts. */
  inOrder<T>(write: (place: Place) => Promise<T>): Promise<T>;
  /**
   * A dump holds the keys as they are now, whenever it is made. `isNamed`: it states which instance it is of.
   */
  registerDump(isNamed?: boolean): Promise<SummarizedTask>;
  /** Writes that other servers have not received yet, in the order of their tasks. */
  outgoing(): OutgoingWrites;
  /** The body of such a write, to be closed by the caller; null: it has none. */
  openOutgoing(write: OutgoingWrite): ReadableFile | null;
  /** Writes that wait because documents move between servers. */
  held(): HeldWrites;
  /**
   * Holds the writes of servers that spread documents among these ones, instead of those held before; null:
   * none is held any more.
   */
  hold(members: readonly string[] | null): Promise<void>;
  /** Notes the outcome of a task on another server; durable when fulfilled. */
  noteDelivery(delivery: Delivery): Promise<void>;
  /** `originalFilter`: `?` and the raw query string. Only tasks that the key may see are matched. */
  cancelTasks(filter: TaskFilter, visible: Visibility, originalFilter: string): Promise<SummarizedTask>;
  deleteTasks(filter: TaskFilter, visible: Visibility, originalFilter: string): Promise<SummarizedTask>;

  // Tasks and batches. Unknown or invisible uids give task_not_found, batch_not_found.
  task(uid: number, visible: Visibility): TaskView;
  tasks(filter: TaskFilter, paging: Paging, visible: Visibility): Page<TaskView>;
  taskPage(filter: TaskFilter, paging: Paging, visible: Visibility): PageOfUids<TaskView>;
  batch(uid: number, visible: Visibility): BatchView;
  batches(filter: TaskFilter, paging: Paging, visible: Visibility): Page<BatchView>;
  batchPage(filter: TaskFilter, paging: Paging, visible: Visibility): PageOfUids<BatchView>;
  /** Name of the stored payload of a waiting addition, inside the storage; null: it has none. */
  payloadName(taskUid: number): string | null;
  /**
   * The documents of an addition that waits or runs, one per line, to be closed by the caller.
   * @throws TarsierError `task_file_not_found` for other tasks
   */
  openDocuments(taskUid: number, visible: Visibility): ReadableFile;

  // The catalog of indexes. Unknown uids give index_not_found.
  index(uid: string): IndexView;
  /** Sorted by the bytes of their uids. */
  indexes(offset: number, limit: number, visible: Visibility): { results: IndexView[]; total: number };
  handle(uid: string): IndexHandle;
  stats(uid: string): IndexStats;
  /** Stats of all indexes, by uid. */
  allStats(): InstanceStats;
  queueFigures(): QueueFigures;
  /** Rewrites the journal without garbage; tasks are accepted and run meanwhile. */
  compactQueue(): Promise<{ bytesBefore: number; bytesAfter: number }>;

  // Small values that other parts keep in the journal (keys, webhooks, experimental features, network), by
  // kind and key.
  value(kind: string, key: string): unknown;
  values(kind: string): [key: string, value: unknown][];
  /** Durable when fulfilled; null removes the value. @throws TarsierError `payload_too_large` */
  put(kind: string, key: string, value: unknown): Promise<void>;

  /** Why no task runs any more before the next start; null: they run. */
  readonly stopped: Error | null;
  on<Event extends keyof InstanceEvents>(event: Event, listener: InstanceEvents[Event]): void;
  /** Fulfilled when no write is on its way to become a task (`inOrder`), and no task waits or runs. */
  idle(): Promise<void>;
  /** Stops the running batch, which runs again at the next start, and closes the journal. */
  close(): Promise<void>;
}
