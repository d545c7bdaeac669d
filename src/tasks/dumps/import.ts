// Builds a data folder from a dump: called when the server starts, for a new folder that becomes the database
// only if all of it succeeds (src/tasks/opening.ts). Reads dumps of all versions, and trusts nothing in them.
import { Readable } from "node:stream";
import type { Engine } from "../../engine/engine.ts";
import { messageOf, TarsierError } from "../../errors.ts";
import { transcribe } from "../../ingest/payload.ts";
import { isIndexUid } from "../../schemas/indexuid.ts";
import { unpackArchive } from "../../storage/archivereader.ts";
import { isMissing } from "../../storage/failure.ts";
import { piecesOf } from "../../storage/filepieces.ts";
import type { Storage } from "../../storage/storage.ts";
import { pack } from "../codec.ts";
import { BuildRefusal, blankAsNone, buildIndex, NDJSON } from "../indexbuilding.ts";
import { newFolder } from "../indexfolders.ts";
import { Journal } from "../journal.ts";
import { KEY_KIND, type StoredKey } from "../keys.ts";
import { indexUidOf, touchedIndexes } from "../kinds.ts";
import { Payloads } from "../payloads.ts";
import type { JournalRecord } from "../records.ts";
import type { Task, TaskRecord } from "../task.ts";
import { Clock } from "../time.ts";
import { openContent } from "./content.ts";
import type { DumpContent, DumpedIndex, DumpedTask } from "./dumpcontent.ts";
import { keyLine } from "./keylines.ts";
import { DUMP_PARTS } from "./parts.ts";
import { readSettings } from "./settingsreading.ts";
import { isUnbuiltBatch, readBatch, readTask, readTaskUid } from "./taskreading.ts";
import { type DumpFiles, UnpackedFiles } from "./unpackedfiles.ts";

interface DumpImport {
  /** Path of the dump. */
  path: string;
  /** That of the new folder, and an engine that works in it. */
  storage: Storage;
  engine: Engine;
  /** The same folder, for files that need not outlive a crash: syncing thousands of them takes long. */
  passing: Storage;
}

const UNPACKED = "unpacked";
/** Records of the journal between two syncs. */
const GROUP_RECORDS = 10_000;

/** @throws TarsierError; the content of the folder is then useless */
export async function importDump({ path, storage, engine, passing }: DumpImport): Promise<void> {
  passing.makeFolder(UNPACKED);
  const files = new UnpackedFiles(passing, UNPACKED);
  await unpackArchive(path, files, "");
  try {
    const journal = Journal.open(storage);
    try {
      await new Import({ storage, files, engine, journal }).run(openContent(files));
    } finally {
      await journal.close();
    }
  } catch (cause) {
    if (isMissing(cause)) {
      throw refusal(`\`${path}\` has no file \`${cause.file}\`, which every dump of its version has`);
    }
    throw cause instanceof TarsierError ? cause : refusal(cause);
  }
  storage.removeFolder(UNPACKED);
}

interface ImportParts {
  /** That of the new folder. */
  storage: Storage;
  /** Those of the dump. */
  files: DumpFiles;
  engine: Engine;
  journal: Journal;
}

class Import {
  readonly #files: DumpFiles;
  readonly #engine: Engine;
  readonly #journal: Journal;
  readonly #payloads: Payloads;
  readonly #clock = new Clock();
  #records = 0;
  #lastTask = -1;
  #lastBatch = -1;
  #written: Promise<void> = Promise.resolve();

  constructor({ storage, files, engine, journal }: ImportParts) {
    this.#files = files;
    this.#engine = engine;
    this.#journal = journal;
    this.#payloads = new Payloads(storage);
  }

  async run(content: DumpContent): Promise<void> {
    const uid = content.instanceUid();
    if (uid !== null) await this.#write({ type: "instance", uid });
    for (const { file, read } of DUMP_PARTS) {
      const text = content.part(file);
      if (text === null) continue;
      const puts = about(file, () => read(text));
      for (const [kind, key, value] of puts) await this.#write({ type: "put", kind, key, value });
    }
    for (const index of content.indexes()) await this.#importIndex(index);
    for (const line of content.batches()) {
      const batch = about(`batch ${line.uid}`, () => readBatch(line));
      if (batch.uid <= this.#lastBatch) throw refusal(`batch ${batch.uid} comes after ${this.#lastBatch}`);
      this.#lastBatch = batch.uid;
      if (isUnbuiltBatch(line)) continue;
      await this.#write({ type: "batch", batch });
    }
    for (const task of content.tasks()) await this.#importTask(task);
    // Numbers of tasks and batches that were left out are taken, too.
    await this.#write({ type: "next", taskUid: this.#lastTask + 1, batchUid: this.#lastBatch + 1 });
    await this.#written;
  }

  async #importIndex({ uid, primaryKey, createdAt, settings, documents }: DumpedIndex): Promise<void> {
    const { catalog } = this.#journal.state;
    await this.#written;
    if (typeof uid !== "string" || !isIndexUid(uid) || catalog.has(uid))
      throw refusal(`its index ${JSON.stringify(uid)} has no uid of its own`);
    if (typeof primaryKey !== "string" && primaryKey !== null)
      throw refusal(`the primary key of index \`${uid}\` is no text`);
    const folder = newFolder();
    const patch = about(`the settings of index \`${uid}\``, () => readSettings(settings, true));
    const description = await buildIndex(
      { storage: this.#files, engine: this.#engine, payloads: this.#payloads },
      { folder, uid, primaryKey, patch, documents },
    ).catch((cause) => {
      if (cause instanceof BuildRefusal) throw refusal(cause);
      // Only content is the fault of the dump; a full disk, for example, is not.
      const isContent = cause instanceof TarsierError && cause.code === "malformed_payload";
      throw isContent ? refusal(`the documents of index \`${uid}\`: ${cause.message}`) : cause;
    });
    const updatedAt = this.#clock.now();
    const entry = { folder, createdAt: createdAt ?? updatedAt, updatedAt, description };
    await this.#write({ type: "catalog", changes: [{ uid, entry }] });
  }

  async #importTask({ line, payload }: DumpedTask): Promise<void> {
    const uid = about(`task ${line.uid}`, () => readTaskUid(line));
    if (uid <= this.#lastTask) throw refusal(`task ${uid} comes after task ${this.#lastTask}`);
    this.#lastTask = uid;
    const task = about(`task ${uid}`, () => readTask(line));
    if (task === null) return;
    const { kind } = task;
    let inline: Uint8Array | null = null;
    if (task.status === "enqueued" && kind.type === "documentAdditionOrUpdate") {
      if (payload === null && kind.documentsCount > 0) {
        throw refusal(`the documents of task ${task.uid}, which waits, are missing`);
      }
      if (payload !== null) {
        const { bytes, ...kept } = await this.#keepPayload(payload);
        task.kind = { ...kind, ...kept };
        inline = bytes;
      }
    }
    if (task.status === "enqueued" && kind.type === "dumpCreation" && kind.keys.length === 0) {
      // Versions that did not note the keys took those of the moment when the task ran.
      const keys = [...this.#journal.state.values(KEY_KIND).values()] as StoredKey[];
      task.kind = { ...kind, keys: keys.map(keyLine) };
    }
    await this.#write({ type: "task", task: recordOf(task, inline) });
  }

  async #keepPayload({ file: name, format }: NonNullable<DumpedTask["payload"]>) {
    const file = this.#files.open(name);
    const payload = this.#payloads.draft();
    const stream = Readable.from(piecesOf(file, file.size));
    try {
      const documentsCount = await transcribe(stream, { ...NDJSON, format }, payload).catch(blankAsNone);
      const payloadBytes = payload.size;
      const bytes = await this.#payloads.keep(payload);
      return { documentsCount, payload: payload.stored?.name ?? null, payloadBytes, bytes };
    } finally {
      file.close();
    }
  }

  /** Durable at the end of `run` at the latest. */
  async #write(record: JournalRecord): Promise<void> {
    this.#written = this.#journal.write(record);
    // The failure is thrown to the next caller that waits.
    this.#written.catch(() => undefined);
    if (++this.#records % GROUP_RECORDS === 0) await this.#written;
  }
}

function recordOf(task: Task, inline: Uint8Array | null): TaskRecord {
  const { kind, customMetadata, network, error, counters, ...rest } = task;
  const touched = touchedIndexes(kind);
  const shown = indexUidOf(kind);
  const others = touched.some((index) => index !== shown);
  return {
    ...rest,
    kind: kind.type,
    shown,
    touched: others ? touched : null,
    body: pack({
      kind,
      ...(customMetadata !== undefined && { customMetadata }),
      ...(network !== undefined && { network }),
    }),
    outcome: error === null && counters === null ? null : pack({ error, counters }),
    inline: inline && inline.length > 0 ? inline : null,
  };
}

/** Runs the reading of a part of the dump, and names the part in the error if it fails. */
function about<Value>(part: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw refusal(`${part}: ${messageOf(cause)}`);
  }
}

function refusal(cause: unknown): TarsierError {
  return new TarsierError("dump_process_failed", { reason: messageOf(cause) });
}
