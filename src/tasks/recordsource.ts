// Reads single records of the journal again: what is long in tasks and batches is not kept in memory. Opened
// by the journal (journal.ts), used by its state.
import { JOURNAL_KIND, JOURNAL_NAME } from "../segment/journalfile.ts";
import { RecordReader } from "../storage/recordreader.ts";
import type { ReadableFile, Storage } from "../storage/storage.ts";
import type { BatchRecord } from "./batchtable.ts";
import { type JournalRecord, unpackRecord } from "./records.ts";
import type { TaskRecord } from "./task.ts";

/** What is not longer is kept in memory: half a gigabyte for a million tasks. */
export const KEPT_BYTES_MAX = 512;
/** Of what is not kept, in place of a reference into an arena, which is never as high. */
export const ON_DISK = 0xffffffff;

export class RecordSource {
  readonly #storage: Storage;
  #open: { file: ReadableFile; reader: RecordReader } | null = null;
  #closed = false;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /**
   * The task in the record at a place.
   * @throws TarsierError `invalid_store_file` when the record is damaged
   */
  task(place: number): TaskRecord {
    const record = this.#read(place);
    if (record.type !== "task") throw new Error(`a ${record.type} of the journal where a task was written`);
    return record.task;
  }

  /**
   * The ended batch in the record at a place.
   * @throws TarsierError `invalid_store_file` when the record is damaged
   */
  batch(place: number): BatchRecord {
    const record = this.#read(place);
    if (record.type !== "batch" && record.type !== "finish")
      throw new Error(`a ${record.type} of the journal where a batch was written`);
    return record.batch;
  }

  /** Another file has the name of the journal now: places are to be of that one. */
  reopen(): void {
    this.#open?.file.close();
    this.#open = null;
  }

  close(): void {
    this.#closed = true;
    this.reopen();
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
