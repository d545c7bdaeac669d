// Codes of errors in the tasks of dumps before V6, as they are called today. Called by the readers of those
// versions.
import { type ErrorObject, isErrorCode } from "../../errors.ts";
import { readError } from "./taskreading.ts";

/** What an old task tells of its failure; the code in any spelling. */
export function readOldError(message: unknown, code: unknown): ErrorObject {
  const name = String(code ?? "")
    .replace(/[a-z][A-Z]/g, ([left, right]) => `${left}_${right}`)
    .toLowerCase();
  const renamed = RENAMED[name] ?? name;
  return readError({
    message: typeof message === "string" ? message : JSON.stringify(message ?? null),
    code: isErrorCode(renamed) ? renamed : "unretrievable_error_code",
  });
}

const RENAMED: Record<string, string> = {
  primary_key_inference_failed: "index_primary_key_no_candidate_found",
  missing_primary_key: "index_primary_key_no_candidate_found",
  primary_key_already_present: "index_primary_key_already_exists",
  invalid_geo_field: "invalid_document_geo_field",
  invalid_filter: "invalid_settings_filterable_attributes",
  invalid_sort: "invalid_settings_sortable_attributes",
  invalid_ranking_rule: "invalid_settings_ranking_rules",
  invalid_min_word_length_for_typo: "invalid_settings_typo_tolerance",
  missing_parameter: "bad_request",
  immutable_field: "bad_request",
};
