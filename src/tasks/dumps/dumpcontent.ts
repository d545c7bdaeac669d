// What is in an unpacked dump, in the terms of the newest layout: made by version6.ts and the readers of
// older versions, used by import.ts.
import type { Moment } from "../time.ts";
import type { BatchLine, TaskLine } from "./tasklines.ts";

export interface DumpedIndex {
  /** Not checked yet, like the next one. */
  uid: unknown;
  primaryKey: unknown;
  /** Null: unknown. */
  createdAt: Moment | null;
  /** In the form of `settings.json` of the newest version; not checked yet. */
  settings: unknown;
  /** File of its documents, one per line. */
  documents: string;
}

export interface DumpedTask {
  line: TaskLine;
  /** Documents of a waiting addition. */
  payload: { file: string; format: "json" | "ndjson" } | null;
}

/**
 * Everything here may throw: a TarsierError, or TypeError, RangeError and SyntaxError for a malformed dump.
 */
export interface DumpContent {
  instanceUid(): string | null;
  /** Text of one of the files of parts.ts; null if the dump has none. */
  part(file: string): string | null;
  indexes(): Iterable<DumpedIndex>;
  /** Ascending uid. */
  tasks(): Iterable<DumpedTask>;
  batches(): Iterable<BatchLine>;
}
