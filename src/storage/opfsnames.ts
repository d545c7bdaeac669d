// The names of the slots of an OPFS storage (opfs.ts), on disk: the whole table, written to two files in
// turns, so that a crash while one is being written leaves the other.
//
//   0  u32 magic       "TNAM"
//   4  u32 generation  the higher one is valid
//   8  u32 bytes       of the content
//  12  u32 checksum    CRC32C of bytes 4 to 12 and the content
//  16  content         JSON: {"folders": [name...], "files": {name: number of its slot}}
//      ...             room for more, reserved before a name is given: where the browser grants no more
//                      space, names that are taken away can still be written
import { crc32c } from "./crc32c.ts";

/** A file that the browser has opened for reading and writing, as workers see it. */
export interface SyncFile {
  read(target: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

export interface Names {
  folders: string[];
  files: Record<string, number>;
}

const MAGIC = 0x4d414e54;
const HEAD_BYTES = 16;
/** What an entry takes beside its name: a colon, a comma, and the number of its slot. */
const ENTRY_BYTES_MAX = 16;
/** Room is reserved in steps of this size. */
const ROOM_BYTES = 16 * 1024;

export class NameTable {
  readonly #files: readonly [SyncFile, SyncFile];
  #generation = 0;
  /** Bytes that each file has at least. */
  #room: number;
  /** Bytes of the content as it was read or written last, with the names that were announced since. */
  #expected = 0;

  constructor(first: SyncFile, second: SyncFile) {
    this.#files = [first, second];
    this.#room = Math.min(first.getSize(), second.getSize());
  }

  /** The newest valid table; an empty one in a new folder. */
  read(): Names {
    let newest: Names = { folders: [], files: {} };
    for (const file of this.#files) {
      const found = readTable(file);
      if (found === null || found.generation <= this.#generation) continue;
      this.#generation = found.generation;
      newest = found.names;
    }
    this.#expected = contentOf(newest).length;
    return newest;
  }

  /**
   * Makes room for one more name in the table.
   * @throws DOMException `QuotaExceededError`: then the name must not be given
   */
  announce(name: string): void {
    const expected = this.#expected + contentOf(name).length + ENTRY_BYTES_MAX;
    this.#reserve(HEAD_BYTES + expected);
    this.#expected = expected;
  }

  /** Durable on return. */
  write(names: Names): void {
    const generation = this.#generation + 1;
    const content = contentOf(names);
    const bytes = new Uint8Array(HEAD_BYTES + content.length);
    bytes.set(content, HEAD_BYTES);
    const head = new DataView(bytes.buffer);
    head.setUint32(0, MAGIC, true);
    head.setUint32(4, generation, true);
    head.setUint32(8, content.length, true);
    head.setUint32(12, checksumOf(bytes), true);
    const file = this.#files[generation % 2];
    writeAll(file, bytes, 0);
    file.flush();
    this.#generation = generation;
    this.#expected = content.length;
  }

  close(): void {
    for (const file of this.#files) file.close();
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#room) return;
    const room = Math.ceil(bytes / ROOM_BYTES) * ROOM_BYTES;
    for (const file of this.#files) {
      const size = file.getSize();
      if (size < room) writeAll(file, new Uint8Array(room - size), size);
    }
    this.#room = room;
  }
}

const contentOf = (part: Names | string): Uint8Array => new TextEncoder().encode(JSON.stringify(part));

/**
 * Where no more space is granted, a part may have been written. Chromium 156 does not throw then: it returns
 * the code of its error as an unsigned number, which is more than there was to write.
 * @throws DOMException `QuotaExceededError`
 */
export function writeAll(file: SyncFile, bytes: Uint8Array, offset: number): void {
  for (let from = 0; from < bytes.length; ) {
    const written = file.write(bytes.subarray(from), { at: offset + from });
    if (written === 0 || written > bytes.length - from)
      throw new DOMException("not everything could be written", "QuotaExceededError");
    from += written;
  }
}

function readTable(file: SyncFile): { generation: number; names: Names } | null {
  const bytes = new Uint8Array(file.getSize());
  file.read(bytes, { at: 0 });
  if (bytes.length < HEAD_BYTES) return null;
  const head = new DataView(bytes.buffer);
  const length = head.getUint32(8, true);
  if (head.getUint32(0, true) !== MAGIC || HEAD_BYTES + length > bytes.length) return null;
  const table = bytes.subarray(0, HEAD_BYTES + length);
  if (head.getUint32(12, true) !== checksumOf(table)) return null;
  const names = JSON.parse(new TextDecoder().decode(table.subarray(HEAD_BYTES))) as Names;
  return { generation: head.getUint32(4, true), names };
}

const checksumOf = (bytes: Uint8Array): number =>
  crc32c(bytes, HEAD_BYTES, bytes.length, crc32c(bytes, 4, HEAD_BYTES - 4));
