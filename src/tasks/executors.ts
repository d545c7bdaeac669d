// Which function runs which kind of batch.
import { TarsierError } from "../errors.ts";
import { runIndexCreation, runIndexDeletion, runIndexSwap, runIndexUpdate } from "./catalogwork.ts";
import type { BatchPlan } from "./choice.ts";
import { runCompaction } from "./compactionwork.ts";
import { type Executor, failed } from "./execution.ts";
import { runIndexWork } from "./indexwork.ts";
import { runCancelation, runDeletion } from "./taskwork.ts";

export function executorOf({ work, indexUid }: BatchPlan): Executor {
  return EXECUTORS[work] ?? ((tasks, context) => runIndexWork(tasks, indexUid!, context));
}

/** Kinds that may stand in a queue brought from elsewhere, but that this version cannot run, fail. */
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
  upgradeDatabase: unknown,
  indexCompaction: runCompaction,
  networkTopologyChange: unknown,
};
