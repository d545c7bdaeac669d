// The one table of errors: a row has the code, HTTP status, type and message template. Every refusal is a
// TarsierError made from a row; the HTTP layer and failed tasks show it as an ErrorObject.
import { DOCUMENT_ID_EXPECTED } from "./schemas/documentid.ts";

export type ErrorType = "invalid_request" | "internal" | "auth" | "system";

export interface ErrorObject {
  message: string;
  code: string;
  type: ErrorType;
  link: string;
}

export type ErrorCode = keyof typeof errorTable;

/** Values for the placeholders of a template. `message` replaces the whole template. */
type ErrorParameters = Record<string, string | number>;

/** A refusal with its row of the table. */
export class TarsierError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;

  // Bundles rename classes; this is the name in stack traces and in `error.name`.
  static {
    TarsierError.prototype.name = "TarsierError";
  }

  /**
   * `status`: where it differs from that of the table. `options`: the cause, where it lies in code of the
   * caller.
   */
  constructor(
    code: ErrorCode,
    parameters: ErrorParameters = {},
    status: number = errorTable[code].status,
    options?: ErrorOptions,
  ) {
    const { message, type } = errorTable[code];
    super(shortened(fill("message" in parameters ? "{message}" : message, parameters)), options);
    this.code = code;
    this.status = status;
    this.type = type;
  }

  /** Address of the documentation of the code. */
  get link(): string {
    return LINK + this.code;
  }

  /** The same refusal, its message preceded by the part of the request that it is about. */
  inside(place: string, status = this.status): TarsierError {
    return new TarsierError(this.code, { message: `${place}: ${this.message}` }, status);
  }

  toObject(): ErrorObject {
    return { message: this.message, code: this.code, type: this.type, link: this.link };
  }
}

/** For codes that arrive as text, from another server or from a dump. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** An error of another server or of a dump: its message, but status, type and link of our table. */
export function errorObjectOf(code: ErrorCode, message: string): ErrorObject {
  return new TarsierError(code, { message }).toObject();
}

/** Whether work was stopped on purpose: no fault of it. */
export function isAborted(error: unknown): boolean {
  return error instanceof TarsierError && error.code === "aborted";
}

/** The message of anything that was thrown. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

interface Row {
  status: number;
  type: ErrorType;
  /** `{name}` is replaced by the parameter of that name. */
  message: string;
}

/** Quotations from a request stand in backticks in messages; longer ones lose their middle. */
const QUOTED_CHARACTERS_MAX = 200;
/** How much of the end of a shortened quotation is kept. */
const QUOTED_END_CHARACTERS = 50;
const MESSAGE_CHARACTERS_MAX = 8_000;

const LINK = "https://tarsier.dev/docs/errors#";

/** Status and type that most codes have. */
function row(message: string, status = 400, type: ErrorType = "invalid_request"): Row {
  return { status, type, message };
}

/** A field or parameter with a value that is not allowed: where, what is allowed, what was found. */
const value = (): Row => row("{place}: expected {expected}, but found {found}");

/** A required field that is absent. */
const missing = (): Row => row("{place}: the required field `{field}` is missing");

/** A field that cannot change once its object exists. */
const immutable = (): Row =>
  row("{place}: this field is set by the server or at creation and cannot be changed");

export const errorTable = {
  // Every request
  bad_request: row("{message}"),
  malformed_payload: row("The {format} payload cannot be read at {place}: {problem}"),
  missing_payload: row("The request needs a body in the {format} format, but its body is empty"),
  missing_content_type: row("The request needs a `Content-Type` header: one of {accepted}", 415),
  invalid_content_type: row("The content type `{found}` is not accepted here: use one of {accepted}", 415),
  payload_too_large: row("The body is larger than the limit of {limit} (counted after decompression)", 413),
  feature_not_enabled: row("{action} needs the experimental feature `{feature}`, which is off"),
  too_many_search_requests: row(
    "Too many searches are waiting: the queue of {capacity} is full",
    503,
    "system",
  ),
  request_timeout: row("The request took longer than {seconds} seconds, and was ended", 503, "system"),

  // Failures that are not the client's
  internal: row("An internal error has occurred: {message}", 500, "internal"),
  aborted: row("The batch was stopped before it ended", 500, "internal"),
  server_closing: row("The server is closing: nothing was done", 503, "system"),
  io_error: row("A file operation failed: {reason}. Check {advice}", 422, "system"),
  too_many_open_files: row(
    "No more files can be opened: {reason}. Raise the limit of open files",
    422,
    "system",
  ),
  commit_in_doubt: row(
    "Whether the disk has a change is not known until the next start: {reason}",
    500,
    "system",
  ),
  no_space_left_on_device: row("No space is left: {reason}", 422, "system"),
  folder_in_use: row("The database `{folder}` is open already, here or in another process", 500, "system"),
  invalid_store_file: row("A file of the database is damaged: {reason}", 500, "internal"),
  search_memory_exceeded: row(
    "The search needs {wanted} bytes of memory at once, more than the {limit} bytes it may use",
    500,
    "internal",
  ),
  dump_process_failed: row("The dump could not be made or read: {reason}", 500, "internal"),
  invalid_archive: row("The archive `{archive}` cannot be read: {reason}", 500, "internal"),
  database_refused: row("{message}", 500, "internal"),

  // Keys
  missing_authorization_header: row(
    "The header `Authorization: Bearer KEY` is missing or malformed",
    401,
    "auth",
  ),
  invalid_api_key: row("{place}The API key does not open this{detail}", 403, "auth"),
  missing_master_key: row("Keys cannot be managed: the server was started without a master key", 401, "auth"),
  api_key_not_found: row("No API key has {key}", 404),
  api_key_already_exists: row("An API key with the uid `{uid}` exists already", 409),
  index_scoped_api_key_with_global_action: row(
    "{place}: the action `{action}` cannot be limited to some indexes",
  ),
  invalid_api_key_name: value(),
  invalid_api_key_description: value(),
  invalid_api_key_uid: value(),
  invalid_api_key_actions: value(),
  invalid_api_key_indexes: value(),
  invalid_api_key_expires_at: value(),
  invalid_api_key_limit: value(),
  invalid_api_key_offset: value(),
  missing_api_key_actions: missing(),
  missing_api_key_indexes: missing(),
  missing_api_key_expires_at: missing(),
  immutable_api_key_uid: immutable(),
  immutable_api_key_actions: immutable(),
  immutable_api_key_indexes: immutable(),
  immutable_api_key_expires_at: immutable(),
  immutable_api_key_created_at: immutable(),
  immutable_api_key_updated_at: immutable(),

  // Indexes
  index_not_found: row("Index `{indexUid}` not found", 404),
  index_already_exists: row("Index `{indexUid}` exists already", 409),
  missing_index_uid: missing(),
  invalid_index_uid: value(),
  invalid_index_primary_key: value(),
  invalid_index_limit: value(),
  invalid_index_offset: value(),
  invalid_index_fields_filter: value(),
  invalid_index_fields_filter_attribute_patterns: value(),
  invalid_index_fields_filter_displayed: value(),
  invalid_index_fields_filter_searchable: value(),
  invalid_index_fields_filter_sortable: value(),
  invalid_index_fields_filter_distinct: value(),
  invalid_index_fields_filter_ranking_rule: value(),
  invalid_index_fields_filter_filterable: value(),
  invalid_index_custom_metadata: value(),
  invalid_skip_creation: value(),
  invalid_stats_show_internal_database_sizes: value(),
  invalid_stats_size_format: value(),
  immutable_index_created_at: immutable(),
  immutable_index_updated_at: immutable(),
  index_primary_key_already_exists: row(
    "The primary key of index `{indexUid}` is `{primaryKey}` already: {reason}",
  ),
  index_primary_key_no_candidate_found: row(
    "Index `{indexUid}` has no primary key, and no field of the first document ends with `id`. " +
      "Name the key with the `primaryKey` parameter",
  ),
  index_primary_key_multiple_candidates_found: row(
    "Index `{indexUid}` has no primary key, and {count} fields of the first document end with `id`: " +
      "{examples}. Name the key with the `primaryKey` parameter",
  ),
  document_too_large: row("{place} is too large: {reason}"),
  max_fields_limit_exceeded: row("A document would give the index more than {limit} different fields"),
  missing_swap_indexes: missing(),
  invalid_swap_indexes: value(),
  invalid_swap_rename: value(),
  invalid_swap_duplicate_index_found: row(
    "Each index may be named once in a swap: {found} named more than once",
  ),

  // Documents
  document_not_found: row("Document `{documentId}` not found", 404),
  invalid_document_id: row(
    `Document identifier \`{found}\` is not valid: it must be ${DOCUMENT_ID_EXPECTED}`,
  ),
  missing_document_id: row("A document has no field `{primaryKey}`, the primary key: `{document}`"),
  invalid_document_ids: value(),
  invalid_document_fields: value(),
  invalid_document_filter: value(),
  invalid_document_sort: value(),
  invalid_document_limit: value(),
  invalid_document_offset: value(),
  invalid_document_retrieve_vectors: value(),
  invalid_document_csv_delimiter: value(),
  invalid_document_use_network: value(),
  invalid_document_geo_field: row("Document `{documentId}` has a `_geo` field that is no location: {reason}"),
  invalid_document_geojson_field: row(
    "Document `{documentId}` has a `_geojson` field that is no geometry: {reason}",
  ),
  invalid_vectors_type: value(),
  invalid_vector_dimensions: row("{place}: expected {expected} dimensions, but found {found}"),
  too_many_vectors: row("{place}: expected at most {expected} vectors, but found {found}"),
  vector_embedding_error: row("The embedder `{embedder}` failed: {reason}"),
  missing_document_edition_function: missing(),
  invalid_document_edition_function_filter: value(),
  invalid_document_edition_context: value(),
  edit_documents_by_function_error: row("The edit function failed: {reason}"),

  // Search
  invalid_search_q: value(),
  invalid_search_offset: value(),
  invalid_search_limit: value(),
  invalid_search_page: value(),
  invalid_search_hits_per_page: value(),
  invalid_search_attributes_to_retrieve: value(),
  invalid_search_attributes_to_crop: value(),
  invalid_search_crop_length: value(),
  invalid_search_crop_marker: value(),
  invalid_search_attributes_to_highlight: value(),
  invalid_search_highlight_pre_tag: value(),
  invalid_search_highlight_post_tag: value(),
  invalid_search_show_matches_position: value(),
  invalid_search_filter: value(),
  invalid_search_sort: value(),
  invalid_search_distinct: value(),
  invalid_search_facets: value(),
  invalid_search_matching_strategy: value(),
  invalid_search_attributes_to_search_on: value(),
  invalid_search_ranking_score_threshold: value(),
  invalid_search_locales: value(),
  invalid_search_hybrid_query: value(),
  invalid_search_embedder: value(),
  invalid_search_semantic_ratio: value(),
  invalid_search_vector: value(),
  invalid_search_retrieve_vectors: value(),
  invalid_search_personalize: value(),
  invalid_search_personalize_user_context: value(),
  invalid_search_use_network: value(),
  invalid_search_show_ranking_score: value(),
  invalid_search_show_ranking_score_details: value(),
  invalid_search_show_performance_details: value(),
  missing_search_hybrid: row("{place}: this parameter needs the `hybrid` parameter, which names an embedder"),
  invalid_search_media_and_vector: row("{place}: `media` and `vector` cannot be used in the same search"),
  missing_facet_search_facet_name: missing(),
  invalid_facet_search_facet_name: value(),
  invalid_facet_search_query: value(),
  invalid_facet_search_exhaustive_facet_count: value(),
  facet_search_disabled: row("Facet search is turned off in the settings of index `{indexUid}`"),
  invalid_similar_id: value(),
  invalid_similar_embedder: value(),
  invalid_similar_attributes_to_retrieve: value(),
  invalid_similar_filter: value(),
  invalid_similar_limit: value(),
  invalid_similar_offset: value(),
  invalid_similar_ranking_score_threshold: value(),
  invalid_similar_retrieve_vectors: value(),
  invalid_similar_show_ranking_score: value(),
  invalid_similar_show_ranking_score_details: value(),
  invalid_similar_show_performance_details: value(),
  not_found_similar_id: row("Document `{documentId}` not found"),
  invalid_multi_search_federation_options: value(),
  invalid_multi_search_query_pagination: value(),
  invalid_multi_search_query_facets: value(),
  invalid_multi_search_query_ranking_rules: value(),
  invalid_multi_search_query_position: value(),
  invalid_multi_search_query_personalization: value(),
  invalid_multi_search_query_show_performance_details: value(),
  invalid_multi_search_distinct: value(),
  invalid_multi_search_facets_by_index: value(),
  invalid_multi_search_merge_facets: value(),
  invalid_multi_search_max_values_per_facet: value(),
  invalid_multi_search_facet_order: value(),
  invalid_multi_search_weight: value(),
  invalid_multi_search_remote: value(),

  // Settings
  invalid_settings_displayed_attributes: value(),
  invalid_settings_searchable_attributes: value(),
  invalid_settings_filterable_attributes: value(),
  invalid_settings_sortable_attributes: value(),
  invalid_settings_foreign_keys: value(),
  invalid_settings_ranking_rules: value(),
  invalid_settings_stop_words: value(),
  invalid_settings_non_separator_tokens: value(),
  invalid_settings_separator_tokens: value(),
  invalid_settings_dictionary: value(),
  invalid_settings_synonyms: value(),
  invalid_settings_distinct_attribute: value(),
  invalid_settings_proximity_precision: value(),
  invalid_settings_typo_tolerance: value(),
  invalid_settings_faceting: value(),
  invalid_settings_pagination: value(),
  invalid_settings_embedders: value(),
  invalid_settings_search_cutoff_ms: value(),
  invalid_settings_localized_attributes: value(),
  invalid_settings_facet_search: value(),
  invalid_settings_prefix_search: value(),
  invalid_settings_index_chat: value(),
  invalid_chat_setting_document_template: value(),

  // Tasks and batches
  task_not_found: row("Task `{taskUid}` not found", 404),
  batch_not_found: row("Batch `{batchUid}` not found", 404),
  task_file_not_found: row(
    "Task `{taskUid}` has no documents to show: only additions that wait or are being processed have them",
    404,
  ),
  unretrievable_error_code: row("{message}"),
  missing_task_filters: row("Give at least one filter: {accepted}. The value `*` matches every task"),
  invalid_task_uids: value(),
  invalid_batch_uids: value(),
  invalid_task_canceled_by: value(),
  invalid_task_statuses: value(),
  invalid_task_types: value(),
  invalid_task_limit: value(),
  invalid_task_from: value(),
  invalid_task_reverse: value(),
  invalid_task_before_enqueued_at: value(),
  invalid_task_after_enqueued_at: value(),
  invalid_task_before_started_at: value(),
  invalid_task_after_started_at: value(),
  invalid_task_before_finished_at: value(),
  invalid_task_after_finished_at: value(),

  // Export and webhooks
  invalid_export_url: value(),
  invalid_export_api_key: value(),
  invalid_export_payload_size: value(),
  invalid_export_index_filter: value(),
  invalid_export_index_override_settings: value(),
  webhook_not_found: row("Webhook `{uuid}` not found", 404),
  invalid_webhooks: row("No more than {limit} webhooks can be defined"),
  immutable_webhook: row("Webhook `{uuid}` is kept for the launch options and cannot be changed here"),
  invalid_webhook_uuid: value(),
  invalid_webhook_url: value(),
  invalid_webhook_headers: value(),
  immutable_webhook_uuid: immutable(),
  immutable_webhook_is_editable: immutable(),

  // Network
  invalid_network_self: value(),
  invalid_network_sharding: value(),
  invalid_network_remotes: value(),
  invalid_network_url: value(),
  invalid_network_search_api_key: value(),
  invalid_network_write_api_key: value(),
  missing_network_url: missing(),
  network_documents_moving: row("{place}: not yet, as {reason}", 409),
  proxy_bad_request: row("The remote `{remote}` refused the request: {reason}"),
  proxy_invalid_api_key: row("The remote `{remote}` refused the API key", 403, "auth"),
  proxy_bad_response: row(
    "The remote `{remote}` gave an answer that cannot be read: {reason}",
    502,
    "system",
  ),
  proxy_could_not_send_request: row("The remote `{remote}` could not be reached: {reason}", 502, "system"),
  proxy_remote_error: row("The remote `{remote}` failed: {reason}", 502, "system"),
  proxy_timeout: row("The remote `{remote}` did not answer in time", 502, "system"),
} satisfies Record<string, Row>;

function fill(template: string, parameters: ErrorParameters): string {
  return template.replace(/\{(\w+)\}/g, (whole, name) =>
    name in parameters ? String(parameters[name]) : whole,
  );
}

/** Bounds the message, so that no input makes an answer or a log line long. */
function shortened(message: string): string {
  const shorter = message.replace(/`[^`]*`/g, (quoted) => cut(quoted, QUOTED_CHARACTERS_MAX));
  return cut(shorter, MESSAGE_CHARACTERS_MAX);
}

function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax - QUOTED_END_CHARACTERS)}...${text.slice(-QUOTED_END_CHARACTERS)}`;
}
