// Makes the record that ends a batch from what the batch did: outcomes, and the batch object with its details
// and stats.
import type { IndexDescription } from "../engine/engine.ts";
import { binarySize } from "../sizes.ts";
import type { BatchBody, BatchStats } from "./batch.ts";
import { countTasks } from "./batchstats.ts";
import { NO_CONGESTION, packBatchBody } from "./batchtable.ts";
import { pack } from "./codec.ts";
import { mergeDetails } from "./details.ts";
import type { BatchEffects } from "./execution.ts";
import type { Progress } from "./progress.ts";
import type { FinishRecord } from "./records.ts";
import type { State } from "./state.ts";
import type { Outcome, Task, TaskEnd } from "./task.ts";
import type { Moment } from "./time.ts";
import { unpackUids } from "./uidranges.ts";

/** Length of an error message when those of the batch are too long for one record. */
const BRIEF_LEN_MAX = 100;

export interface EndedBatch {
  uid: number;
  /** As they were when the batch was chosen, before they ended. */
  tasks: Task[];
  strategy: string;
  startedAt: Moment;
  finishedAt: Moment;
  progress: Progress;
}

export function finishRecord(batch: EndedBatch, effects: BatchEffects, state: State): FinishRecord {
  const { uid, startedAt, finishedAt } = batch;
  const members = membersOf(batch, effects, state);
  const body: BatchBody = {
    details: mergeDetails(members),
    stats: { ...countTasks(members), ...measures(batch, effects) },
    strategy: batch.strategy,
  };
  return {
    type: "finish",
    batch: {
      uid,
      startedAt,
      finishedAt,
      oldest: members.reduce(
        (oldest, { enqueuedAt }) => Math.min(oldest, enqueuedAt),
        Number.POSITIVE_INFINITY,
      ),
      newest: members.reduce((newest, { enqueuedAt }) => Math.max(newest, enqueuedAt), 0),
      body: packBatchBody(body),
    },
    ends: effects.ends.map((end) => [end.uid, end.status === "succeeded", packOutcome(end)]),
    canceled: effects.canceled ?? null,
    catalog: effects.catalog ?? [],
    drops: effects.drops ?? [],
    renames: effects.renames ?? [],
    renamesBelow: effects.renamesBelow ?? 0,
    deleted: effects.deleted ?? [],
  };
}

/** The same effects, with shortened error messages. */
export function briefly(effects: BatchEffects): BatchEffects {
  const ends = effects.ends.map((end) => {
    if (end.error === null || end.error.message.length <= BRIEF_LEN_MAX) return end;
    return {
      ...end,
      error: { ...end.error, message: `${[...end.error.message].slice(0, BRIEF_LEN_MAX).join("")}…` },
    };
  });
  return { ...effects, ends };
}

/**
 * All tasks of the batch as they ended, preceded by those that a cancelation in it canceled. Of these, long
 * ones are only outlines: reading them all would take unbounded memory and time.
 */
function membersOf({ tasks }: EndedBatch, { ends, canceled }: BatchEffects, state: State): Task[] {
  const members = tasks.map((task, place) => ({ ...task, ...ends[place] }));
  if (!canceled) return members;
  const uids = unpackUids(canceled.tasks);
  const { rows } = state.tasks;
  const briefs = Array.from(uids, (uid) => {
    return { ...state.tasks.outline(rows.rowOf(uid)), status: "canceled" as const };
  });
  return [...briefs, ...members];
}

function measures({ progress }: EndedBatch, effects: BatchEffects): Partial<BatchStats> {
  const { indexed } = effects;
  const measured: Partial<BatchStats> = progress.stats();
  if (!indexed) return measured;
  measured.writeChannelCongestion = { ...NO_CONGESTION };
  const sizes = changedSizes(indexed.before, indexed.after);
  if (Object.keys(sizes).length > 0) measured.internalDatabaseSizes = sizes;
  return measured;
}

function changedSizes(before: IndexDescription, after: IndexDescription): Record<string, string> {
  const sizes: Record<string, string> = {};
  for (const [name, field] of [
    ["documents", "rawDocumentBytes"],
    ["segments", "diskBytes"],
  ] as const) {
    const change = after[field] - before[field];
    if (change === 0) continue;
    sizes[name] = `${binarySize(after[field])} (${change > 0 ? "+" : "-"}${binarySize(Math.abs(change))})`;
  }
  return sizes;
}

function packOutcome({ error, counters }: TaskEnd): Uint8Array | null {
  return error === null && counters === null ? null : pack({ error, counters } satisfies Outcome);
}
