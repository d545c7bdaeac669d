// src/tasks/executors.ts in a page: loaded with the first batch. A page that only searches runs none.
import type { BatchPlan } from "../../tasks/choice.ts";
import type { Executor } from "../../tasks/execution.ts";
import type { MoreExecutors } from "../../tasks/executors.ts";

/** Tasks of an earlier visit wait for another attempt when the file cannot be fetched. */
const RETRY_MILLISECONDS = 10_000;

export function executorOf(plan: BatchPlan, more: MoreExecutors): Executor {
  return async (tasks, context) => {
    const executors = await import("../../tasks/executors.ts").catch(() => null);
    if (executors === null) return { waitMs: RETRY_MILLISECONDS };
    return executors.executorOf(plan, more)(tasks, context);
  };
}
