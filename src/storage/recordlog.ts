// An append-only log of records on a storage; the layout is drawn in recordformat.ts. The task journal
// commits from the main thread in groups (`commit`), the manifest of an index from its worker (`sync`). One
// writer at a time.
import { type Deferred, deferred } from "../deferred.ts";
import { isPoisoned, storageError } from "./failure.ts";
import { LogReplacement, type OnPlaced, replacementOf } from "./logreplacement.ts";
import { encodeHeader, encodeLog, encodeRecord, RECORD_BYTES_MAX } from "./recordformat.ts";
import { RecordReader, type Tail } from "./recordreader.ts";
import type { Storage, WritableFile } from "./storage.ts";

/** Gets the events of a replacement in the background. */
interface ReplacementListener {
  onPlaced: OnPlaced;
  /** Called just before the new log becomes the valid one: who has opened the old file closes it here. */
  onReplacing(): void;
  /** Called in the same step, when the new log has its name. */
  onReplaced(): void;
}

export class RecordLog {
  /**
   * Opens a log, creating it when it is missing, and hands over its records in order, each with its place in
   * the file. A torn end is cut off and reported in `cut`. `kind`: four ASCII characters, the same at every
   * opening.
   * @throws TarsierError `invalid_store_file` when acknowledged records are damaged; the file stays as it is
   */
  static open(
    storage: Storage,
    name: string,
    kind: string,
    onRecord: (payload: Uint8Array, offset: number) => void,
  ): RecordLog {
    storage.remove(replacementOf(name));
    if (!storage.exists(name)) storage.createIfAbsent(name, encodeHeader(kind));
    const input = storage.open(name);
    try {
      const reader = RecordReader.open(input, name, kind);
      let offset = reader.offset;
      for (let payload = reader.next(); payload; payload = reader.next()) {
        onRecord(payload, offset);
        ({ offset } = reader);
      }
      return new RecordLog(storage, name, kind, reader);
    } finally {
      input.close();
    }
  }

  /** Creates a log, whole and durable, with one record. Returns false when the name is taken. */
  static createIfAbsent(storage: Storage, name: string, kind: string, payload: Uint8Array): boolean {
    return storage.createIfAbsent(name, encodeLog(kind, payload));
  }

  /** The torn end that was cut off when the log was opened. */
  readonly cut: Tail | null;
  /** Called after every sync with its duration. */
  onSync: (milliseconds: number) => void = () => {};
  readonly #storage: Storage;
  readonly #name: string;
  readonly #kind: string;
  #file: WritableFile;
  #salt: number;
  /** Bytes of the file known to be on disk. */
  #durable: number;
  #running: { covers: number; promise: Promise<void> } | null = null;
  #queued: Promise<void> | null = null;
  /** Records appended since a replacement began in the background. */
  #late: Uint8Array[] | null = null;
  /** Until the replacement under way ends, no commit begins a sync: the old file is about to be closed. */
  #held: Deferred<void> | null = null;
  #failure: unknown = null;
  #closed = false;

  private constructor(storage: Storage, name: string, kind: string, reader: RecordReader) {
    this.cut = reader.tail();
    this.#storage = storage;
    this.#name = name;
    this.#kind = kind;
    this.#salt = reader.salt;
    this.#file = storage.openToAppend(name);
    try {
      if (this.cut) this.#file.truncate(this.cut.offset);
      // The records that were read may never have been synced: nothing may be built on them before they are.
      this.#file.sync();
    } catch (error) {
      this.#file.close();
      throw error;
    }
    this.#durable = this.#file.size;
  }

  /** Bytes of the log. */
  get size(): number {
    return this.#file.size;
  }

  /** Why the log takes no more records until it is opened again; null while it does take some. */
  get failure(): Error | null {
    return this.#failure as Error | null;
  }

  /**
   * Writes a record and returns its place. It is durable after the next `sync` or `commit`. After an error
   * nothing was written.
   */
  append(payload: Uint8Array): number {
    this.#refuseFailed();
    // Keeps the bytes that a crash can tear within the bound that the reader relies on.
    if (this.#file.size - this.#durable > RECORD_BYTES_MAX) this.sync();
    const place = this.#file.size;
    try {
      this.#file.append(encodeRecord(payload, this.#salt, this.#file.size - this.#durable));
    } catch (error) {
      throw isPoisoned(error) ? this.#failBy(error) : error;
    }
    this.#late?.push(payload);
    return place;
  }

  /**
   * Sees to it that a record of so many bytes fits although no space is left, where the storage can do that.
   * @throws StorageError `no_space_left_on_device`
   */
  reserve(bytes: number): void {
    this.#file.reserve(bytes);
  }

  /** Makes all records durable, blocking the thread. */
  sync(): void {
    this.#refuseFailed();
    if (this.#file.size === this.#durable) return;
    const began = performance.now();
    try {
      this.#file.sync();
    } catch (error) {
      throw this.#failBy(error);
    }
    this.onSync(performance.now() - began);
    this.#durable = this.#file.size;
  }

  /**
   * Fulfilled when all records appended before the call are durable. Calls made while the disk is busy share
   * the next sync (group commit).
   */
  async commit(): Promise<void> {
    this.#refuseFailed();
    const size = this.#file.size;
    if (size === this.#durable) return;
    if (this.#running && this.#running.covers >= size) return this.#running.promise;
    if (this.#held) return this.#held.promise.then(() => this.commit());
    if (!this.#running) return this.#startSync();
    const next = () => {
      this.#queued = null;
      return this.commit();
    };
    this.#queued ??= this.#running.promise.then(next, next);
    return this.#queued;
  }

  /**
   * Replaces all records by other ones, in one step: a crash leaves the old or the new log. If it fails
   * before that step, the old log goes on; if the step itself fails, the log takes no more records. It is
   * done in slices, so that the thread stays responsive; appends and commits go on meanwhile and are carried
   * over. `records` is consumed over time and must yield the state as of this call.
   */
  async replaceLater(records: Iterable<Uint8Array>, listener: ReplacementListener = UNHEARD): Promise<void> {
    this.#refuseFailed();
    if (this.#late) throw new Error(`${this.#name} is being replaced already`);
    const replacement = new LogReplacement(this.#storage, this.#name, this.#kind);
    const late: Uint8Array[] = [];
    this.#late = late;
    try {
      await replacement.addLater(records, listener.onPlaced);
      this.#held = deferred();
      await this.#running?.promise;
      this.#refuseFailed();
      // From here to the end in one step: nothing is appended meanwhile.
      replacement.add(late, listener.onPlaced);
      replacement.finish();
    } catch (error) {
      replacement.abandon();
      this.#endReplacement();
      throw error;
    }
    try {
      this.#swap(replacement, listener);
    } finally {
      this.#endReplacement();
    }
  }

  /** Does not sync; waiting commits are refused. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#failure ??= new Error(`${this.#name} is closed`);
    this.#closeFile(this.#file);
  }

  #startSync(): Promise<void> {
    const file = this.#file;
    const covers = file.size;
    const began = performance.now();
    const done = () => {
      this.#running = null;
    };
    const promise = file.syncLater().then(
      () => {
        done();
        this.onSync(performance.now() - began);
        this.#durable = Math.max(this.#durable, covers);
      },
      (error) => {
        done();
        throw this.#failBy(error);
      },
    );
    this.#running = { covers, promise };
    return promise;
  }

  #endReplacement(): void {
    this.#late = null;
    const held = this.#held;
    this.#held = null;
    held?.resolve();
  }

  #swap(replacement: LogReplacement, listener: ReplacementListener): void {
    const old = this.#file;
    this.#file = replacement.file;
    this.#salt = replacement.salt;
    try {
      // Closed before: Windows gives nobody the name of a file that is open.
      old.close();
      listener.onReplacing();
      replacement.takeName();
      // Who reads finds the new file from here on, also if its name cannot be made durable.
      listener.onReplaced();
      replacement.syncName();
    } catch (cause) {
      // The old file may be closed, and the name may belong to it or to the new one: neither may be built on.
      throw this.#failBy(storageError("replace", this.#name, cause));
    }
    this.#durable = replacement.file.size;
  }

  /** Closes a file once no sync uses it any more. */
  #closeFile(file: WritableFile): void {
    const close = () => file.close();
    if (this.#running) this.#running.promise.then(close, close);
    else close();
  }

  /** After this the log takes no more records until it is opened again. */
  fail(error: unknown): void {
    this.#failure ??= error;
  }

  #failBy(error: unknown): unknown {
    this.fail(error);
    return error;
  }

  #refuseFailed(): void {
    if (this.#failure) throw this.#failure;
  }
}

const UNHEARD: ReplacementListener = { onPlaced: () => {}, onReplacing: () => {}, onReplaced: () => {} };
