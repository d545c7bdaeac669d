// Writes one segment file: sections one after another, a checksum for every chunk, the table of sections at
// the end. Used by builder.ts (new documents) and merge.ts. The file is complete and synced when `finish`
// returns; until then nothing refers to it, so a crash only leaves an unreferenced file.
import type { Core } from "../core/core.ts";
import type { Table } from "../core/table.ts";
import { crc32c } from "../storage/crc32c.ts";
import type { Storage, WritableFile } from "../storage/storage.ts";
import {
  CHUNK_BYTES,
  encodeSections,
  FORMAT_VERSION,
  HEADER_BYTES,
  headerMagic,
  SECTION_ALIGNMENT_BYTES,
  SECTION_BYTES_MAX,
  type Section,
  type SectionName,
  type SegmentMeta,
  TRAILER_BYTES,
  TRAILER_MAGIC,
} from "./format.ts";

/** Bytes gathered before they are checksummed and written: a whole number of chunks. */
const BUFFER_BYTES = 64 * CHUNK_BYTES;

/** The write buffer of a core; one per thread, reused by every segment written there. */
export function reserveWriteBuffer(core: Core): number {
  return core.reserve(BUFFER_BYTES);
}

export class SegmentWriter {
  readonly #core: Core;
  readonly #file: WritableFile;
  readonly #buffer: number;
  readonly #sections = new Map<SectionName, Section>();
  #checksums = new Uint32Array(1024);
  #chunks = 0;
  #filled = 0;
  #flushed = 0;
  #open: { name: SectionName; offset: number } | null = null;

  constructor(storage: Storage, path: string, core: Core, buffer: number) {
    this.#core = core;
    this.#buffer = buffer;
    this.#file = storage.create(path);
    const magic = headerMagic(FORMAT_VERSION);
    this.append(magic);
    this.append(new Uint8Array(HEADER_BYTES - magic.length));
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#flushed + this.#filled;
  }

  /** Begins a section; what is appended until `endSection` belongs to it. */
  beginSection(name: SectionName): void {
    const padding = -this.bytes & (SECTION_ALIGNMENT_BYTES - 1);
    if (padding) this.append(new Uint8Array(padding));
    this.#open = { name, offset: this.bytes };
  }

  endSection(): void {
    const { name, offset } = this.#open!;
    const length = this.bytes - offset;
    if (length > SECTION_BYTES_MAX) throw new RangeError(`section ${name} has ${length} bytes`);
    this.#sections.set(name, { offset, length });
    this.#open = null;
  }

  writeSection(name: SectionName, bytes: Uint8Array): void {
    this.beginSection(name);
    this.append(bytes);
    this.endSection();
  }

  /** Writes a section made of tables, one after another. */
  writeTable(name: SectionName, tables: readonly Table[]): void {
    this.beginSection(name);
    for (const table of tables) table.eachSpan((pointer, bytes) => this.appendFrom(pointer, bytes));
    this.endSection();
  }

  append(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const count = Math.min(bytes.length - from, BUFFER_BYTES - this.#filled);
      this.#core.u8.set(bytes.subarray(from, from + count), this.#buffer + this.#filled);
      this.#filled += count;
      from += count;
      if (this.#filled === BUFFER_BYTES) this.#flush();
    }
  }

  /** Appends bytes of the core's own memory. */
  appendFrom(pointer: number, length: number): void {
    for (let from = 0; from < length; ) {
      const count = Math.min(length - from, BUFFER_BYTES - this.#filled);
      this.#core.copy(this.#buffer + this.#filled, pointer + from, count);
      this.#filled += count;
      from += count;
      if (this.#filled === BUFFER_BYTES) this.#flush();
    }
  }

  /** Writes meta, tables and trailer, syncs and closes the file. Returns its size in bytes. */
  finish(meta: SegmentMeta): number {
    this.writeSection("meta", Buffer.from(JSON.stringify(meta)));
    const tableOffset = this.bytes;
    this.#flush();
    const checksums = new Uint8Array(this.#checksums.buffer, 0, this.#chunks * 4);
    const table = encodeSections(this.#sections);
    const trailer = new DataView(new ArrayBuffer(TRAILER_BYTES));
    trailer.setFloat64(0, tableOffset, true);
    trailer.setUint32(8, table.length, true);
    trailer.setUint32(12, crc32c(checksums), true);
    trailer.setUint32(16, crc32c(Buffer.concat([table, new Uint8Array(trailer.buffer, 0, 16)])), true);
    trailer.setUint32(20, FORMAT_VERSION, true);
    new Uint8Array(trailer.buffer).set(TRAILER_MAGIC, 24);
    this.#file.append([checksums, table, new Uint8Array(trailer.buffer)]);
    this.#file.sync();
    this.#file.close();
    return tableOffset + checksums.length + table.length + TRAILER_BYTES;
  }

  /** Gives up the file, which the caller removes. */
  abandon(): void {
    this.#file.close();
  }

  #flush(): void {
    if (this.#filled === 0) return;
    for (let from = 0; from < this.#filled; from += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, this.#filled - from);
      if (this.#chunks === this.#checksums.length) {
        const grown = new Uint32Array(this.#chunks * 2);
        grown.set(this.#checksums);
        this.#checksums = grown;
      }
      this.#checksums[this.#chunks++] = this.#core.exports.crc32c(this.#buffer + from, length);
    }
    this.#file.append(this.#core.u8.subarray(this.#buffer, this.#buffer + this.#filled));
    this.#flushed += this.#filled;
    this.#filled = 0;
  }
}
