// Batches that compact an index: its segments are merged into as few as possible, without deleted documents.
import { binarySize } from "../sizes.ts";
import {
  type BatchContext,
  type BatchEffects,
  failed,
  indexNotFound,
  refuseDamaged,
  succeeded,
} from "./execution.ts";
import type { Task } from "./task.ts";

/** Nothing changes for readers of the index, so its `updatedAt` stays. */
export async function runCompaction([task]: Task[], context: BatchContext): Promise<BatchEffects> {
  const { indexUid } = task.kind as { indexUid: string };
  const entry = context.state.catalog.get(indexUid);
  if (!entry) return { ends: [failed(task, indexNotFound(indexUid))] };
  refuseDamaged(indexUid, entry.folder, context);
  context.progress.enter("processing tasks", [{ currentStep: "merging segments", finished: 0, total: 1 }]);
  const { index, bytesBefore, bytesAfter } = await context.engine.compact(entry.folder, context.signal);
  const sizes = {
    preCompactionSize: binarySize(bytesBefore),
    postCompactionSize: binarySize(bytesAfter),
  };
  return {
    ends: [succeeded(task, sizes)],
    catalog: [{ uid: indexUid, entry: { ...entry, description: index } }],
    indexed: { before: entry.description, after: index },
  };
}
