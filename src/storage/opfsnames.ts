// The names of the slots of an OPFS storage (opfs.ts), on disk: the whole table, written to two files in
// turns, so that a crash while one is being written leaves the other.
//
//   0  u32 magic       "TNAM"
//   4  u32 generation  the higher one is valid
//   8  u32 bytes       of the content
//  12  u32 checksum    CRC32C of bytes 4 to 12 and the content
//  16  content         JSON: {"folders": [name...], "files": {name: number of its slot}}
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

export class NameTable {
  readonly #files: readonly [SyncFile, SyncFile];
  #generation = 0;

  constructor(first: SyncFile, second: SyncFile) {
    this.#files = [first, second];
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
    return newest;
  }

  /** Durable on return. */
  write(names: Names): void {
    const generation = this.#generation + 1;
    const content = new TextEncoder().encode(JSON.stringify(names));
    const bytes = new Uint8Array(HEAD_BYTES + content.length);
    bytes.set(content, HEAD_BYTES);
    const head = new DataView(bytes.buffer);
    head.setUint32(0, MAGIC, true);
    head.setUint32(4, generation, true);
    head.setUint32(8, content.length, true);
    head.setUint32(12, checksumOf(bytes), true);
    const file = this.#files[generation % 2];
    if (file.write(bytes, { at: 0 }) !== bytes.length)
      throw new DOMException("the names could not be written", "QuotaExceededError");
    file.flush();
    this.#generation = generation;
  }

  close(): void {
    for (const file of this.#files) file.close();
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
