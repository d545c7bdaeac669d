// Error codes in the tasks of dumps before V6, in their present form. Called by the readers of those
// versions.
import { type ErrorObject, isErrorCode } from "../../errors.ts";
import { readError } from "./taskreading.ts";

/**
 * The failure of a task of V1 to V3. V3 writes codes in PascalCase. Of these versions the peer knows only the
 * codes below: `invalid_filter`, for example, only from V4 on.
 */
export function readErrorBeforeV4(message: unknown, code: unknown): ErrorObject {
  const name = String(code ?? "")
    .replace(/[a-z][A-Z]/g, ([left, right]) => `${left}_${right}`)
    .toLowerCase();
  return errorOf(message, renamed(RENAMED_BEFORE_V4, name) ?? (KEPT_BEFORE_V4.has(name) ? name : ""));
}

/** The same for V4 and V5. */
export function readOldError(message: unknown, code: unknown): ErrorObject {
  const name = String(code ?? "");
  return errorOf(message, renamed(RENAMED, name) ?? name);
}

function errorOf(message: unknown, code: string): ErrorObject {
  return readError({
    message: typeof message === "string" ? message : JSON.stringify(message ?? null),
    code: isErrorCode(code) ? code : "unretrievable_error_code",
  });
}

const renamed = (names: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined;

const RENAMED_BEFORE_V4: Record<string, string> = {
  missing_primary_key: "index_primary_key_no_candidate_found",
  primary_key_already_present: "index_primary_key_already_exists",
  filter: "invalid_settings_filterable_attributes",
  sort: "invalid_settings_sortable_attributes",
  invalid_geo_field: "invalid_document_geo_field",
  invalid_ranking_rule: "invalid_settings_ranking_rules",
  invalid_store: "invalid_store_file",
  invalid_token: "invalid_api_key",
};

const KEPT_BEFORE_V4: ReadonlySet<string> = new Set([
  "index_already_exists",
  "index_not_found",
  "invalid_index_uid",
  "max_fields_limit_exceeded",
  "missing_document_id",
  "invalid_document_id",
  "bad_request",
  "document_not_found",
  "internal",
  "missing_authorization_header",
  "no_space_left_on_device",
  "task_not_found",
  "payload_too_large",
  "dump_process_failed",
  "invalid_content_type",
  "missing_content_type",
  "malformed_payload",
  "missing_payload",
]);

const RENAMED: Record<string, string> = {
  primary_key_inference_failed: "index_primary_key_no_candidate_found",
  invalid_geo_field: "invalid_document_geo_field",
  invalid_filter: "invalid_settings_filterable_attributes",
  invalid_sort: "invalid_settings_sortable_attributes",
  invalid_ranking_rule: "invalid_settings_ranking_rules",
  invalid_min_word_length_for_typo: "invalid_settings_typo_tolerance",
  missing_parameter: "bad_request",
  immutable_field: "bad_request",
};
