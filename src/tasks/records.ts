// The records of the journal. Replayed in order they are the state (state.ts); one record is one atomic step.
// Fields are only ever added; a record type that is not known stops the start, because skipping it would lose
// a change.
import type { BatchRecord } from "./batchtable.ts";
import type { CatalogChange } from "./catalog.ts";
import type { Swap } from "./kinds.ts";
import type { TaskRecord } from "./task.ts";
import type { UidRanges } from "./uidranges.ts";

export type JournalRecord =
  | { type: "instance"; uid: string }
  /** A task was registered; or, in a rewritten journal, a task in any state. */
  | { type: "task"; task: TaskRecord }
  | FinishRecord
  /** An ended batch, in a rewritten journal. */
  | { type: "batch"; batch: BatchRecord }
  | { type: "catalog"; changes: CatalogChange[] }
  /**
   * A folder is to be removed, unless an index gets it meanwhile: it is about to be made, or its index is
   * deleted.
   */
  | { type: "drop"; folder: string }
  /** Such a folder is gone. */
  | { type: "dropped"; folder: string }
  /** Keys, webhooks and so on; null removes. */
  | { type: "put"; kind: string; key: string; value: unknown }
  /** Lowest numbers not yet used, in a rewritten journal: those of deleted tasks never come back. */
  | { type: "next"; taskUid: number; batchUid: number };

/** A batch ended: its tasks, its own object, and what it changed in the catalog and in other tasks. */
export interface FinishRecord {
  type: "finish";
  batch: BatchRecord;
  /** Ended tasks, ascending: uid, whether it succeeded, packed Outcome (null: nothing to tell). */
  ends: [uid: number, succeeded: boolean, outcome: Uint8Array | null][];
  /** Tasks that a cancelation ended. */
  canceled: { tasks: UidRanges; by: number } | null;
  catalog: CatalogChange[];
  /** Folders to remove. */
  drops: string[];
  /** Pairs of uids that changed places in the history, for tasks below `renamesBelow`. */
  renames: Swap["indexes"][];
  renamesBelow: number;
  /** Tasks that a deletion removed. */
  deleted: UidRanges;
}
