// Waiting for the ends of tasks: one listener on the instance serves all that wait. Made once per store, by
// checkedreads.ts.
import { TarsierError } from "../errors.ts";
import type { Instance } from "../tasks/instance.ts";
import type { TaskView } from "../tasks/views.ts";

const ENDED = ["succeeded", "failed", "canceled"];

interface Waiting {
  resolve(task: TaskView): void;
  reject(error: Error): void;
}

export class TaskEnds {
  readonly #instance: Instance;
  readonly #waiting = new Map<number, Waiting[]>();
  #isClosed = false;

  constructor(instance: Instance) {
    this.#instance = instance;
    instance.on("finished", (tasks) => {
      for (const { uid } of tasks) this.#tell(uid);
    });
    instance.on("stopped", (cause) => this.#rejectAll(() => cause));
  }

  /**
   * The task once it has ended.
   * @throws TarsierError task_not_found; aborted when the store is closed; why no task runs any more
   */
  async of(uid: number): Promise<TaskView> {
    const task = this.#instance.task(uid, null);
    if (ENDED.includes(task.status)) return task;
    if (this.#isClosed) throw closed(uid);
    if (this.#instance.stopped) throw this.#instance.stopped;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(uid);
      if (waiting) waiting.push({ resolve, reject });
      else this.#waiting.set(uid, [{ resolve, reject }]);
    });
  }

  /** Rejects all that still wait. */
  close(): void {
    this.#isClosed = true;
    this.#rejectAll(closed);
  }

  #rejectAll(errorOf: (uid: number) => Error): void {
    for (const [uid, waiting] of this.#waiting) for (const { reject } of waiting) reject(errorOf(uid));
    this.#waiting.clear();
  }

  #tell(uid: number): void {
    const waiting = this.#waiting.get(uid);
    if (waiting === undefined) return;
    this.#waiting.delete(uid);
    const task = this.#instance.task(uid, null);
    for (const { resolve } of waiting) resolve(task);
  }
}

function closed(uid: number): TarsierError {
  return new TarsierError("aborted", { message: `The store was closed before task ${uid} ended` });
}
