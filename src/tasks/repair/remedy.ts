// What a repair tells of each thing that is damaged. Made by repair.ts and the files of its parts, shown by
// src/cli/repair.ts.
import type { Finding } from "../../segment/finding.ts";

/** What happened, or would happen, to something damaged. */
export interface Remedy {
  /** A file, or the folder of an index. */
  place: string;
  findings: Finding[];
  /** In sentences: what is kept, what is lost, what is done. */
  kept: string;
  lost: string;
  /** Null: a repair can do nothing, and leaves it as it is. */
  action: string | null;
}
