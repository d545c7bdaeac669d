// Runs dumpCreation tasks: everything an instance holds, as one archive in the dump folder, in the layout V6.
// The scheduler runs nothing else meanwhile, so the indexes do not change; writes accepted while the dump is
// made are not in it.
//
//   metadata.json, instance_uid.uuid, keys.jsonl and the other files of parts.ts
//   indexes/<uid>/metadata.json, settings.json, documents.jsonl
//   tasks/queue.jsonl, tasks/update_files/<task>.jsonl     documents of additions that wait
//   batches/queue.jsonl
import type { IndexHandle } from "../../engine/indexhandle.ts";
import { NAME_PART_BYTES_MAX } from "../../storage/archivereader.ts";
import { type ArchiveWriter, writeArchive } from "../../storage/archivewriter.ts";
import type { Storage } from "../../storage/storage.ts";
import { type BatchContext, type Executor, refuseAborted, succeeded } from "../execution.ts";
import type { DumpCreation } from "../kinds.ts";
import type { Task } from "../task.ts";
import { type Moment, momentText } from "../time.ts";
import { joined } from "../toldnetworks.ts";
import { DUMP_PARTS } from "./parts.ts";
import { batchLine, isWaitingMove, taskLine } from "./tasklines.ts";

interface DumpOptions {
  /** That of the data folder: payloads of waiting additions are read from it. */
  storage: Storage;
  /** That of the dump folder. */
  dumps: Storage;
  /** That of this program. */
  version: string;
}

/** Documents are read from the engine in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
/** Lines are made in pieces of this size: few enough for other work of the thread not to wait for them. */
const LINES_BYTES = 16 * 1024;
const COMPRESSION_LEVEL = 6;

export function dumpExecutor(options: DumpOptions): Executor {
  return async ([task], context) => {
    const { dumps } = options;
    dumps.makeFolder("");
    const dumpUid = freeUid(dumps, context.startedAt);
    const archiveOptions = {
      name: `${dumpUid}.dump`,
      temporaryName: `${context.state.instanceUid}.dump.tmp`,
      level: COMPRESSION_LEVEL,
      interrupt: () => refuseAborted(context),
    };
    await writeArchive(dumps, archiveOptions, (archive) => new Dump(options, archive, task, context).write());
    return { ends: [succeeded(task, { dumpUid })] };
  };
}

const NOT_SENT = "not sent when the dump was made that this server has read";

class Dump {
  readonly #options: DumpOptions;
  readonly #archive: ArchiveWriter;
  readonly #task: Task;
  readonly #context: BatchContext;
  /** Tasks and batches of now: later ones are not in the dump. */
  readonly #tasks: number;
  readonly #batches: number;
  #steps = 0;

  constructor(options: DumpOptions, archive: ArchiveWriter, task: Task, context: BatchContext) {
    this.#options = options;
    this.#archive = archive;
    this.#task = task;
    this.#context = context;
    this.#tasks = context.state.tasks.size;
    this.#batches = context.state.batches.size;
  }

  async write(): Promise<void> {
    const { instanceUid } = this.#task.kind as DumpCreation;
    this.#enter("start the dump creation");
    await this.#archive.add("metadata.json", JSON.stringify(this.#metadata()));
    if (instanceUid !== null) await this.#archive.add("instance_uid.uuid", instanceUid);
    await this.#writeParts();
    this.#enter("dump the tasks");
    await this.#archive.addPieces("tasks/queue.jsonl", gathered(this.#taskLines()));
    await this.#writePayloads();
    this.#enter("dump the batches");
    await this.#archive.addPieces("batches/queue.jsonl", gathered(this.#batchLines()));
    const uids = this.#context.state.catalog.uids();
    for (const [place, uid] of uids.entries()) await this.#writeIndex(uid, place, uids.length);
    this.#enter("compress the dump");
  }

  #metadata(): Record<string, string> {
    const { startedAt } = this.#context;
    return { dumpVersion: "V6", dbVersion: this.#options.version, dumpDate: momentText(startedAt) };
  }

  async #writeParts(): Promise<void> {
    const { state } = this.#context;
    for (const { file, step, write } of DUMP_PARTS) {
      this.#enter(step);
      const text = write((kind) => state.values(kind), this.#task.kind as DumpCreation);
      if (text !== null) await this.#archive.add(file, text);
    }
  }

  *#taskLines(): Generator<string> {
    const { tasks } = this.#context.state;
    for (let row = 0; row < this.#tasks; row++) {
      const line = taskLine(this.#unsent(this.#ended(tasks.at(row))));
      if (!isWaitingMove(line)) yield JSON.stringify(line);
    }
  }

  /** In the dump, its own task counts as done: the importer must not make it again. */
  #ended(task: Task): Task {
    if (task.uid !== this.#task.uid) return task;
    const { startedAt, now } = this.#context;
    return { ...task, status: "succeeded", batchUid: null, startedAt, finishedAt: now() };
  }

  /** Writes that wait for other servers are not in the dump: their tasks tell that, and wait no longer. */
  #unsent(task: Task): Task {
    const waiting = this.#context.state.outgoing.get(task.uid)?.waiting;
    if (!waiting) return task;
    const remotes = Object.fromEntries(waiting.map((name) => [name, { error: NOT_SENT }]));
    return { ...task, network: joined(task.network, { remotes }) };
  }

  async #writePayloads(): Promise<void> {
    const { tasks } = this.#context.state;
    for (let row = 0; row < this.#tasks; row++) {
      if (!tasks.waiting.has(tasks.columns.uids[row])) continue;
      if (tasks.typeAt(row) !== "documentAdditionOrUpdate") continue;
      const { uid, kind } = tasks.at(row);
      if (kind.type !== "documentAdditionOrUpdate") continue;
      const name = `tasks/update_files/${uid}.jsonl`;
      const inline = tasks.inlinePayload(uid);
      if (inline) await this.#archive.add(name, inline);
      else if (kind.payload !== null) await this.#addStored(name, kind.payload);
    }
  }

  async #addStored(name: string, payload: string): Promise<void> {
    const file = this.#options.storage.open(payload);
    try {
      await this.#archive.addFile(name, file);
    } finally {
      file.close();
    }
  }

  *#batchLines(): Generator<string> {
    const { batches } = this.#context.state;
    let row = 0;
    for (const record of batches.snapshot()) {
      if (row === this.#batches) return;
      yield JSON.stringify(batchLine(record, batches.body(row++)));
    }
  }

  async #writeIndex(uid: string, place: number, total: number): Promise<void> {
    const { state, engine } = this.#context;
    this.#enter("dump the indexes", [{ currentStep: uid, finished: place, total }]);
    const { folder, createdAt, updatedAt, description } = state.catalog.get(uid)!;
    const { primaryKey, version } = description;
    const handle: IndexHandle = { folder, indexUid: uid, version };
    const metadata = { uid, primaryKey, createdAt: momentText(createdAt), updatedAt: momentText(updatedAt) };
    const inside = `indexes/${folderName(uid, place)}`;
    await this.#archive.add(`${inside}/metadata.json`, JSON.stringify(metadata));
    const settings = await engine.settings(handle);
    await this.#archive.add(`${inside}/settings.json`, JSON.stringify(settings));
    await this.#archive.addPieces(`${inside}/documents.jsonl`, this.#documents(handle));
  }

  async *#documents(handle: IndexHandle): AsyncGenerator<Uint8Array> {
    const { engine } = this.#context;
    for (let from: number | null = 0; from !== null; ) {
      const { lines, next } = await engine.lines(handle, { from, filter: null, bytesMax: PIECE_BYTES });
      yield lines;
      from = next;
    }
  }

  #enter(currentStep: string, inner: { currentStep: string; finished: number; total: number }[] = []): void {
    const total = DUMP_PARTS.length + STEPS;
    const finished = inner.length > 0 ? this.#steps : this.#steps++;
    this.#context.progress.enter("processing tasks", [{ currentStep, finished, total }, ...inner]);
  }
}

/** Steps besides those of the parts: start, tasks, batches, indexes, compression. */
const STEPS = 5;

/** How much of a uid is kept that is too long for a name. */
const FOLDER_NAME_BEGINNING = 200;

/** The uid itself if it is short enough: its letters are a byte each, and none is a dot. */
function folderName(uid: string, place: number): string {
  return uid.length <= NAME_PART_BYTES_MAX ? uid : `${uid.slice(0, FOLDER_NAME_BEGINNING)}.${place}`;
}

/** UTC time in milliseconds, `YYYYMMDD-HHmmssSSS`: the first from then on that is not taken. */
function freeUid(dumps: Storage, startedAt: Moment): string {
  for (let milliseconds = Math.floor(startedAt / 1000); ; milliseconds++) {
    const [date, time] = new Date(milliseconds).toISOString().slice(0, -1).split("T");
    const uid = `${date.replaceAll("-", "")}-${time.replace(/[:.]/g, "")}`;
    if (!dumps.exists(`${uid}.dump`)) return uid;
  }
}

/** Joins lines to pieces that are worth a write. */
function* gathered(lines: Iterable<string>): Generator<Uint8Array> {
  let text = "";
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < LINES_BYTES) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}
