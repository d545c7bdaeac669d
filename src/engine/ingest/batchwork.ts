// One batch from its operations to the next state of the index, not yet committed. Called by writer.ts.

import type { CallStatistics } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { NextState } from "../../segment/manifeststate.ts";
import type { Batch, BatchStep, Operation, OperationResult, ProgressListener } from "../engine.ts";
import { type IndexReader, settingsOf } from "../reader.ts";
import { mergeSettings } from "../settings.ts";
import { settingsChange } from "../settingshash.ts";
import { EmbedderChanges } from "../vectors/embedderchanges.ts";
import { planVectors } from "../vectors/plan.ts";
import { BatchDocuments } from "./batchdocuments.ts";
import { IndexingRun } from "./indexing.ts";
import { LostPayload } from "./lostpayload.ts";
import type { Work } from "./work.ts";
import type { Interrupt, WriterShare } from "./writer.ts";

interface BatchWork {
  batch: Batch;
  /** Those of the batch that are yet to be done. */
  operations: readonly Operation[];
  progress: ProgressListener;
  interrupt: Interrupt;
}

interface BatchOutcome {
  /** One per operation. */
  results: OperationResult[];
  /** The state to commit; null when nothing changed. Its files are written. */
  next: Omit<NextState, "lastBatch"> | null;
  /** Calls of embedders. */
  calls: CallStatistics;
}

/** After an error, files may be left that nobody names. */
export function* runBatch(share: WriterShare, reader: IndexReader, work: BatchWork): Work<BatchOutcome> {
  const documents = new BatchDocuments(reader, work.batch, share.indexing.budget.idBytes);
  try {
    const before = settingsOf(reader.state);
    const embedders = new EmbedderChanges(share.embedders, reader.state.embedders);
    let settings = before;
    const results: OperationResult[] = [];
    const calls: CallStatistics = { total: 0, failed: 0, lastError: null };
    const progress = (steps: BatchStep[]) => work.progress(steps, calls);
    for (const operation of work.operations) {
      work.interrupt();
      progress([
        {
          currentStep: "computing document changes",
          finished: results.length,
          total: work.operations.length,
        },
      ]);
      if (operation.kind === "settings") {
        // A refusal fails the whole batch: changes of settings take effect together or not at all.
        const merged = mergeSettings(settings, operation.patch, (word) => share.indexing.fold(word));
        yield* embedders.follow(settings.embedders, merged.embedders);
        settings = merged;
        results.push({ taskUid: operation.taskUid, error: null });
        continue;
      }
      results.push(yield* attempt(operation.taskUid, () => documents.apply(operation, work.interrupt)));
    }
    if (settings === before && !documents.changed) return { results, next: null, calls };
    const { states } = embedders;
    const vectors = yield* planVectors(reader, share.embedders, settings.embedders, states);
    const { segments } = reader.state;
    const change = vectors.rebuilds ? "words" : settingsChange(before, settings, segments);
    const { folder } = work.batch;
    const { interrupt } = work;
    const { nextSegment, fields } = reader.state;
    const target = {
      storage: share.storage,
      folder,
      nextSegment,
      settings,
      fields: change === "words" ? [] : fields,
      // Columns alone may end in a rebuild, too.
      idKinds: documents.idKinds(change !== "none"),
      interrupt,
    };
    const indexing = new IndexingRun(share.indexing, target);
    try {
      const written = yield* documents.write({
        indexing,
        before,
        after: settings,
        change,
        vectors,
        calls,
        step: stepsOf(progress),
        interrupt: work.interrupt,
      });
      const { primaryKey } = documents;
      const run = { fields: indexing.fields, nextSegment: indexing.nextSegment };
      const next = { ...reader.state, ...written, ...run, primaryKey, settings, embedders: states };
      return { results, next, calls };
    } finally {
      indexing.abandon();
    }
  } finally {
    documents.close();
  }
}

/** Runs one operation; a refusal, or the loss of its documents, is its result. The rest fails the batch. */
function* attempt(
  taskUid: number,
  apply: () => Work<Omit<OperationResult, "taskUid" | "error">>,
): Work<OperationResult> {
  try {
    return { taskUid, error: null, ...(yield* apply()) };
  } catch (error) {
    if (!(error instanceof LostPayload) && !isRefusal(error)) throw error;
    return { taskUid, error: error.toObject() };
  }
}

function isRefusal(error: unknown): error is TarsierError {
  return error instanceof TarsierError && error.type === "invalid_request";
}

function stepsOf(progress: (steps: BatchStep[]) => void): (finished: number, total: number) => void {
  return (finished, total) =>
    progress([
      { currentStep: "indexing", finished: 0, total: 1 },
      { currentStep: "extracting words", finished, total },
    ]);
}
