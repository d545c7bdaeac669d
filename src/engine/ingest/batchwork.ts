// One batch from its operations to the next state of the index, not yet committed. Called by writer.ts.
import { TarsierError } from "../../errors.ts";
import type { NextState } from "../../segment/manifeststate.ts";
import type { Batch, Operation, OperationResult, ProgressListener } from "../engine.ts";
import { type IndexReader, settingsOf } from "../reader.ts";
import { mergeSettings } from "../settings.ts";
import { settingsChange } from "../settingshash.ts";
import { BatchDocuments } from "./batchdocuments.ts";
import { IndexingRun } from "./indexing.ts";
import type { Interrupt, WriterShare } from "./writer.ts";

export interface BatchWork {
  batch: Batch;
  /** Those of the batch that are yet to be done. */
  operations: readonly Operation[];
  progress: ProgressListener;
  interrupt: Interrupt;
}

export interface BatchOutcome {
  /** One per operation. */
  results: OperationResult[];
  /** The state to commit; null when nothing changed. Its files are written. */
  next: Omit<NextState, "lastBatch"> | null;
}

/** After an error, files may be left that nobody names. */
export function runBatch(share: WriterShare, reader: IndexReader, work: BatchWork): BatchOutcome {
  const documents = new BatchDocuments(reader, work.batch, share.indexing.budget.idBytes);
  try {
    const before = settingsOf(reader.state);
    let settings = before;
    const results = work.operations.map((operation, done) => {
      work.interrupt();
      work.progress([
        { currentStep: "computing document changes", finished: done, total: work.operations.length },
      ]);
      return attempt(operation.taskUid, () => {
        if (operation.kind !== "settings") return documents.apply(operation, work.interrupt);
        settings = mergeSettings(settings, operation.patch, (word) => share.indexing.fold(word));
        return {};
      });
    });
    if (settings === before && !documents.changed) return { results, next: null };
    const rebuilds = settingsChange(before, settings) === "words";
    const { folder } = work.batch;
    const { nextSegment, fields } = reader.state;
    const target = { storage: share.storage, folder, nextSegment, settings, fields: rebuilds ? [] : fields };
    const indexing = new IndexingRun(share.indexing, target);
    try {
      const written = documents.write({
        indexing,
        before,
        after: settings,
        step: stepsOf(work),
        interrupt: work.interrupt,
      });
      const { primaryKey } = documents;
      const run = { fields: indexing.fields, nextSegment: indexing.nextSegment };
      return { results, next: { ...reader.state, ...written, ...run, primaryKey, settings } };
    } finally {
      indexing.abandon();
    }
  } finally {
    documents.close();
  }
}

/** Runs one operation; a refusal becomes its result. Anything else fails the batch. */
function attempt(taskUid: number, apply: () => Omit<OperationResult, "taskUid" | "error">): OperationResult {
  try {
    return { taskUid, error: null, ...apply() };
  } catch (error) {
    if (!(error instanceof TarsierError) || error.type !== "invalid_request") throw error;
    return { taskUid, error: error.toObject() };
  }
}

function stepsOf({ progress }: BatchWork): (finished: number, total: number) => void {
  return (finished, total) =>
    progress([
      { currentStep: "indexing", finished: 0, total: 1 },
      { currentStep: "extracting words", finished, total },
    ]);
}
