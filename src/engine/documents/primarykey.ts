// The primary key of an index for which none was set: taken from the first document that arrives. Called by
// engine/ingest, once per index.
import { compareBytes } from "../../core/bytes.ts";
import type { JsonScanner } from "../../core/json.ts";
import { TarsierError } from "../../errors.ts";
import { namedMembers } from "./members.ts";

/** Number of candidates that the error message names. */
const EXAMPLES = 2;

/**
 * The only top-level field whose name ends with `id`, in any case.
 * @throws TarsierError `index_primary_key_no_candidate_found`, `index_primary_key_multiple_candidates_found`
 */
export function inferPrimaryKey(
  scanner: JsonScanner,
  pointer: number,
  length: number,
  indexUid: string,
): string {
  const names = [...namedMembers(scanner, pointer, length).keys()];
  const candidates = names.filter((name) => name.toLowerCase().endsWith("id")).sort(compareBytes);
  if (candidates.length === 0) throw new TarsierError("index_primary_key_no_candidate_found", { indexUid });
  if (candidates.length > 1) {
    const examples = candidates.slice(0, EXAMPLES).map((name) => `\`${name}\``);
    throw new TarsierError("index_primary_key_multiple_candidates_found", {
      indexUid,
      count: candidates.length,
      examples: examples.join(" and "),
    });
  }
  return candidates[0];
}
