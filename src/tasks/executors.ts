// Which function runs which kind of batch.
import { TarsierError } from "../errors.ts";
import { runIndexCreation, runIndexDeletion, runIndexSwap, runIndexUpdate } from "./catalogwork.ts";
import type { BatchPlan } from "./choice.ts";
import { runCompaction } from "./compactionwork.ts";
import { type Executor, failed } from "./execution.ts";
import { runIndexWork } from "./indexwork.ts";
import type { TaskType } from "./kinds.ts";
import { runCancelation, runDeletion } from "./taskwork.ts";
import { upgradeExecutor } from "./upgrades.ts";

/** Executors of kinds that need more than the instance itself: folders for copies, or other servers. */
export type MoreExecutors = Partial<Record<TaskType, Executor>>;

/** `more` has precedence. */
export function executorOf({ work, indexUid }: BatchPlan, more: MoreExecutors): Executor {
  return (
    more[work as TaskType] ?? EXECUTORS[work] ?? ((tasks, context) => runIndexWork(tasks, indexUid!, context))
  );
}

/** Fails tasks of kinds that a dump may bring but this server cannot run. */
const unknown: Executor = async (tasks) => ({
  ends: tasks.map((task) => {
    const message = `this version cannot run tasks of type \`${task.kind.type}\``;
    return failed(task, new TarsierError("internal", { message }));
  }),
});

const EXECUTORS: Partial<Record<BatchPlan["work"], Executor>> = {
  indexCreation: runIndexCreation,
  indexUpdate: runIndexUpdate,
  indexDeletion: runIndexDeletion,
  indexSwap: runIndexSwap,
  taskCancelation: runCancelation,
  taskDeletion: runDeletion,
  dumpCreation: unknown,
  snapshotCreation: unknown,
  export: unknown,
  upgradeDatabase: upgradeExecutor,
  indexCompaction: runCompaction,
  networkTopologyChange: unknown,
};
