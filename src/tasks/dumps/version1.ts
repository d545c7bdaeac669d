// Reads dumps of the layout V1: a folder per index, and a metadata.json that lists them.
//
//   <uid>/settings.json, <uid>/documents.jsonl
//   <uid>/updates.jsonl   {status, updateId, type: {name, ...}, duration, enqueuedAt, processedAt}
//                         the duration in seconds
import { join } from "../../storage/storage.ts";
import { momentText, parseMoment } from "../time.ts";
import type { DumpContent, DumpedIndex, DumpedTask } from "./dumpcontent.ts";
import { checkFolders, readJsonLinesIfAny, readWhole } from "./files.ts";
import { readErrorBeforeV4 } from "./olderrors.ts";
import { readSettingsOfV1, readUpdateOfV1 } from "./oldsettings.ts";
import { objectOf } from "./put.ts";
import type { BatchLine, TaskLine } from "./tasklines.ts";
import type { DumpFiles } from "./unpackedfiles.ts";

type Fields = Record<string, unknown>;

interface OldTask {
  status: string;
  type: Fields & { name: string; number?: number };
  error?: string;
  errorCode?: string;
  duration?: number;
  enqueuedAt: string;
  processedAt?: string;
}

const MICROSECONDS_PER_SECOND = 1e6;

export class Version1 implements DumpContent {
  readonly #files: DumpFiles;
  readonly #indexes: Fields[];

  constructor(files: DumpFiles, metadata: Fields) {
    this.#files = files;
    if (!Array.isArray(metadata.indexes)) throw new TypeError("its metadata has no list of indexes");
    this.#indexes = metadata.indexes.map(objectOf);
  }

  instanceUid(): null {
    return null;
  }

  part(): null {
    return null;
  }

  *indexes(): Generator<DumpedIndex> {
    const named = this.#indexes.map(({ uid }) => String(uid));
    checkFolders(this.#files, "", named, "documents.jsonl");
    for (const { uid, primaryKey = null, createdAt } of this.#indexes) {
      const folder = String(uid);
      yield {
        uid,
        primaryKey,
        createdAt: typeof createdAt === "string" ? parseMoment(createdAt) : null,
        settings: readSettingsOfV1(JSON.parse(readWhole(this.#files, join(folder, "settings.json")))),
        documents: join(folder, "documents.jsonl"),
      };
    }
  }

  /** Only ended tasks are read: waiting ones were kept without their documents. */
  *tasks(): Generator<DumpedTask> {
    let uid = 0;
    for (const index of this.#indexes) {
      const updates = `${index.uid}/updates.jsonl`;
      for (const task of readJsonLinesIfAny<OldTask>(this.#files, updates)) {
        const work = workOf(task.type);
        if (task.status === "enqueued" || !work) continue;
        yield { line: lineOf(uid++, String(index.uid), task, work), payload: null };
      }
    }
  }

  batches(): BatchLine[] {
    return [];
  }
}

type Work = Pick<TaskLine, "type" | "details">;

function workOf({ name, number = 0, settings }: OldTask["type"]): Work | null {
  switch (name) {
    case "DocumentsAddition":
    case "DocumentsPartial": {
      const method = name === "DocumentsAddition" ? "ReplaceDocuments" : "UpdateDocuments";
      const details = { DocumentAdditionOrUpdate: { received_documents: 0, indexed_documents: number } };
      return { type: { documentImport: { primary_key: null, method, documents_count: 0 } }, details };
    }
    case "DocumentsDeletion": {
      const details = { DocumentDeletion: { provided_ids: 0, deleted_documents: number } };
      return { type: { documentDeletion: { documents_ids: [] } }, details };
    }
    case "ClearAll":
      return { type: "documentClear", details: { ClearAll: {} } };
    case "Settings": {
      const read = readUpdateOfV1(settings);
      return { type: { settings: { settings: read } }, details: { SettingsUpdate: { settings: read } } };
    }
    default:
      return null;
  }
}

function lineOf(uid: number, indexUid: string, task: OldTask, work: Work): TaskLine {
  const { status, error, errorCode, duration = 0, enqueuedAt, processedAt = enqueuedAt } = task;
  const finishedAt = parseMoment(processedAt) ?? 0;
  const startedAt = Math.max(0, finishedAt - Math.round(duration * MICROSECONDS_PER_SECOND));
  const fails = status === "failed";
  return {
    uid,
    batchUid: null,
    indexUid,
    status: fails ? "failed" : "succeeded",
    ...work,
    details: fails ? withoutCounts(work.details) : work.details,
    ...(fails && { error: readErrorBeforeV4(error, errorCode) }),
    enqueuedAt,
    startedAt: momentText(startedAt),
    finishedAt: processedAt,
  };
}

/** A failed task has changed nothing. */
function withoutCounts(details: TaskLine["details"]): TaskLine["details"] {
  const [[tag, fields]] = Object.entries(details ?? {}) as [string, Fields][];
  const { indexed_documents: _, deleted_documents: __, ...rest } = fields;
  return { [tag]: rest };
}
