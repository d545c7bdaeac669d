// Reads single records of the journal again: long parts of tasks and batches are not kept in memory. Opened
// by the journal (journal.ts), used by its state.
import { JOURNAL_KIND, JOURNAL_NAME } from "../segment/journalfile.ts";
import { RecordReader } from "../storage/recordreader.ts";
import type { ReadableFile, Storage } from "../storage/storage.ts";
import type { BatchRecord } from "./batch.ts";
import { batchIn, type JournalRecord, unpackRecord } from "./records.ts";
import type { TaskRecord } from "./task.ts";

/** Packed parts up to this size are kept in memory: half a gigabyte for a million tasks. */
export const KEPT_BYTES_MAX = 512;

export class RecordSource {
  readonly #storage: Storage;
  #open: { file: ReadableFile; reader: RecordReader } | null = null;
  #generation = 0;
  #closed = false;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Places of one generation belong to one file; a rewrite begins the next. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * The task in the record at a place.
   * @throws TarsierError `invalid_store_file` when the record is damaged
   */
  task(place: number, uid: number): TaskRecord {
    const record = this.#read(place);
    if (record.type === "task" && record.task.uid === uid) return record.task;
    throw new Error(`no task ${uid} at ${place} of the journal`);
  }

  /**
   * The ended batch in the record at a place.
   * @throws TarsierError `invalid_store_file` when the record is damaged
   */
  batch(place: number, uid: number): BatchRecord {
    const batch = batchIn(this.#read(place));
    if (batch?.uid === uid) return batch;
    throw new Error(`no batch ${uid} at ${place} of the journal`);
  }

  /** A new file becomes the journal in this step: from now on places are those in it. */
  reopen(): void {
    this.#generation++;
    this.#release();
  }

  close(): void {
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    const open = this.#open;
    // Also after a close that fails: the file is closed, and its descriptor may be another one's soon.
    this.#open = null;
    open?.file.close();
  }

  #read(place: number): JournalRecord {
    this.#open ??= this.#opened();
    return unpackRecord(this.#open.reader.at(place));
  }

  #opened(): { file: ReadableFile; reader: RecordReader } {
    if (this.#closed) throw new Error(`${JOURNAL_NAME} is closed`);
    const file = this.#storage.open(JOURNAL_NAME);
    try {
      return { file, reader: RecordReader.open(file, JOURNAL_NAME, JOURNAL_KIND) };
    } catch (error) {
      file.close();
      throw error;
    }
  }
}
