// Reads dumps of the layouts V4 and V5. They differ in where a task names its index.
//
//   index_uuids/data.jsonl      {uid, index_meta: {uuid, creation_task_id}}
//   indexes/<uuid>/             meta.json: {settings, primary_key}, documents.jsonl
//   updates/data.jsonl          tasks, newest first: {id, index_uid?, content, events}
//   updates/updates_files/      <content_uuid>: documents of additions that wait
//   keys, instance-uid
import { join } from "../../storage/storage.ts";
import { parseMoment } from "../time.ts";
import type { DumpContent, DumpedIndex, DumpedTask } from "./dumpcontent.ts";
import { checkFolders, readJsonLines, readWhole } from "./files.ts";
import { readOldError } from "./olderrors.ts";
import { readOldSettings } from "./oldsettings.ts";
import { objectOf } from "./put.ts";
import type { BatchLine, TaskLine } from "./tasklines.ts";
import { taggedOf } from "./taskreading.ts";
import type { DumpFiles } from "./unpackedfiles.ts";

interface OldTask {
  id: number;
  index_uid?: string;
  content: unknown;
  events: Record<string, unknown>[];
}

interface IndexRow {
  uid: string;
  index_meta: { uuid: string; creation_task_id: number };
}

type Fields = Record<string, unknown>;

export class Version4 implements DumpContent {
  readonly #files: DumpFiles;
  readonly #version: "V4" | "V5";
  readonly #tasks: OldTask[];

  constructor(files: DumpFiles, version: "V4" | "V5") {
    this.#files = files;
    this.#version = version;
    const tasks = [...readJsonLines<OldTask>(files, "updates/data.jsonl")];
    this.#tasks = tasks.sort((a, b) => a.id - b.id);
  }

  instanceUid(): string | null {
    return this.#text("instance-uid")?.trim() ?? null;
  }

  part(file: string): string | null {
    const keys = file === "keys.jsonl" ? this.#text("keys") : null;
    return keys === null || this.#version === "V5" ? keys : readKeys(keys);
  }

  *indexes(): Generator<DumpedIndex> {
    const rows = [...readJsonLines<IndexRow>(this.#files, "index_uuids/data.jsonl")];
    for (const { uid, index_meta } of rows)
      if (typeof index_meta?.uuid !== "string")
        throw new TypeError(`it does not tell the folder of the index ${JSON.stringify(uid)}`);
    checkFolders(
      this.#files,
      "indexes",
      rows.map(({ index_meta }) => index_meta.uuid),
    );
    const tasks = new Map(this.#tasks.map((task) => [task.id, task]));
    for (const { uid, index_meta } of rows) {
      const folder = join("indexes", index_meta.uuid);
      const meta = objectOf(JSON.parse(readWhole(this.#files, join(folder, "meta.json"))));
      const creation = tasks.get(index_meta.creation_task_id);
      const created = creation && eventOf(creation.events, "Created");
      yield {
        uid,
        primaryKey: meta.primary_key ?? null,
        createdAt: typeof created === "string" ? parseMoment(created) : null,
        settings: readOldSettings(meta.settings),
        documents: join(folder, "documents.jsonl"),
      };
    }
  }

  *tasks(): Generator<DumpedTask> {
    for (const task of this.#tasks) {
      const line = taskLine(task);
      if (line === null) continue;
      const [, fields] = taggedOf(task.content);
      const file = `updates/updates_files/${fields.content_uuid}`;
      const waits = line.status === "enqueued" && fields.content_uuid !== undefined;
      yield { line, payload: waits && this.#files.exists(file) ? { file, format: "ndjson" } : null };
    }
  }

  batches(): BatchLine[] {
    return [];
  }

  #text(file: string): string | null {
    return this.#files.exists(file) ? readWhole(this.#files, file) : null;
  }
}

/** Keys of V4 had no uid and no name; an action that disappeared with the routes of old dumps is left out. */
function readKeys(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const keys = lines.map((line) => {
    const { id: _, ...key } = objectOf(JSON.parse(line));
    const actions = (Array.isArray(key.actions) ? key.actions : []).filter(
      (action) => action !== "dumps.get",
    );
    return JSON.stringify({ ...key, name: null, uid: globalThis.crypto.randomUUID(), actions });
  });
  return keys.join("\n");
}

/** Null for a task that has no equivalent today. */
function taskLine({ id, index_uid, content, events }: OldTask): TaskLine | null {
  const [tag, fields] = taggedOf(content);
  const read = Object.hasOwn(WORK, tag) ? WORK[tag] : null;
  const work = tag === "DocumentDeletion" ? deletion(objectOf(content)[tag]) : read?.(fields);
  if (!work) return null;
  const success = eventOf(events, "Succeeded") ?? eventOf(events, "Succeded");
  const failure = eventOf(events, "Failed") as Fields | undefined;
  const end = (success ?? failure) as Fields | undefined;
  const [, counters] = success ? taggedOf((success as Fields).result) : ["", {}];
  const started = eventOf(events, "Processing");
  return {
    uid: id,
    batchUid: null,
    indexUid: tag === "Dump" ? null : String(index_uid ?? fields.index_uid),
    status: success ? "succeeded" : failure ? "failed" : "enqueued",
    type: work.type,
    details: detailsOf(work, counters, end === undefined),
    ...(failure && { error: errorOf(failure) }),
    enqueuedAt: String(eventOf(events, "Created")),
    ...(end && { startedAt: String(started ?? end.timestamp), finishedAt: String(end.timestamp) }),
  };
}

interface Work {
  type: TaskLine["type"];
  details: [tag: string, fields: Fields];
}

/** Content of an old task -> its type and details in their present form. */
const WORK: Record<string, (fields: Fields) => Work> = {
  DocumentAddition: ({ merge_strategy, primary_key, documents_count, allow_index_creation }) => ({
    type: { documentImport: { primary_key, method: merge_strategy, documents_count, allow_index_creation } },
    details: ["DocumentAdditionOrUpdate", { received_documents: documents_count, indexed_documents: 0 }],
  }),
  SettingsUpdate: ({ settings, is_deletion, allow_index_creation }) => ({
    type: { settings: { settings: readOldSettings(settings), is_deletion, allow_index_creation } },
    details: ["SettingsUpdate", { settings: readOldSettings(settings) }],
  }),
  IndexDeletion: () => ({ type: "indexDeletion", details: ["ClearAll", { deleted_documents: 0 }] }),
  IndexCreation: ({ primary_key }) => {
    return { type: { indexCreation: { primary_key } }, details: ["IndexInfo", { primary_key }] };
  },
  IndexUpdate: ({ primary_key }) => {
    return { type: { indexUpdate: { primary_key, uid: null } }, details: ["IndexInfo", { primary_key }] };
  },
  Dump: ({ uid }) => {
    return { type: { dumpCreation: { keys: [], instance_uid: null } }, details: ["Dump", { dump_uid: uid }] };
  },
};

/** `"Clear"` or `{"Ids": [...]}`; V5 has it in a field `deletion`. */
function deletion(value: unknown): Work {
  const fields = typeof value === "string" ? { deletion: value } : objectOf(value);
  const [tag] = taggedOf(fields.deletion ?? fields);
  if (tag === "Clear") return { type: "documentClear", details: ["ClearAll", { deleted_documents: 0 }] };
  const ids = Object.values(objectOf(fields.deletion ?? fields))[0];
  const documents_ids = Array.isArray(ids) ? ids.map(String) : [];
  const details = { provided_ids: documents_ids.length, deleted_documents: 0 };
  return { type: { documentDeletion: { documents_ids } }, details: ["DocumentDeletion", details] };
}

function detailsOf({ details: [tag, fields] }: Work, counters: Fields, waits: boolean): Fields {
  return {
    [tag]: waits
      ? { ...fields, indexed_documents: null, deleted_documents: null }
      : { ...fields, ...counters },
  };
}

function eventOf(events: Record<string, unknown>[], tag: string): unknown {
  return events.find((event) => tag in event)?.[tag];
}

function errorOf({ error }: Fields): TaskLine["error"] {
  const { message, code } = objectOf(error);
  return readOldError(message, code);
}
