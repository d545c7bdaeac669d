// From what a batch did to the record that ends it: outcomes, the batch object with its details and stats.
import type { IndexDescription } from "../engine/engine.ts";
import { binarySize } from "../sizes.ts";
import { countTasks } from "./batchstats.ts";
import { type BatchBody, NO_CONGESTION, packBatchBody } from "./batchtable.ts";
import { pack } from "./codec.ts";
import { mergeDetails } from "./details.ts";
import type { BatchEffects } from "./execution.ts";
import type { Progress } from "./progress.ts";
import type { FinishRecord } from "./records.ts";
import type { State } from "./state.ts";
import type { Outcome, Task, TaskEnd } from "./task.ts";
import type { Moment } from "./time.ts";
import { unpackUids } from "./uidranges.ts";
import type { BatchStats } from "./views.ts";

/** Of an error, where those of a batch are too much for a record. */
const BRIEF_LEN_MAX = 100;

export interface EndedBatch {
  uid: number;
  /** As chosen, before their end. */
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

/** The same with errors that are told in few words. */
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
 * All tasks of the batch as they ended; those that a cancelation canceled belong to it, and come first. To
 * read all long ones of these would take memory and time without bound: they are told in outline.
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
