// Reads the records of a log one after another, and can go on when the log has grown: this is how readers in
// other threads follow a manifest. It stops where no valid record follows; `tail` then tells a torn end from
// damage.
import { crc32c } from "./crc32c.ts";
import { damagedFile } from "./failure.ts";
import {
  decodeHeader,
  hex,
  LOG_HEADER_BYTES,
  likelySalts,
  RECORD_BYTES_MAX,
  RECORD_HEADER_BYTES,
} from "./recordformat.ts";
import type { ReadableFile } from "./storage.ts";

/** Bytes after the last valid record. */
export interface Tail {
  offset: number;
  bytes: number;
}

const READ_BYTES = 256 * 1024;
/**
 * A log never has more than this unsynced (recordlog.ts): a longer tail without a valid record cannot be
 * torn.
 */
const TAIL_BYTES_MAX = 3 * RECORD_BYTES_MAX;
/** Bound of the search for records in a tail: forged bytes could look like very many records. */
const CHECKED_BYTES_MAX = 1024 * 1024 * 1024;

export class RecordReader {
  readonly #file: ReadableFile;
  readonly #name: string;
  readonly #salt: number;
  #offset = LOG_HEADER_BYTES;
  /** Bytes of the file from `#start` on. */
  #buffer = new Uint8Array(0);
  #start = 0;

  /**
   * Reads the header.
   * @throws TarsierError `invalid_store_file`
   */
  static open(file: ReadableFile, name: string, kind: string): RecordReader {
    return new RecordReader(file, name, decodeHeader(readHeader(file), name, kind));
  }

  /**
   * Opens a log with a damaged header, using a salt under which a record is valid; null when there is none.
   */
  static openDamaged(file: ReadableFile, name: string, kind: string): RecordReader | null {
    const header = readHeader(file);
    if (header.length < LOG_HEADER_BYTES) return null;
    for (const salt of likelySalts(header, kind)) {
      const trial = new RecordReader(file, name, salt);
      // It has read past a record: a new reader has to start at the beginning.
      if (trial.next() || trial.resume()) return new RecordReader(file, name, salt);
    }
    return null;
  }

  private constructor(file: ReadableFile, name: string, salt: number) {
    this.#file = file;
    this.#name = name;
    this.#salt = salt;
  }

  get salt(): number {
    return this.#salt;
  }

  /** Offset after the last record that was read. */
  get offset(): number {
    return this.#offset;
  }

  /** Payload of the next record, a copy; null where no valid record follows (yet). */
  next(): Uint8Array | null {
    const header = this.#bytes(RECORD_HEADER_BYTES);
    const length = header ? readLength(header, 0) : 0;
    const record = length <= RECORD_BYTES_MAX ? this.#bytes(RECORD_HEADER_BYTES + length) : null;
    if (!record || !isValid(record, 0, length, this.#salt)) {
      this.#buffer = new Uint8Array(0); // May be half written: read it again.
      return null;
    }
    this.#offset += record.length;
    return record.slice(RECORD_HEADER_BYTES);
  }

  /**
   * Payload of the record at a place where one was written, a copy. `next` goes on after it.
   * @throws TarsierError `invalid_store_file` when it is damaged
   */
  at(offset: number): Uint8Array {
    this.#offset = offset;
    const payload = this.next();
    // For a long record more was read than is worth keeping.
    if (this.#buffer.length > READ_BYTES) this.#buffer = new Uint8Array(0);
    if (payload) return payload;
    const rest = new Uint8Array(Math.min(Math.max(0, this.#file.size - offset), RECORD_BYTES_MAX));
    throw this.#damage(rest.subarray(0, this.#file.readInto(rest, offset)));
  }

  /**
   * The bytes after the last valid record, once `next` returned null and while nobody writes: null when there
   * are none, otherwise the end of a write that was cut off by a crash and never acknowledged.
   * @throws TarsierError `invalid_store_file` when acknowledged records are damaged
   */
  tail(): Tail | null {
    const bytes = this.#file.size - this.#offset;
    if (bytes === 0) return null;
    const tail = new Uint8Array(Math.min(bytes, TAIL_BYTES_MAX));
    const read = this.#file.readInto(tail, this.#offset);
    if (bytes > TAIL_BYTES_MAX || provesSync(tail.subarray(0, read), this.#salt)) throw this.#damage(tail);
    return { offset: this.#offset, bytes };
  }

  /**
   * Goes on at the first valid record after a damaged one, for checks that report all damage. False when
   * there is none.
   */
  resume(): boolean {
    const tail = new Uint8Array(Math.min(this.#file.size - this.#offset, TAIL_BYTES_MAX));
    const read = this.#file.readInto(tail, this.#offset);
    const at = findRecord(tail.subarray(0, read), this.#salt, () => true);
    if (at === null || at < 0) return false;
    this.#offset += at;
    return true;
  }

  /** The next `length` bytes of the file, or null when it is shorter. */
  #bytes(length: number): Uint8Array | null {
    let from = this.#offset - this.#start;
    if (from < 0 || from + length > this.#buffer.length) {
      const left = this.#file.size - this.#offset;
      const buffer = new Uint8Array(Math.max(Math.min(READ_BYTES, left), length));
      const read = this.#file.readInto(buffer, this.#offset);
      this.#buffer = buffer.subarray(0, read);
      this.#start = this.#offset;
      from = 0;
    }
    return from + length <= this.#buffer.length ? this.#buffer.subarray(from, from + length) : null;
  }

  #damage(tail: Uint8Array) {
    const length = tail.length < RECORD_HEADER_BYTES ? 0 : readLength(tail, 0);
    const whole = tail.length >= RECORD_HEADER_BYTES + length;
    return damagedFile({
      file: this.#name,
      offset: this.#offset,
      expected: whole ? hex(readU32(tail, 0)) : `a record of ${length} bytes`,
      found: whole ? hex(crc32c(tail, 4, RECORD_HEADER_BYTES + length, this.#salt)) : `${tail.length} bytes`,
    });
  }
}

/** Fewer bytes than a header when the file ends before that. */
function readHeader(file: ReadableFile): Uint8Array {
  const header = new Uint8Array(LOG_HEADER_BYTES);
  return header.subarray(0, file.readInto(header, 0));
}

/** Is there a valid record in the tail that was written after a sync of the tail's first bytes? */
function provesSync(tail: Uint8Array, salt: number): boolean {
  // If that cannot be determined, nothing may be cut off.
  return findRecord(tail, salt, (at, unsynced) => unsynced < at) !== -1;
}

/**
 * Place of the first valid record in a tail, after its first byte, for which `isWanted` is true; -1 when
 * there is none, null when the search was given up.
 */
function findRecord(
  tail: Uint8Array,
  salt: number,
  isWanted: (at: number, unsynced: number) => boolean,
): number | null {
  let checked = 0;
  for (let at = 1; at + RECORD_HEADER_BYTES <= tail.length; at++) {
    const length = readLength(tail, at);
    if (at + RECORD_HEADER_BYTES + length > tail.length || !isWanted(at, readU32(tail, at + 8))) continue;
    if (isValid(tail, at, length, salt)) return at;
    checked += length;
    if (checked > CHECKED_BYTES_MAX) return null;
  }
  return -1;
}

function isValid(bytes: Uint8Array, at: number, length: number, salt: number): boolean {
  return crc32c(bytes, at + 4, at + RECORD_HEADER_BYTES + length, salt) === readU32(bytes, at);
}

function readLength(bytes: Uint8Array, at: number): number {
  return readU32(bytes, at + 4);
}

function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}
