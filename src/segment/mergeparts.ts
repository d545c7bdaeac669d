// What a merge of segments (merge.ts) reads, borrows and writes to, for the files that merge one kind of
// section each.
import type { Core } from "../core/core.ts";
import type { Workspace } from "../core/workspace.ts";
import type { Storage } from "../storage/storage.ts";
import type { BuildBuffers } from "./builder.ts";
import type { SegmentFile } from "./file.ts";
import type { SegmentMeta } from "./format.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Spool } from "./spool.ts";
import type { SegmentWriter } from "./writer.ts";

/** One of the segments to merge. */
export interface MergeSource {
  file: SegmentFile;
  meta: SegmentMeta;
  /** Bitmap of deleted docids in the core's memory, or 0. */
  tombstones: number;
  /** Length of that bitmap in 64-bit words. */
  words: number;
}

/** Memory of a merging thread. */
export interface MergeShare {
  core: Core;
  storage: Storage;
  buffers: BuildBuffers;
}

/** What one merge writes to, and the memory that it borrows. */
export interface MergeOutput {
  writer: SegmentWriter;
  spool: Spool;
  workspace: Workspace;
  interrupt: Interrupt;
}
