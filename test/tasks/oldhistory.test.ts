// What the tasks and settings of dumps before V6 tell after the import, where the old words say it otherwise
// than those of today.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { TaskView } from "../../src/tasks/views.ts";
import { type CopyFixture, Place } from "./copyfixture.ts";
import { importArchive } from "./oldlines.ts";
import { ALL } from "./setup.ts";

const place = new Place();
after(() => place.remove());

const DATE = "2022-10-07T11:38:54Z";
const LATER = "2022-10-07T11:38:55Z";
const UUID = "78be64a3-cae1-449e-b7ed-13e77c9a8a0c";

interface History {
  tasks: TaskView[];
  settings: Awaited<ReturnType<CopyFixture["engine"]["settings"]>>;
}

/** Of the one index `teas` in a dump of these files. */
async function historyOf(name: string, files: Record<string, unknown>): Promise<History> {
  const fixture = await importArchive(place, name, files);
  const { results: tasks } = fixture.instance.tasks({}, ALL, null);
  const settings = await fixture.engine.settings(fixture.instance.handle("teas"));
  await fixture.close();
  return { tasks, settings };
}

/** `ended`: fields of updates that are not the same for all. */
function first(name: string, ended: object[], settings: object = {}): Promise<History> {
  const update = { status: "processed", duration: 1, enqueuedAt: DATE, processedAt: LATER };
  return historyOf(name, {
    "metadata.json": { dumpVersion: "V1", indexes: [{ uid: "teas", primaryKey: "sku" }] },
    "teas/settings.json": settings,
    "teas/documents.jsonl": [],
    "teas/updates.jsonl": ended.map((fields) => ({ ...update, ...fields })),
  });
}

/** A dump of V2 or V3. */
function second(name: string, version: "V2" | "V3", ended: object[], settings: object = {}) {
  const update = { status: "processed", enqueuedAt: DATE, startedProcessingAt: DATE, processedAt: LATER };
  const folder = `indexes/${version === "V2" ? "index-" : ""}${UUID}`;
  return historyOf(name, {
    "metadata.json": { dumpVersion: version },
    "index_uuids/data.jsonl": [{ uid: "teas", uuid: UUID }],
    [`${folder}/meta.json`]: { settings, primary_key: "sku" },
    [`${folder}/documents.jsonl`]: [],
    "updates/data.jsonl": ended.map((fields) => ({ uuid: UUID, update: { ...update, ...fields } })),
  });
}

/** A dump of V4 or V5. */
function third(name: string, version: "V4" | "V5", content: object, settings: object = {}) {
  const events = [{ Created: DATE }, { Processing: DATE }];
  const end = { [version === "V4" ? "Succeded" : "Succeeded"]: { result: "Other", timestamp: LATER } };
  return historyOf(name, {
    "metadata.json": { dumpVersion: version },
    "index_uuids/data.jsonl": [{ uid: "teas", index_meta: { uuid: UUID, creation_task_id: 0 } }],
    [`indexes/${UUID}/meta.json`]: { settings, primary_key: "sku" },
    [`indexes/${UUID}/documents.jsonl`]: [],
    "updates/data.jsonl": [{ id: 0, index_uid: "teas", content, events: [...events, end] }],
  });
}

test("updates of V1 spell ranking rules in another way than its settings", async () => {
  const order = [{ Asc: "release_date" }, { Desc: "rank" }];
  const Update = ["Typo", "Words", "Proximity", "Attribute", "WordsPosition", "Exactness", ...order];
  const settings = { ranking_rules: { Update }, stop_words: "Nothing" };
  const { tasks } = await first("rules", [{ type: { name: "Settings", settings } }]);
  const rules = ["typo", "words", "proximity", "attribute", "exactness", "release_date:asc", "rank:desc"];
  assert.deepEqual(tasks[0].details, { rankingRules: rules });
});

test("ranking rules of V1 that are none are left out", async () => {
  const Update = [null, 5, {}, { Asc: "a" }, { Asc: 5 }, "Typo", { Desc: "rank" }];
  const settings = { ranking_rules: { Update } };
  const { tasks } = await first("oddrules", [{ type: { name: "Settings", settings } }]);
  assert.deepEqual(tasks[0].details, { rankingRules: ["a:asc", "typo", "rank:desc"] });
});

test("a webhook with the reserved uuid is not taken from a dump", async () => {
  const webhook = { url: "https://hooks.example.org/", headers: {} };
  const fixture = await importArchive(place, "reserved", {
    "metadata.json": { dumpVersion: "V6", dumpDate: DATE, dbVersion: "1.50.0" },
    "tasks/queue.jsonl": "",
    "webhooks.json": { webhooks: { "00000000-0000-0000-0000-000000000000": webhook, [UUID]: webhook } },
  });
  assert.deepEqual(
    fixture.instance.values("webhook").map(([uuid]) => uuid),
    [UUID],
  );
  await fixture.close();
});

/** The last two are in another order by their code units. */
const NAMES = ["b", "a", "b", "B", "\u{1F375}", "\uFF21"];
const IN_BYTE_ORDER = ["B", "a", "b", "\uFF21", "\u{1F375}"];

test("filterable attributes were a set before V6", async () => {
  const settings = { filterableAttributes: NAMES };
  const update = { settings, is_deletion: false, allow_index_creation: true };
  const histories = [
    await second("set2", "V2", [{ meta: { type: "Settings", ...settings }, success: "Other" }], settings),
    await second("set3", "V3", [{ meta: { Settings: settings }, success: "Other" }], settings),
    await third("set4", "V4", { SettingsUpdate: update }, settings),
    await third("set5", "V5", { SettingsUpdate: { index_uid: "teas", ...update } }, settings),
  ];
  for (const { tasks, settings } of histories) {
    assert.deepEqual(settings.filterableAttributes, IN_BYTE_ORDER);
    assert.deepEqual(tasks[0].details, { filterableAttributes: IN_BYTE_ORDER });
  }
});

test("so were the displayed attributes of V1, and those for facets", async () => {
  const update = { displayed_attributes: { Update: NAMES }, attributes_for_faceting: { Update: NAMES } };
  const { tasks, settings } = await first("set1", [{ type: { name: "Settings", settings: update } }], {
    displayedAttributes: NAMES,
    attributesForFaceting: NAMES,
  });
  const names = ["displayedAttributes", "filterableAttributes", "sortableAttributes"] as const;
  for (const name of names) {
    assert.deepEqual(settings[name], IN_BYTE_ORDER, name);
    assert.deepEqual(tasks[0].details?.[name], IN_BYTE_ORDER, name);
  }
});

test("V1 to V3 tell how many documents a deletion removed, but not how many a clear did", async () => {
  const success = { DocumentDeletion: { deleted: 7 } };
  const histories = [
    await first("clear1", [{ type: { name: "ClearAll" } }]),
    await second("clear2", "V2", [{ meta: { type: "ClearDocuments" }, success }]),
    await second("clear3", "V3", [{ meta: "ClearDocuments", success }]),
  ];
  for (const { tasks } of histories) {
    assert.equal(tasks[0].status, "succeeded");
    assert.deepEqual(tasks[0].details, { deletedDocuments: null });
  }
  const { tasks } = await second("delete3", "V3", [{ meta: { DeleteDocuments: ["1"] }, success }]);
  assert.deepEqual(tasks[0].details, { providedIds: 1, deletedDocuments: 7, originalFilter: null });
});

test("what was aborted in V2 and V3 has never started", async () => {
  const aborted = {
    status: "aborted",
    startedProcessingAt: undefined,
    processedAt: undefined,
    abortedAt: LATER,
  };
  const histories = [
    await second("aborted2", "V2", [{ ...aborted, meta: { type: "ClearDocuments" } }]),
    await second("aborted3", "V3", [{ ...aborted, meta: "ClearDocuments" }]),
  ];
  for (const { tasks } of histories) {
    const [{ status, startedAt, duration, finishedAt }] = tasks;
    assert.deepEqual([status, startedAt, duration, finishedAt], ["failed", null, null, LATER]);
  }
});

/** Code of V1 and V2 -> code of today. */
const CODES = {
  filter: "invalid_settings_filterable_attributes",
  sort: "invalid_settings_sortable_attributes",
  missing_primary_key: "index_primary_key_no_candidate_found",
  invalid_store: "invalid_store_file",
  invalid_token: "invalid_api_key",
  index_not_found: "index_not_found",
  // Codes of V4, and one of today.
  invalid_filter: "unretrievable_error_code",
  invalid_sort: "unretrievable_error_code",
  primary_key_inference_failed: "unretrievable_error_code",
  index_primary_key_already_exists: "unretrievable_error_code",
  index_already_exists: "index_already_exists",
  invalid_index_uid: "invalid_index_uid",
  max_fields_limit_exceeded: "max_fields_limit_exceeded",
  missing_document_id: "missing_document_id",
  invalid_document_id: "invalid_document_id",
  bad_request: "bad_request",
  document_not_found: "document_not_found",
  internal: "internal",
  missing_authorization_header: "missing_authorization_header",
  no_space_left_on_device: "no_space_left_on_device",
  task_not_found: "task_not_found",
  payload_too_large: "payload_too_large",
  dump_process_failed: "dump_process_failed",
  invalid_content_type: "invalid_content_type",
  missing_content_type: "missing_content_type",
  malformed_payload: "malformed_payload",
  missing_payload: "missing_payload",
};

const codesOf = ({ tasks }: History) => tasks.map(({ error }) => error?.code);

test("codes of errors in V1 to V3 are those that the peer knows there", async () => {
  const failed = { status: "failed", processedAt: undefined, failedAt: LATER };
  const codes = Object.keys(CODES);
  const type = { name: "ClearAll" };
  const v1 = codes.map((errorCode) => ({ status: "failed", type, error: "no", errorCode }));
  const meta = { type: "ClearDocuments" };
  const v2 = codes.map((errorCode) => ({ ...failed, meta, error: { message: "no", errorCode } }));
  assert.deepEqual(codesOf(await first("codes1", v1)), Object.values(CODES));
  assert.deepEqual(codesOf(await second("codes2", "V2", v2)), Object.values(CODES));

  const named = ["Filter", "Sort", "PrimaryKeyAlreadyPresent", "InvalidRankingRule", "MalformedDump"];
  const v3 = named.map((code) => ({ ...failed, meta: "ClearDocuments", msg: "no", code }));
  assert.deepEqual(codesOf(await second("codes3", "V3", v3)), [
    CODES.filter,
    CODES.sort,
    "index_primary_key_already_exists",
    "invalid_settings_ranking_rules",
    "unretrievable_error_code",
  ]);
});
