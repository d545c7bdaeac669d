// The facade that instanceinterface.ts describes. One instance owns one data folder: journal, payloads, and
// the folders of the indexes.
import type { Engine } from "../engine/engine.ts";
import type { IndexHandle } from "../engine/indexhandle.ts";
import { areSameMembers } from "../engine/shard.ts";
import { TarsierError } from "../errors.ts";
import { BATCH_MEMORY_BYTES_MAX, BATCH_PAYLOAD_BYTES_MAX, BATCH_TASKS_MAX } from "../limits.ts";
import { formatSize } from "../sizes.ts";
import { type DamageError, damagedFile } from "../storage/failure.ts";
import { RECORD_BYTES_MAX, RecordTooLarge } from "../storage/recordformat.ts";
import type { ReadableFile, Storage } from "../storage/storage.ts";
import { BatchQueries } from "./batchqueries.ts";
import type { CatalogEntry } from "./catalog.ts";
import { unnamedFinding, unnamedFolders } from "./catalogcheck.ts";
import { Cleanup } from "./cleanup.ts";
import { keyLine } from "./dumps/keylines.ts";
import type { MoreExecutors } from "./executors.ts";
import {
  type Page,
  type PageOfUids,
  type Paging,
  type TaskFilter,
  type Visibility,
  wholePage,
} from "./filter.ts";
import { type HeldWrites, HOLD } from "./heldwrites.ts";
import type {
  IndexStats,
  IndexView,
  InstanceEvents,
  InstanceInterface,
  InstanceStats,
} from "./instanceinterface.ts";
import { Journal } from "./journal.ts";
import { storedKeys } from "./keys.ts";
import { indexUidOf, type TaskKind, type TaskSelection } from "./kinds.ts";
import type { Delivery, OutgoingWrite, OutgoingWrites } from "./outgoing.ts";
import { orphanedPayloads, type PayloadDraft, Payloads } from "./payloads.ts";
import { matchingUids, queryTasks, visibilityCheck } from "./queries.ts";
import { type QueueFigures, queueFigures } from "./queuefigures.ts";
import { Registrar } from "./registrar.ts";
import type { Registration } from "./registration.ts";
import { Scheduler } from "./scheduler.ts";
import type { SpaceReserve } from "./spacereserve.ts";
import type { Task } from "./task.ts";
import type { TaskTable } from "./tasktable.ts";
import { Clock, momentText } from "./time.ts";
import { packUids } from "./uidranges.ts";
import { type BatchView, type SummarizedTask, summarize, type TaskView, viewTask } from "./views.ts";
import { type Place, WriteOrder } from "./writeorder.ts";

/** Options of Instance.open. */
export interface InstanceOptions {
  /** Rooted in the data folder; the engine reads payloads and writes indexes in the same one. */
  storage: Storage;
  engine: Engine;
  /** Where the disk can be full. Default: none. */
  reserve?: SpaceReserve | null;
  /** For kinds of tasks that the instance cannot run on its own. */
  executors?: MoreExecutors;
  /** Whether writes wait while documents move between servers: someone must release them. */
  mayHold?: boolean;
  /** Registered before any waiting task runs, even when the journal is full. */
  first?: TaskKind | null;
  /** Most tasks in a batch; 0 stops all processing. Default and bound: BATCH_TASKS_MAX. */
  batchTasksMax?: number;
  /** Most bytes of payloads in a batch; its first task is always accepted. */
  batchPayloadBytesMax?: number;
}

export class Instance implements InstanceInterface {
  readonly uid: string;
  readonly #engine: Engine;
  readonly #journal: Journal;
  readonly #payloads: Payloads;
  readonly #registrar: Registrar;
  readonly #scheduler: Scheduler;
  readonly #batches: BatchQueries;
  readonly #cleanup: Cleanup;
  readonly #order = new WriteOrder();
  readonly #listeners: { [Event in keyof InstanceEvents]: Set<InstanceEvents[Event]> };

  /** Rebuilds the state from the journal and continues with the tasks that wait. */
  static async open(options: InstanceOptions): Promise<Instance> {
    const journal = Journal.open(options.storage, options.reserve);
    try {
      return await Instance.#begin(options, journal);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  static async #begin(options: InstanceOptions, journal: Journal): Promise<Instance> {
    const unnamed = unnamedFolders(options.storage, journal.state);
    const damage = unnamed.length > 0 ? namesLost(unnamed[0]) : null;
    // The journal names none of the indexes that exist: opening would hide or remove them.
    if (damage && journal.state.catalog.uids().length === 0) throw damage;
    if (journal.state.instanceUid === null) {
      await journal.write({ type: "instance", uid: globalThis.crypto.randomUUID() });
    }
    if (options.mayHold) journal.state.held.enable();
    const instance = new Instance(options, journal);
    // A journal that lost records may have lost the tasks of these payloads.
    const orphans = damage ? [] : orphanedPayloads(options.storage, journal.state);
    for (const name of orphans) options.storage.remove(name);
    instance.#compact();
    if (options.first) await instance.#registrar.add({ kind: options.first });
    instance.#scheduler.wake();
    // Delayed until listeners are registered.
    if (damage) setTimeout(() => instance.#tell("trouble", damage), 0);
    return instance;
  }

  private constructor({ storage, engine, executors = {}, ...limits }: InstanceOptions, journal: Journal) {
    const { state } = journal;
    const clock = new Clock(state.newest);
    this.uid = state.instanceUid!;
    this.#engine = engine;
    this.#journal = journal;
    this.#payloads = new Payloads(storage);
    this.#registrar = new Registrar(journal, this.#payloads, clock);
    this.#listeners = { finished: new Set(), held: new Set(), trouble: new Set(), stopped: new Set() };
    this.#scheduler = new Scheduler({
      journal,
      engine,
      clock,
      executors,
      limits: {
        tasksMax: Math.min(limits.batchTasksMax ?? BATCH_TASKS_MAX, BATCH_TASKS_MAX),
        payloadBytesMax: limits.batchPayloadBytesMax ?? BATCH_PAYLOAD_BYTES_MAX,
        memoryBytesMax: BATCH_MEMORY_BYTES_MAX,
      },
      onFinished: (uids) => this.#finished(uids),
      onHeld: () => this.#tell("held"),
      onTrouble: (error) => this.#tell("trouble", error),
      onStopped: (error) => this.#tell("stopped", error),
    });
    this.#batches = new BatchQueries(state.tasks, state.batches, () => this.#scheduler.running);
    this.#cleanup = new Cleanup(state, this.#registrar);
    journal.onReserveTaken = (shortage) => this.#tell("trouble", shortage);
  }

  draftPayload(): PayloadDraft {
    return this.#payloads.draft();
  }

  discardPayload(payload: PayloadDraft): void {
    this.#payloads.discard(payload);
  }

  async register(registration: Registration): Promise<SummarizedTask> {
    const task = await this.#registrar.register(registration);
    this.#scheduler.wake();
    this.#cleanUp();
    return summarize(task);
  }

  inOrder<T>(write: (place: Place) => Promise<T>): Promise<T> {
    return this.#order.run(write);
  }

  registerDump(isNamed = true): Promise<SummarizedTask> {
    const keys = storedKeys(this).map(keyLine);
    return this.register({ type: "dumpCreation", keys, instanceUid: isNamed ? this.uid : null });
  }

  outgoing(): OutgoingWrites {
    return this.#journal.state.outgoing;
  }

  held(): HeldWrites {
    return this.#journal.state.held;
  }

  async hold(members: readonly string[] | null): Promise<void> {
    const known = this.held().members;
    if (known === members || (known && members && areSameMembers(known, members))) return;
    if (members) this.held().begin(members);
    await this.put(HOLD.kind, HOLD.key, members);
    this.#scheduler.wake();
  }

  openOutgoing({ inline, payload }: OutgoingWrite): ReadableFile | null {
    return inline === null && payload === null ? null : this.#payloads.open(inline, payload);
  }

  async noteDelivery(delivery: Delivery): Promise<void> {
    const payload = this.outgoing().get(delivery.taskUid)?.payload ?? null;
    await this.#journal.write({ type: "delivery", ...delivery });
    if (payload !== null) this.#removePayload(payload, delivery.taskUid);
  }

  cancelTasks(filter: TaskFilter, visible: Visibility, originalFilter: string): Promise<SummarizedTask> {
    return this.#registerSelection("taskCancelation", filter, visible, originalFilter);
  }

  deleteTasks(filter: TaskFilter, visible: Visibility, originalFilter: string): Promise<SummarizedTask> {
    return this.#registerSelection("taskDeletion", filter, visible, originalFilter);
  }

  task(uid: number, visible: Visibility): TaskView {
    return viewTask(this.#visibleTask(uid, visible));
  }

  tasks(filter: TaskFilter, paging: Paging, visible: Visibility): Page<TaskView> {
    return wholePage(this.taskPage(filter, paging, visible));
  }

  taskPage(filter: TaskFilter, paging: Paging, visible: Visibility): PageOfUids<TaskView> {
    return queryTasks(this.#journal.state.tasks, filter, paging, visible);
  }

  batch(uid: number, visible: Visibility): BatchView {
    const batch = this.#batches.get(uid, visible);
    if (!batch) throw new TarsierError("batch_not_found", { batchUid: uid });
    return batch;
  }

  batches(filter: TaskFilter, paging: Paging, visible: Visibility): Page<BatchView> {
    return wholePage(this.batchPage(filter, paging, visible));
  }

  batchPage(filter: TaskFilter, paging: Paging, visible: Visibility): PageOfUids<BatchView> {
    return this.#batches.query(filter, paging, visible);
  }

  payloadName(taskUid: number): string | null {
    const { tasks } = this.#journal.state;
    const kind = tasks.waiting.has(taskUid) ? tasks.get(taskUid)!.kind : null;
    return kind?.type === "documentAdditionOrUpdate" ? kind.payload : null;
  }

  openDocuments(taskUid: number, visible: Visibility): ReadableFile {
    const { tasks } = this.#journal.state;
    const { kind } = this.#visibleTask(taskUid, visible);
    if (kind.type !== "documentAdditionOrUpdate" || !tasks.waiting.has(taskUid)) {
      throw new TarsierError("task_file_not_found", { taskUid });
    }
    // An addition without documents has no payload of either kind.
    const inline = tasks.inlinePayload(taskUid) ?? (kind.payload === null ? new Uint8Array() : null);
    return this.#payloads.open(inline, kind.payload);
  }

  index(uid: string): IndexView {
    return viewIndex(uid, this.#entry(uid));
  }

  indexes(offset: number, limit: number, visible: Visibility): { results: IndexView[]; total: number } {
    const uids = this.#journal.state.catalog.uids().filter((uid) => visible === null || visible(uid));
    const results = uids.slice(offset, offset + limit).map((uid) => this.index(uid));
    return { results, total: uids.length };
  }

  handle(uid: string): IndexHandle {
    const { folder, description } = this.#entry(uid);
    return { folder, indexUid: uid, version: description.version };
  }

  stats(uid: string): IndexStats {
    const { folder, description, updatedAt } = this.#entry(uid);
    const isIndexing = this.#scheduler.running?.plan.indexUid === uid;
    const damage = this.#engine.damageOf(folder);
    return { description, isIndexing, updatedAt: momentText(updatedAt), damage };
  }

  allStats(): InstanceStats {
    const indexes = new Map(this.#journal.state.catalog.uids().map((uid) => [uid, this.stats(uid)]));
    let databaseBytes = this.#journal.bytes + this.#payloads.bytes();
    for (const { description } of indexes.values()) databaseBytes += description.diskBytes;
    return { databaseBytes, indexes };
  }

  queueFigures(): QueueFigures {
    return queueFigures(this.#journal);
  }

  async compactQueue(): Promise<{ bytesBefore: number; bytesAfter: number }> {
    const bytesBefore = this.#journal.bytes;
    await this.#journal.compactNow();
    return { bytesBefore, bytesAfter: this.#journal.bytes };
  }

  value(kind: string, key: string): unknown {
    return this.#journal.state.values(kind).get(key);
  }

  values(kind: string): [key: string, value: unknown][] {
    return [...this.#journal.state.values(kind)];
  }

  async put(kind: string, key: string, value: unknown): Promise<void> {
    try {
      await this.#journal.write({ type: "put", kind, key, value });
    } catch (error) {
      if (!(error instanceof RecordTooLarge)) throw error;
      throw new TarsierError("payload_too_large", { limit: formatSize(RECORD_BYTES_MAX) });
    }
  }

  get stopped(): Error | null {
    return this.#scheduler.stopped;
  }

  on<Event extends keyof InstanceEvents>(event: Event, listener: InstanceEvents[Event]): void {
    this.#listeners[event].add(listener);
  }

  async idle(): Promise<void> {
    await this.#order.settled();
    await this.#scheduler.idle();
  }

  async close(): Promise<void> {
    await this.#scheduler.close();
    await this.#journal.close();
  }

  /** The matched tasks are fixed here, when the request is accepted. */
  async #registerSelection(
    type: TaskSelection["type"],
    filter: TaskFilter,
    visible: Visibility,
    originalFilter: string,
  ): Promise<SummarizedTask> {
    const uids = matchingUids(this.#journal.state.tasks, filter, visible);
    const tasks = packUids(uids);
    const task = await this.#registrar.add({ kind: { type, originalFilter, tasks, matched: uids.length } });
    if (type === "taskCancelation") this.#scheduler.interrupt(tasks);
    this.#scheduler.wake();
    return summarize(task);
  }

  #visibleTask(uid: number, visible: Visibility): Task {
    const { tasks } = this.#journal.state;
    const row = tasks.rows.rowOf(uid);
    const mayShow = visibilityCheck(tasks, visible);
    if (row < 0 || mayShow?.(row) === false) throw new TarsierError("task_not_found", { taskUid: uid });
    return tasks.brief(uid)!;
  }

  #entry(uid: string): CatalogEntry {
    const entry = this.#journal.state.catalog.get(uid);
    if (!entry) throw new TarsierError("index_not_found", { indexUid: uid });
    return entry;
  }

  /** Unless the task, or another server, still needs it. */
  #removePayload(name: string, taskUid: number): void {
    if (this.outgoing().get(taskUid)?.payload !== name && this.payloadName(taskUid) !== name)
      this.#payloads.remove(name);
  }

  #finished(uids: number[]): void {
    const { tasks } = this.#journal.state;
    const ended = uids.map((uid) => tasks.outline(tasks.rows.rowOf(uid)));
    for (const { uid, kind } of ended) {
      if (kind.type !== "documentAdditionOrUpdate") continue;
      const { payload } = tasks.brief(uid)!.kind as typeof kind;
      if (payload !== null) this.#removePayload(payload, uid);
    }
    this.#tell("finished", ended, wholeOf(tasks, ended));
    this.#compact();
  }

  /**
   * Removes the oldest tasks when there are too many. The newest task is already durable, whatever happens
   * here.
   */
  #cleanUp(): void {
    if (!this.#cleanup.isDue) return;
    this.#cleanup.run().then(
      () => this.#scheduler.wake(),
      (error) => this.#tell("trouble", error),
    );
  }

  #compact(): void {
    this.#journal.compact().catch((error) => this.#tell("trouble", error));
  }

  #tell<Event extends keyof InstanceEvents>(
    event: Event,
    ...parameters: Parameters<InstanceEvents[Event]>
  ): void {
    for (const listener of this.#listeners[event]) {
      (listener as (...parameters: Parameters<InstanceEvents[Event]>) => void)(...parameters);
    }
  }
}

function namesLost(folder: string): DamageError {
  return damagedFile({ ...unnamedFinding(folder), found: "none: see `tarsier repair --dry-run`" });
}

function viewIndex(uid: string, { createdAt, updatedAt, description }: CatalogEntry): IndexView {
  const { primaryKey } = description;
  return { uid, createdAt: momentText(createdAt), updatedAt: momentText(updatedAt), primaryKey };
}

/** Short tasks as they are now; long ones read on demand, but with the index names of now. */
function wholeOf(tasks: TaskTable, ended: readonly Task[]): Iterable<Task> {
  const long = new Set(ended.map(({ uid }) => uid).filter((uid) => tasks.isPlaced(uid)));
  return {
    *[Symbol.iterator]() {
      for (const task of ended) {
        const whole = long.has(task.uid) ? tasks.brief(task.uid) : task;
        if (!whole) continue;
        const named = "indexUid" in whole.kind && "indexUid" in task.kind;
        yield named ? { ...whole, kind: { ...whole.kind, indexUid: indexUidOf(task.kind)! } } : whole;
      }
    },
  };
}
