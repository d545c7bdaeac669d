// Makes the Store out of the Operations of a door: typed documents, objects instead of JSON bytes, and tasks
// as promises. Called by the doors, the same in all of them.
import { checkIndexUid } from "../schemas/indexuid.ts";
import type { Operations, TaskQuery } from "./operations.ts";
import { parsed } from "./payloads.ts";
import { asked, pending, succeeded } from "./pendingtask.ts";
import { refusal } from "./refusal.ts";
import type { Store, StoreIndex, StoreTasks } from "./store.ts";
import { FrontIndex } from "./storeindex.ts";
import type { EnqueuedTask, PendingTask, Task, TaskFilter, TaskListing } from "./tasks.ts";

export function createStore(operations: Operations): Store {
  return new FrontStore(operations);
}

class FrontStore implements Store {
  readonly #operations: Operations;
  readonly tasks: StoreTasks;

  constructor(operations: Operations) {
    this.#operations = operations;
    this.tasks = new FrontTasks(operations);
  }

  index<D extends object>(uid: string): StoreIndex<D> {
    return new FrontIndex<D>(this.#operations, checkIndexUid(uid, "The uid of the index"));
  }

  indexes(page = {}) {
    return asked(() => this.#operations.indexes(page));
  }

  createIndex(uid: string, options: { primaryKey?: string | null } = {}): PendingTask {
    return pending(this.#operations, () => this.#operations.createIndex({ ...options, uid }));
  }

  swapIndexes(swaps: Parameters<Operations["swapIndexes"]>[0]): PendingTask {
    return pending(this.#operations, () => this.#operations.swapIndexes(swaps));
  }

  async multiSearch(parameters: Parameters<Operations["multiSearch"]>[0]): Promise<never> {
    return parsed(await this.#operations.multiSearch(parameters)) as never;
  }

  stats() {
    return asked(() => this.#operations.stats());
  }

  features() {
    return asked(() => this.#operations.features());
  }

  setFeatures(features: Parameters<Operations["setFeatures"]>[0]) {
    return asked(() => this.#operations.setFeatures(features));
  }

  close(): Promise<void> {
    return this.#operations.close();
  }
}

class FrontTasks implements StoreTasks {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  list(listing: TaskListing = {}) {
    return asked(() => this.#operations.tasks(queryOf(listing)));
  }

  get(uid: number): Promise<Task> {
    return asked(() => this.#operations.task(checkedUid(uid)));
  }

  async wait(uid: number): Promise<Task> {
    return succeeded(await this.#operations.ended(checkedUid(uid)));
  }

  idle(): Promise<void> {
    return this.#operations.idle();
  }

  cancel(filter: TaskFilter): PendingTask {
    return this.#select(filter, (query, original) => this.#operations.cancelTasks(query, original));
  }

  delete(filter: TaskFilter): PendingTask {
    return this.#select(filter, (query, original) => this.#operations.deleteTasks(query, original));
  }

  #select(
    filter: TaskFilter,
    ask: (query: TaskQuery, original: string) => Promise<EnqueuedTask>,
  ): PendingTask {
    return pending(this.#operations, () => {
      const query = queryOf(filter);
      return ask(query, `?${new URLSearchParams(query)}`);
    });
  }
}

function checkedUid(uid: number): number {
  if (typeof uid !== "number") throw refusal("The uid of a task", "a number", uid);
  return uid;
}

/** A listing as the query parameters of GET /tasks. */
function queryOf(listing: TaskListing): TaskQuery {
  if (typeof listing !== "object" || listing === null) throw refusal("The tasks", "an object", listing);
  const entries = Object.entries(listing).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, parameterOf(name, value)]));
}

function parameterOf(name: string, value: unknown): string {
  try {
    return value instanceof Date ? value.toISOString() : String(value);
  } catch {
    throw refusal(`Field \`.${name}\` of the tasks`, "a value that can be written", value);
  }
}
