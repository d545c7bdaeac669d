// Carries out one batch: from its operations to the next state of the index, which is not yet committed.
// Called by writer.ts.
import type { CallStatistics } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { Interrupt } from "../../segment/interrupt.ts";
import type { NextState } from "../../segment/manifeststate.ts";
import type { Batch, BatchStep, Operation, OperationResult, ProgressListener } from "../engine.ts";
import { type IndexReader, settingsOf } from "../reader.ts";
import { checkMerged, mergeSettings } from "../settings.ts";
import { settingsChange } from "../settingshash.ts";
import { checkChat } from "../unbuiltsettings.ts";
import { EmbedderChanges } from "../vectors/embedderchanges.ts";
import { planVectors } from "../vectors/plan.ts";
import type { Work } from "../work.ts";
import { BatchDocuments } from "./batchdocuments.ts";
import { IndexingRun } from "./indexing.ts";
import { LargeDocument } from "./largedocument.ts";
import { LostPayload } from "./lostpayload.ts";
import type { WriterShare } from "./writershare.ts";

/** What is known of a batch from when it was tried before. */
export interface EarlierTries {
  /** Operations that were refused. */
  refused: ReadonlyMap<number, OperationResult>;
  /** Calls of embedders: those of this try are added. */
  calls: CallStatistics;
}

interface BatchWork {
  batch: Batch;
  /** The operations of the batch that are still to be done. */
  operations: readonly Operation[];
  earlier: EarlierTries;
  progress: ProgressListener;
  interrupt: Interrupt;
}

interface BatchOutcome {
  /** One per operation. */
  results: OperationResult[];
  /** The state to commit; null when nothing changed. Its files are written. */
  next: Omit<NextState, "lastBatch"> | null;
}

/**
 * Payloads that would give the index too many fields are refused on their own: this only shows when
 * everything is written, and then the batch is run again without them. After an error, unreferenced files may
 * be left.
 */
export function* runBatch(share: WriterShare, reader: IndexReader, work: BatchWork): Work<BatchOutcome> {
  const { earlier } = work;
  const { calls } = earlier;
  const refused = new Map(earlier.refused);
  for (;;) {
    const operations = work.operations.filter(({ taskUid }) => !refused.has(taskUid));
    const documents = new BatchDocuments(reader, work.batch, share.indexing.budget.idBytes);
    try {
      const outcome = yield* runOperations({ share, reader, documents, calls }, { ...work, operations });
      const all = new Map([
        ...refused,
        ...outcome.results.map((result) => [result.taskUid, result] as const),
      ]);
      return { ...outcome, results: work.operations.map(({ taskUid }) => all.get(taskUid)!) };
    } catch (error) {
      if (!(error instanceof TarsierError) || error.code !== "max_fields_limit_exceeded") throw error;
      if (refused.size > earlier.refused.size) throw error;
      for (const taskUid of documents.tasksWithTooManyFields(work.interrupt))
        refused.set(taskUid, { taskUid, error: error.toObject() });
      // There are too many for another reason, such as settings.
      if (refused.size === earlier.refused.size) throw error;
    } finally {
      documents.close();
    }
  }
}

interface BatchTools {
  share: WriterShare;
  reader: IndexReader;
  documents: BatchDocuments;
  calls: CallStatistics;
}

function* runOperations(
  { share, reader, documents, calls }: BatchTools,
  work: BatchWork,
): Work<BatchOutcome> {
  const before = settingsOf(reader.state);
  const embedders = new EmbedderChanges(share.embedders, reader.state.embedders);
  let settings = before;
  const results: OperationResult[] = [];
  const progress = (steps: BatchStep[]) => work.progress(steps, calls);
  const hasAdditions = work.operations.some((operation) => operation.kind === "add" && !operation.shard);
  const lastChange = work.operations.findLast(({ kind }) => kind === "settings");
  for (const operation of work.operations) {
    work.interrupt();
    const total = work.operations.length;
    progress([{ currentStep: "computing document changes", finished: results.length, total }]);
    if (operation.kind === "settings") {
      // A refusal fails the whole batch: changes of settings take effect together or not at all.
      if (operation.patch.chat) yield* checkChat(operation.patch.chat);
      const merged = mergeSettings(settings, operation.patch, (word) => share.indexing.fold(word));
      yield* embedders.follow(settings.embedders, merged.embedders);
      settings = merged;
      if (operation === lastChange) checkMerged(settings);
      results.push({ taskUid: operation.taskUid, error: null });
      continue;
    }
    const apply = () => documents.apply(operation, work.interrupt);
    // Documents that other tasks add may depend on the deletion. Where servers share documents, those that
    // have their settings already take them, so that they may be nowhere if this one refuses them.
    const isVital = operation.kind === "deleteFilter" && hasAdditions;
    results.push(
      isVital ? resultOf(operation.taskUid, yield* apply()) : yield* attempt(operation.taskUid, apply),
    );
  }
  if (settings === before && !documents.changed) return { results, next: null };
  const { states } = embedders;
  const vectors = yield* planVectors(reader, share.embedders, settings.embedders, states);
  const { nextSegment, fields, segments } = reader.state;
  const change = vectors.rebuilds ? "words" : settingsChange(before, settings, segments);
  const { interrupt } = work;
  const indexing = new IndexingRun(share.indexing, {
    storage: share.storage,
    folder: work.batch.folder,
    nextSegment,
    settings,
    interrupt,
    fields: change === "words" ? [] : fields,
    // A change of columns only may also end in a rebuild.
    idKinds: documents.idKinds(change !== "none"),
  });
  try {
    const options = { indexing, before, after: settings, change, vectors, calls, interrupt };
    const written = yield* documents.write({ ...options, step: stepsOf(progress) });
    const { primaryKey } = documents;
    const run = { fields: indexing.fields, nextSegment: indexing.nextSegment };
    const next = { ...reader.state, ...written, ...run, primaryKey, settings, embedders: states };
    return { results, next };
  } finally {
    indexing.abandon();
  }
}

type Outcome = Omit<OperationResult, "taskUid" | "error">;

const resultOf = (taskUid: number, outcome: Outcome): OperationResult => ({
  taskUid,
  error: null,
  ...outcome,
});

/**
 * Runs one operation; its result may be a refusal, or the loss of its documents. Any other error fails the
 * batch.
 */
function* attempt(taskUid: number, apply: () => Work<Outcome>): Work<OperationResult> {
  try {
    return resultOf(taskUid, yield* apply());
  } catch (error) {
    if (error instanceof LargeDocument) throw error.of([taskUid]);
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
