// How every row of the table of errors is provoked: by a request, by a task, or, where a real provocation
// needs a failing disk or another server, by the test that has one. Used by errors.test.ts.
import type { ErrorCode } from "../../src/errors.ts";

/** A request, answered with the error. */
export interface Ask {
  ask: string;
  body?: unknown;
  /** Instead of those that come with a body. */
  headers?: Record<string, string>;
  /** Without the master key. */
  isAnonymous?: true;
}

export type Way =
  | Ask
  /** A request whose task fails with it. */
  | { task: string; body?: unknown }
  /** The test file that provokes it. */
  | { test: string };

const search = (body: unknown, index = "i"): Way => ({ ask: `POST /indexes/${index}/search`, body });
const facetSearch = (body: unknown, index = "i"): Way => ({
  ask: `POST /indexes/${index}/facet-search`,
  body,
});
const similar = (body: object): Way => ({
  ask: "POST /indexes/i/similar",
  body: { id: 1, embedder: "e", ...body },
});
const federated = (federation: object, ...queries: object[]): Way => ({
  ask: "POST /multi-search",
  body: { federation, queries: queries.map((query) => ({ indexUid: "i", ...query })) },
});
const fields = (filter: unknown): Way => ({ ask: "POST /indexes/i/fields", body: { filter } });
const settings = (body: unknown): Way => ({ ask: "PATCH /indexes/i/settings", body });
const add = (...documents: unknown[]): Way => ({ task: "POST /indexes/i/documents", body: documents });
const addition = (parameters: string): Way => ({ ask: `POST /indexes/i/documents?${parameters}`, body: [] });
const tasks = (parameters: string): Way => ({ ask: `GET /tasks?${parameters}` });
const fetch = (body: unknown): Way => ({ ask: "POST /indexes/i/documents/fetch", body });
const edit = (body: object): Way => ({ ask: "POST /indexes/i/documents/edit", body });
const key = (body: object): Way => ({
  ask: "POST /keys",
  body: { actions: ["*"], indexes: ["*"], expiresAt: null, ...body },
});
const changedKey = (body: object): Way => ({ ask: "PATCH /keys/KEY", body });
const webhook = (body: object): Way => ({ ask: "POST /webhooks", body });
const network = (body: object): Way => ({ ask: "PATCH /network", body });
const exported = (body: object): Way => ({ ask: "POST /export", body: { url: "http://localhost", ...body } });

const NO_UUID = "00000000-0000-4000-8000-000000000000";
const JSON_TYPE = { "content-type": "application/json" };

const remotes = { test: "network/remotes.test" };

export const ERROR_WAYS: Record<ErrorCode, Way> = {
  bad_request: { ask: "POST /indexes/i/search", body: { unknown: 1 } },
  malformed_payload: { ask: "POST /indexes/i/documents", body: "[", headers: JSON_TYPE },
  missing_payload: { ask: "POST /indexes/i/search", body: "", headers: JSON_TYPE },
  missing_content_type: { ask: "POST /indexes/i/documents", body: "[]", headers: {} },
  invalid_content_type: {
    ask: "POST /indexes/i/documents",
    body: "a",
    headers: { "content-type": "text/x" },
  },
  payload_too_large: search({ q: "x".repeat(2 ** 21) }),
  feature_not_enabled: { ask: "GET /metrics" },
  request_timeout: { test: "engine/deadline.test" },
  too_many_search_requests: { test: "http/searchqueue.test" },

  internal: { test: "tasks/outcomes.test" },
  aborted: { test: "engine/threads.test" },
  server_closing: { test: "http/errors.test" },
  io_error: { test: "crash/disk.test" },
  too_many_open_files: { test: "storage/storage.test" },
  commit_in_doubt: { test: "crash/disk.test" },
  no_space_left_on_device: { test: "crash/disk.test" },
  folder_in_use: { test: "http/errors.test" },
  invalid_store_file: { test: "engine/damage.test" },
  search_memory_exceeded: { test: "segment/cache.test" },
  dump_process_failed: { test: "tasks/olddumps.test" },
  invalid_archive: { test: "storage/archive.test" },
  database_refused: { test: "tasks/dumps.test" },

  missing_authorization_header: { ask: "GET /indexes", isAnonymous: true },
  invalid_api_key: { ask: "GET /indexes", headers: { authorization: "Bearer x" }, isAnonymous: true },
  missing_master_key: { test: "http/errors.test" },
  api_key_not_found: { ask: `GET /keys/${NO_UUID}` },
  api_key_already_exists: key({ uid: "KEY" }),
  index_scoped_api_key_with_global_action: key({ indexes: ["i"], actions: ["webhooks.get"] }),
  invalid_api_key_name: key({ name: 1 }),
  invalid_api_key_description: key({ description: 1 }),
  invalid_api_key_uid: key({ uid: "x" }),
  invalid_api_key_actions: key({ actions: ["x"] }),
  invalid_api_key_indexes: key({ indexes: ["?"] }),
  invalid_api_key_expires_at: key({ expiresAt: "x" }),
  invalid_api_key_limit: { ask: "GET /keys?limit=x" },
  invalid_api_key_offset: { ask: "GET /keys?offset=x" },
  missing_api_key_actions: { ask: "POST /keys", body: { indexes: ["*"], expiresAt: null } },
  missing_api_key_indexes: { ask: "POST /keys", body: { actions: ["*"], expiresAt: null } },
  missing_api_key_expires_at: { ask: "POST /keys", body: { actions: ["*"], indexes: ["*"] } },
  immutable_api_key_uid: changedKey({ uid: NO_UUID }),
  immutable_api_key_actions: changedKey({ actions: ["*"] }),
  immutable_api_key_indexes: changedKey({ indexes: ["*"] }),
  immutable_api_key_expires_at: changedKey({ expiresAt: null }),
  immutable_api_key_created_at: changedKey({ createdAt: "x" }),
  immutable_api_key_updated_at: changedKey({ updatedAt: "x" }),

  index_not_found: { ask: "GET /indexes/none" },
  index_already_exists: { task: "POST /indexes", body: { uid: "i" } },
  missing_index_uid: { ask: "POST /indexes", body: {} },
  invalid_index_uid: { ask: "GET /indexes/i%20i" },
  invalid_index_primary_key: { ask: "POST /indexes", body: { uid: "x", primaryKey: 1 } },
  invalid_index_limit: { ask: "GET /indexes?limit=x" },
  invalid_index_offset: { ask: "GET /indexes?offset=x" },
  invalid_index_fields_filter: fields(1),
  invalid_index_fields_filter_attribute_patterns: fields({ attributePatterns: 1 }),
  invalid_index_fields_filter_displayed: fields({ displayed: 1 }),
  invalid_index_fields_filter_searchable: fields({ searchable: 1 }),
  invalid_index_fields_filter_sortable: fields({ sortable: 1 }),
  invalid_index_fields_filter_distinct: fields({ distinct: 1 }),
  invalid_index_fields_filter_ranking_rule: fields({ rankingRule: 1 }),
  invalid_index_fields_filter_filterable: fields({ filterable: 1 }),
  invalid_index_custom_metadata: { test: "http/errors.test" },
  invalid_skip_creation: addition("skipCreation=x"),
  invalid_stats_show_internal_database_sizes: { ask: "GET /stats?showInternalDatabaseSizes=x" },
  invalid_stats_size_format: { ask: "GET /stats?sizeFormat=x" },
  immutable_index_created_at: { ask: "PATCH /indexes/i", body: { createdAt: "x" } },
  immutable_index_updated_at: { ask: "PATCH /indexes/i", body: { updatedAt: "x" } },
  index_primary_key_already_exists: { task: "PATCH /indexes/i", body: { primaryKey: "other" } },
  index_primary_key_no_candidate_found: { task: "POST /indexes/new/documents", body: [{ a: 1 }] },
  index_primary_key_multiple_candidates_found: {
    task: "POST /indexes/new/documents",
    body: [{ a_id: 1, b_id: 2 }],
  },
  document_too_large: { test: "engine/largedocument.test" },
  max_fields_limit_exceeded: {
    task: "POST /indexes/wide/documents",
    body: [{ id: 1, ...Object.fromEntries(Array.from({ length: 66_000 }, (_, n) => [`f${n}`, 0])) }],
  },
  missing_swap_indexes: { ask: "POST /swap-indexes", body: [{}] },
  invalid_swap_indexes: { ask: "POST /swap-indexes", body: [{ indexes: ["i"] }] },
  invalid_swap_rename: { ask: "POST /swap-indexes", body: [{ indexes: ["i", "j"], rename: 1 }] },
  invalid_swap_duplicate_index_found: { ask: "POST /swap-indexes", body: [{ indexes: ["i", "i"] }] },

  document_not_found: { ask: "GET /indexes/i/documents/none" },
  invalid_document_id: add({ id: "not one" }),
  missing_document_id: add({ n: 1 }),
  invalid_document_ids: fetch({ ids: 1 }),
  invalid_document_fields: fetch({ fields: 1 }),
  invalid_document_filter: fetch({ filter: "n >" }),
  invalid_document_sort: fetch({ sort: 1 }),
  invalid_document_limit: fetch({ limit: -1 }),
  invalid_document_offset: fetch({ offset: -1 }),
  invalid_document_retrieve_vectors: fetch({ retrieveVectors: 1 }),
  invalid_document_csv_delimiter: addition("csvDelimiter=xx"),
  invalid_document_use_network: fetch({ useNetwork: 1 }),
  invalid_document_geo_field: add({ id: 1, _geo: 1 }),
  invalid_document_geojson_field: add({ id: 1, _geojson: 1 }),
  invalid_vectors_type: add({ id: 1, _vectors: 1 }),
  invalid_vector_dimensions: add({ id: 1, _vectors: { e: [1] } }),
  too_many_vectors: add({
    id: 1,
    _vectors: { e: { regenerate: false, embeddings: Array.from({ length: 300 }, () => [1, 1]) } },
  }),
  vector_embedding_error: add({ id: 7 }),
  missing_document_edition_function: edit({}),
  invalid_document_edition_function_filter: edit({ function: 1 }),
  invalid_document_edition_context: edit({ function: "doc.a = 1", context: 1 }),
  edit_documents_by_function_error: { task: "POST /indexes/i/documents/edit", body: { function: "throw 1" } },

  invalid_search_q: search({ q: 1 }),
  invalid_search_offset: search({ offset: -1 }),
  invalid_search_limit: search({ limit: -1 }),
  invalid_search_page: search({ page: -1 }),
  invalid_search_hits_per_page: search({ hitsPerPage: -1 }),
  invalid_search_attributes_to_retrieve: search({ attributesToRetrieve: 1 }),
  invalid_search_attributes_to_crop: search({ attributesToCrop: 1 }),
  invalid_search_crop_length: search({ cropLength: -1 }),
  invalid_search_crop_marker: search({ cropMarker: 1 }),
  invalid_search_attributes_to_highlight: search({ attributesToHighlight: 1 }),
  invalid_search_highlight_pre_tag: search({ highlightPreTag: 1 }),
  invalid_search_highlight_post_tag: search({ highlightPostTag: 1 }),
  invalid_search_show_matches_position: search({ showMatchesPosition: 1 }),
  invalid_search_filter: search({ filter: "x = 1" }),
  invalid_search_sort: search({ sort: ["x:asc"] }),
  invalid_search_distinct: search({ distinct: "x" }),
  invalid_search_facets: search({ facets: ["x"] }),
  invalid_search_matching_strategy: search({ matchingStrategy: "x" }),
  invalid_search_attributes_to_search_on: search({ q: "a", attributesToSearchOn: ["x"] }, "j"),
  invalid_search_ranking_score_threshold: search({ rankingScoreThreshold: 2 }),
  invalid_search_locales: search({ locales: ["x"] }),
  invalid_search_hybrid_query: search({ hybrid: 1 }),
  invalid_search_embedder: search({ q: "a", hybrid: { embedder: "x" } }),
  invalid_search_semantic_ratio: search({ hybrid: { embedder: "e", semanticRatio: 2 } }),
  invalid_search_vector: search({ vector: 1 }),
  invalid_search_retrieve_vectors: search({ retrieveVectors: 1 }),
  invalid_search_personalize: search({ personalize: 1 }),
  invalid_search_personalize_user_context: search({ personalize: { userContext: 1 } }),
  invalid_search_use_network: search({ useNetwork: 1 }),
  invalid_search_show_ranking_score: search({ showRankingScore: 1 }),
  invalid_search_show_ranking_score_details: search({ showRankingScoreDetails: 1 }),
  invalid_search_show_performance_details: search({ showPerformanceDetails: 1 }),
  missing_search_hybrid: search({ vector: [1, 1] }),
  invalid_search_media_and_vector: search({ media: {}, vector: [1, 1], hybrid: { embedder: "e" } }),
  missing_facet_search_facet_name: facetSearch({}),
  invalid_facet_search_facet_name: facetSearch({ facetName: 1 }),
  invalid_facet_search_query: facetSearch({ facetName: "n", facetQuery: 1 }),
  invalid_facet_search_exhaustive_facet_count: facetSearch({ facetName: "n", exhaustiveFacetCount: 1 }),
  facet_search_disabled: facetSearch({ facetName: "n" }, "j"),
  invalid_similar_id: similar({ id: [] }),
  invalid_similar_embedder: similar({ embedder: "x" }),
  invalid_similar_attributes_to_retrieve: similar({ attributesToRetrieve: 1 }),
  invalid_similar_filter: similar({ filter: "x = 1" }),
  invalid_similar_limit: similar({ limit: -1 }),
  invalid_similar_offset: similar({ offset: -1 }),
  invalid_similar_ranking_score_threshold: similar({ rankingScoreThreshold: 2 }),
  invalid_similar_retrieve_vectors: similar({ retrieveVectors: 1 }),
  invalid_similar_show_ranking_score: similar({ showRankingScore: 1 }),
  invalid_similar_show_ranking_score_details: similar({ showRankingScoreDetails: 1 }),
  invalid_similar_show_performance_details: similar({ showPerformanceDetails: 1 }),
  not_found_similar_id: similar({ id: "none" }),
  invalid_multi_search_federation_options: federated(
    {},
    { useNetwork: true, federationOptions: { remote: "x" } },
  ),
  invalid_multi_search_query_pagination: federated({}, { limit: 1 }),
  invalid_multi_search_query_facets: federated({}, { facets: ["n"] }),
  invalid_multi_search_query_ranking_rules: federated(
    {},
    { q: "a", sort: ["n:asc"] },
    { q: "a", sort: ["n:desc"] },
  ),
  invalid_multi_search_query_position: federated({}, { federationOptions: { queryPosition: -1 } }),
  invalid_multi_search_query_personalization: federated({}, { personalize: { userContext: "a" } }),
  invalid_multi_search_query_show_performance_details: federated({}, { showPerformanceDetails: true }),
  invalid_multi_search_distinct: federated({ distinct: "n" }, { distinct: "n" }),
  invalid_multi_search_facets_by_index: federated({ facetsByIndex: 1 }, {}),
  invalid_multi_search_merge_facets: federated({ mergeFacets: 1 }, {}),
  invalid_multi_search_max_values_per_facet: federated({ mergeFacets: { maxValuesPerFacet: -1 } }, {}),
  invalid_multi_search_facet_order: federated(
    { mergeFacets: {}, facetsByIndex: { i: ["n"], j: ["n"] } },
    {},
    { indexUid: "j" },
  ),
  invalid_multi_search_weight: federated({}, { federationOptions: { weight: -1 } }),
  invalid_multi_search_remote: federated({}, { federationOptions: { remote: "x" } }),

  invalid_settings_displayed_attributes: settings({ displayedAttributes: 1 }),
  invalid_settings_searchable_attributes: settings({ searchableAttributes: 1 }),
  invalid_settings_filterable_attributes: settings({ filterableAttributes: 1 }),
  invalid_settings_sortable_attributes: settings({ sortableAttributes: 1 }),
  invalid_settings_foreign_keys: settings({ foreignKeys: 1 }),
  invalid_settings_ranking_rules: settings({ rankingRules: ["x"] }),
  invalid_settings_stop_words: settings({ stopWords: 1 }),
  invalid_settings_non_separator_tokens: settings({ nonSeparatorTokens: 1 }),
  invalid_settings_separator_tokens: settings({ separatorTokens: 1 }),
  invalid_settings_dictionary: settings({ dictionary: 1 }),
  invalid_settings_synonyms: settings({ synonyms: 1 }),
  invalid_settings_distinct_attribute: settings({ distinctAttribute: 1 }),
  invalid_settings_proximity_precision: settings({ proximityPrecision: 1 }),
  invalid_settings_typo_tolerance: settings({ typoTolerance: 1 }),
  invalid_settings_faceting: settings({ faceting: 1 }),
  invalid_settings_pagination: settings({ pagination: 1 }),
  invalid_settings_embedders: settings({ embedders: 1 }),
  invalid_settings_search_cutoff_ms: settings({ searchCutoffMs: -1 }),
  invalid_settings_localized_attributes: settings({ localizedAttributes: 1 }),
  invalid_settings_facet_search: settings({ facetSearch: 1 }),
  invalid_settings_prefix_search: settings({ prefixSearch: 1 }),
  invalid_settings_index_chat: settings({ chat: 1 }),
  invalid_chat_setting_document_template: {
    task: "PATCH /indexes/i/settings",
    body: { chat: { documentTemplate: "{{" } },
  },

  task_not_found: { ask: "GET /tasks/99999" },
  batch_not_found: { ask: "GET /batches/99999" },
  task_file_not_found: { test: "http/taskdocuments.test" },
  unretrievable_error_code: { test: "tasks/olddumps.test" },
  missing_task_filters: { ask: "POST /tasks/cancel" },
  invalid_task_uids: tasks("uids=x"),
  invalid_batch_uids: tasks("batchUids=x"),
  invalid_task_canceled_by: tasks("canceledBy=x"),
  invalid_task_statuses: tasks("statuses=x"),
  invalid_task_types: tasks("types=x"),
  invalid_task_limit: tasks("limit=x"),
  invalid_task_from: tasks("from=x"),
  invalid_task_reverse: tasks("reverse=x"),
  invalid_task_before_enqueued_at: tasks("beforeEnqueuedAt=x"),
  invalid_task_after_enqueued_at: tasks("afterEnqueuedAt=x"),
  invalid_task_before_started_at: tasks("beforeStartedAt=x"),
  invalid_task_after_started_at: tasks("afterStartedAt=x"),
  invalid_task_before_finished_at: tasks("beforeFinishedAt=x"),
  invalid_task_after_finished_at: tasks("afterFinishedAt=x"),

  invalid_export_url: exported({ url: 1 }),
  invalid_export_api_key: exported({ apiKey: 1 }),
  invalid_export_payload_size: exported({ payloadSize: "x" }),
  invalid_export_index_filter: exported({ indexes: { "*": { filter: 1 } } }),
  invalid_export_index_override_settings: exported({ indexes: { "*": { overrideSettings: 1 } } }),
  webhook_not_found: { ask: `GET /webhooks/${NO_UUID}` },
  invalid_webhooks: { test: "http/webhooks.test" },
  immutable_webhook: { test: "http/webhooks.test" },
  invalid_webhook_uuid: { ask: "GET /webhooks/x" },
  invalid_webhook_url: webhook({ url: "x" }),
  invalid_webhook_headers: webhook({ url: "http://localhost", headers: 1 }),
  immutable_webhook_uuid: webhook({ url: "http://localhost", uuid: NO_UUID }),
  immutable_webhook_is_editable: webhook({ url: "http://localhost", isEditable: true }),

  invalid_network_self: network({ self: 1 }),
  invalid_network_sharding: network({ sharding: 1 }),
  invalid_network_remotes: network({ remotes: 1 }),
  invalid_network_url: network({ remotes: { a: { url: 1 } } }),
  invalid_network_search_api_key: network({ remotes: { a: { searchApiKey: 1 } } }),
  invalid_network_write_api_key: network({ remotes: { a: { writeApiKey: 1 } } }),
  network_documents_moving: { test: "network/heldwrites.test" },
  missing_network_url: network({ remotes: { a: {} } }),
  proxy_bad_request: remotes,
  proxy_invalid_api_key: remotes,
  proxy_bad_response: remotes,
  proxy_could_not_send_request: remotes,
  proxy_remote_error: remotes,
  proxy_timeout: remotes,
};
