// Records of waiting tasks as the journal has them. Shared by tasktable.test.ts and longparts.test.ts.
import type { TaskRecord } from "../../src/tasks/task.ts";

/** What is not given is as it is of a task that was just registered. */
export function waitingRecord(
  given: Pick<TaskRecord, "uid" | "kind" | "body"> & Partial<TaskRecord>,
): TaskRecord {
  return {
    shown: null,
    touched: null,
    status: "enqueued",
    enqueuedAt: given.uid,
    startedAt: null,
    finishedAt: null,
    batchUid: null,
    canceledBy: null,
    outcome: null,
    inline: null,
    ...given,
  };
}
