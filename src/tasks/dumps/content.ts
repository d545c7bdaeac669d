// What is in an unpacked dump, in the terms of the newest layout: made by version6.ts and the readers of
// older versions, used by import.ts.
import type { Storage } from "../../storage/storage.ts";
import type { Moment } from "../time.ts";
import { readWhole } from "./files.ts";
import { objectOf } from "./put.ts";
import type { BatchLine, TaskLine } from "./tasklines.ts";
import { Version1 } from "./version1.ts";
import { Version2 } from "./version2.ts";
import { Version4 } from "./version4.ts";
import { Version6 } from "./version6.ts";

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

/** The content of the dump that was unpacked into a folder. */
export function openContent(storage: Storage, folder: string): DumpContent {
  const metadata = objectOf(JSON.parse(readWhole(storage, `${folder}/metadata.json`)));
  switch (metadata.dumpVersion) {
    case "V1":
      return new Version1(storage, folder, metadata);
    case "V2":
    case "V3":
      return new Version2(storage, folder, metadata.dumpVersion);
    case "V4":
    case "V5":
      return new Version4(storage, folder, metadata.dumpVersion);
    case "V6":
      return new Version6(storage, folder);
    default:
      throw new TypeError(
        `its \`dumpVersion\` is ${JSON.stringify(metadata.dumpVersion)}: V1 to V6 are read`,
      );
  }
}
