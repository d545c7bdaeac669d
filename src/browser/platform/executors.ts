// Replaces src/tasks/executors.ts in pages: loaded with the first batch. A page that only searches runs none.
import type { BatchPlan } from "../../tasks/choice.ts";
import type { Executor } from "../../tasks/execution.ts";
import type { MoreExecutors } from "../../tasks/executors.ts";

/** When the file cannot be fetched, tasks of an earlier visit wait for another attempt. */
const RETRY_MILLISECONDS = 10_000;

export function executorOf(plan: BatchPlan, more: MoreExecutors): Executor {
  return async (tasks, context) => {
    const executors = await import("../../tasks/executors.ts").catch(() => null);
    if (executors === null) return { waitMs: RETRY_MILLISECONDS };
    return executors.executorOf(plan, more)(tasks, context);
  };
}
