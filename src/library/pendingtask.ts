// A write as a promise of its end. Called by storefront.ts and storeindex.ts.
import { isAborted, isErrorCode, TarsierError } from "../errors.ts";
import type { Operations } from "./operations.ts";
import type { EnqueuedTask, PendingTask, Task } from "./tasks.ts";

/** Calls a door so that even what it throws synchronously becomes a rejection. */
export async function asked<T>(ask: () => Promise<T>): Promise<T> {
  return ask();
}

/** Starts a write and, from then on, waits for the end of its task. */
export function pending(operations: Operations, write: () => Promise<EnqueuedTask>): PendingTask {
  const enqueued = asked(write);
  const ended = enqueued.then(async ({ taskUid }) => succeeded(await operations.ended(taskUid)));
  const end: Promise<Task> = ended.catch((error: unknown) => {
    // The store was closed meanwhile, on purpose: that ends no program that has not waited for its writes.
    if (isAborted(error)) end.catch(() => {});
    throw error;
  });
  return Object.defineProperty(end, "enqueued", {
    get: () => {
      // A caller that only awaits `enqueued` must not get an unhandled rejection for the end.
      end.catch(() => {});
      return enqueued;
    },
  }) as PendingTask;
}

/** @throws TarsierError with the error of a task that failed */
export function succeeded(task: Task): Task {
  if (task.error === null) return task;
  const { code, message } = task.error;
  // Another version may have written it.
  throw new TarsierError(isErrorCode(code) ? code : "internal", { message });
}
