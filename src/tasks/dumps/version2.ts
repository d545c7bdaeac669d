// Reads dumps of the layouts V2 and V3. They differ in the names of files, and in how a task describes its
// work.
//
//   index_uuids/data.jsonl      {uid, uuid}
//   indexes/<uuid>/             (V2: indexes/index-<uuid>/)
//                               meta.json: {settings, primary_key}, documents.jsonl
//   updates/data.jsonl          {uuid of the index, update}; the number of a task is that of its line
//   updates/updates_files/      (V2: updates/update_files/update_<uuid>, a JSON array) documents that wait
import { join } from "../../storage/storage.ts";
import { type Moment, parseMoment } from "../time.ts";
import type { DumpContent, DumpedIndex, DumpedTask } from "./dumpcontent.ts";
import { checkFolders, readJsonLines, readWhole } from "./files.ts";
import { readErrorBeforeV4 } from "./olderrors.ts";
import { readOldSettings } from "./oldsettings.ts";
import { objectOf } from "./put.ts";
import { type BatchLine, isWaiting, type TaskLine } from "./tasklines.ts";
import { taggedOf } from "./taskreading.ts";
import type { DumpFiles } from "./unpackedfiles.ts";

type Fields = Record<string, unknown>;

interface OldTask {
  /** That of the index. */
  uuid: string;
  update: Fields & { status: string; meta: unknown; enqueuedAt: string };
}

/** The work of a task, in its present form. */
interface Work {
  type: TaskLine["type"];
  details: Fields;
  /** File of the documents. */
  content: unknown;
}

export class Version2 implements DumpContent {
  readonly #files: DumpFiles;
  readonly #version: "V2" | "V3";
  readonly #tasks: OldTask[];
  readonly #indexes: { uid: string; uuid: string }[];

  constructor(files: DumpFiles, version: "V2" | "V3") {
    this.#files = files;
    this.#version = version;
    this.#tasks = [...readJsonLines<OldTask>(files, "updates/data.jsonl")];
    this.#indexes = [...readJsonLines<{ uid: string; uuid: string }>(files, "index_uuids/data.jsonl")];
  }

  instanceUid(): null {
    return null;
  }

  part(): null {
    return null;
  }

  *indexes(): Generator<DumpedIndex> {
    const nameOf = (uuid: string) => `${this.#version === "V2" ? "index-" : ""}${uuid}`;
    checkFolders(
      this.#files,
      "indexes",
      this.#indexes.map(({ uuid }) => nameOf(uuid)),
    );
    const firstEnds = this.#firstEnds();
    for (const { uid, uuid } of this.#indexes) {
      const folder = join("indexes", nameOf(uuid));
      const meta = objectOf(JSON.parse(readWhole(this.#files, join(folder, "meta.json"))));
      yield {
        uid,
        primaryKey: meta.primary_key ?? null,
        createdAt: firstEnds.get(uuid) ?? null,
        settings: readOldSettings(meta.settings),
        documents: join(folder, "documents.jsonl"),
      };
    }
  }

  *tasks(): Generator<DumpedTask> {
    const uids = new Map(this.#indexes.map((index) => [index.uuid, index.uid]));
    for (const [uid, { uuid, update }] of this.#tasks.entries()) {
      const work = this.#version === "V2" ? workOfV2(update) : workOfV3(update);
      const waits = isWaiting(update.status);
      const known = uids.get(uuid);
      if (!work || (waits && known === undefined)) continue;
      const payload = waits && work.content ? this.#payload(String(work.content)) : null;
      yield { line: lineOf(uid, known ?? "unknown", update, work, waits, payload !== null), payload };
    }
  }

  batches(): BatchLine[] {
    return [];
  }

  #payload(uuid: string): DumpedTask["payload"] {
    const isV2 = this.#version === "V2";
    const file = isV2 ? `updates/update_files/update_${uuid}` : `updates/updates_files/${uuid}`;
    return this.#files.exists(file) ? { file, format: isV2 ? "json" : "ndjson" } : null;
  }

  /** By index: when the first documents or settings reached it. */
  #firstEnds(): Map<string, Moment> {
    const firstEnds = new Map<string, Moment>();
    for (const { uuid, update } of this.#tasks) {
      const end = typeof update.processedAt === "string" ? parseMoment(update.processedAt) : null;
      if (end !== null) firstEnds.set(uuid, Math.min(end, firstEnds.get(uuid) ?? end));
    }
    return firstEnds;
  }
}

function lineOf(
  uid: number,
  indexUid: string,
  update: OldTask["update"],
  work: Work,
  waits: boolean,
  hasPayload: boolean,
): TaskLine {
  const { status, enqueuedAt, startedProcessingAt } = update;
  const end = update.processedAt ?? update.failedAt ?? update.abortedAt ?? enqueuedAt;
  // An addition whose documents are lost cannot run any more.
  const isLost = waits && "documentImport" in objectOfType(work.type) && !hasPayload;
  const fails = isLost || status === "failed" || status === "aborted";
  const [[tag, fields]] = Object.entries(work.details) as [string, Fields][];
  return {
    uid,
    batchUid: null,
    indexUid,
    status: waits && !isLost ? "enqueued" : fails ? "failed" : "succeeded",
    type: work.type,
    details: { [tag]: { ...fields, ...countersOf(tag, update.success) } },
    ...(fails && {
      error: isLost
        ? readErrorBeforeV4("The documents of the task are not in the dump", "")
        : errorOf(update),
    }),
    enqueuedAt,
    // A task that was never taken up has no start; most of these are aborted updates.
    ...(!waits && { startedAt: startedProcessingAt as string | undefined, finishedAt: String(end) }),
    ...(isLost && { startedAt: enqueuedAt, finishedAt: enqueuedAt }),
  };
}

function objectOfType(type: TaskLine["type"]): Fields {
  return typeof type === "string" ? {} : type;
}

function workOfV2({ meta, content }: OldTask["update"]): Work | null {
  const { type, ...fields } = objectOf(meta);
  switch (type) {
    case "DocumentsAddition":
      return addition(fields, content);
    case "ClearDocuments":
      return clear();
    case "DeleteDocuments":
      return deletion(fields.ids);
    case "Settings":
      return settings(fields);
    default:
      return null;
  }
}

function workOfV3({ meta }: OldTask["update"]): Work | null {
  const [tag, fields] = taggedOf(meta);
  switch (tag) {
    case "DocumentAddition":
      return addition(fields, fields.content_uuid);
    case "ClearDocuments":
      return clear();
    case "DeleteDocuments":
      return deletion(objectOf(meta).DeleteDocuments);
    case "Settings":
      return settings(fields);
    default:
      return null;
  }
}

/** The number of documents was not noted. */
function addition({ primary_key = null, method }: Fields, content: unknown): Work {
  const type = { documentImport: { primary_key, method, documents_count: 0, allow_index_creation: true } };
  return { type, details: { DocumentAdditionOrUpdate: { received_documents: 0 } }, content };
}

function clear(): Work {
  return { type: "documentClear", details: { ClearAll: {} }, content: null };
}

function deletion(ids: unknown): Work {
  const documents_ids = Array.isArray(ids) ? ids.map(String) : [];
  const details = { DocumentDeletion: { provided_ids: documents_ids.length } };
  return { type: { documentDeletion: { documents_ids } }, details, content: null };
}

function settings(fields: Fields): Work {
  const read = readOldSettings(fields);
  const type = { settings: { settings: read, is_deletion: false, allow_index_creation: true } };
  return { type, details: { SettingsUpdate: { settings: read } }, content: null };
}

/**
 * From `{"DocumentsAddition": {"nb_documents": 5}}`, `{"DocumentDeletion": {"deleted": 5}}`, or `"Other"`.
 * The peer uses the second only for deletions by id: how many documents a clear removed is unknown there.
 */
function countersOf(tag: string, success: unknown): Fields {
  const [, { nb_documents, deleted }] = success ? taggedOf(success) : ["", {} as Fields];
  if (tag === "DocumentAdditionOrUpdate" && nb_documents !== undefined)
    return { indexed_documents: nb_documents };
  if (tag === "DocumentDeletion" && deleted !== undefined) return { deleted_documents: deleted };
  return {};
}

function errorOf(update: OldTask["update"]): TaskLine["error"] {
  const { msg, code, error } = update;
  if (typeof error !== "object" || error === null)
    return readErrorBeforeV4(msg ?? error ?? "The task was aborted", code);
  const fields = error as Fields;
  return readErrorBeforeV4(fields.message, fields.code ?? fields.errorCode);
}
