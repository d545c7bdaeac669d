// An open segment file: its sections and checksums, and reads that verify every byte they return. Readers go through
// cache.ts; check.ts reads whole files.
import type { Core } from "../core/core.ts";
import type { TarsierError } from "../errors.ts";
import { crc32c } from "../storage/crc32c.ts";
import { damagedFile, unknownFormat } from "../storage/failure.ts";
import type { ReadableFile, Storage } from "../storage/storage.ts";
import {
  CHUNK_BYTES,
  decodeSections,
  FORMAT_VERSION,
  HEADER_BYTES,
  type Section,
  type SectionName,
  type SegmentMeta,
  TRAILER_BYTES,
  TRAILER_MAGIC,
} from "./format.ts";

/** Read from the end of the file in one go; larger tables take a second read. */
const TAIL_BYTES = 65536;

export class SegmentFile {
  readonly path: string;
  readonly size: number;
  readonly sections: ReadonlyMap<SectionName, Section>;
  /** One CRC32C per chunk. */
  readonly checksums: Uint32Array;
  /** Bytes that the chunks cover. */
  readonly covered: number;
  readonly #file: ReadableFile;

  /** @throws TarsierError `invalid_store_file` naming the place */
  constructor(storage: Storage, path: string) {
    this.path = path;
    this.#file = storage.open(path);
    this.size = this.#file.size;
    if (this.size < HEADER_BYTES + TRAILER_BYTES) {
      throw this.#damaged("trailer", 0, `at least ${HEADER_BYTES + TRAILER_BYTES} bytes`, `${this.size}`);
    }
    const tail = this.#read(Math.max(0, this.size - TAIL_BYTES), Math.min(this.size, TAIL_BYTES));
    const trailer = tail.subarray(tail.length - TRAILER_BYTES);
    const at = this.size - TRAILER_BYTES;
    if (Buffer.compare(trailer.subarray(24), TRAILER_MAGIC) !== 0) {
      throw this.#damaged("trailer", at + 24, hex(TRAILER_MAGIC), hex(trailer.subarray(24)));
    }
    const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER_BYTES);
    const version = view.getUint32(20, true);
    if (version > FORMAT_VERSION) throw unknownFormat(path, version, FORMAT_VERSION);
    this.covered = view.getFloat64(0, true);
    const tableBytes = view.getUint32(8, true);
    const checksumBytes = Math.ceil(this.covered / CHUNK_BYTES) * 4;
    if (this.covered + checksumBytes + tableBytes + TRAILER_BYTES !== this.size || version !== FORMAT_VERSION) {
      throw this.#damaged("trailer", at, "sizes that add up to the file's", `${this.covered}, ${tableBytes}`);
    }
    const rest = checksumBytes + tableBytes + TRAILER_BYTES;
    const tables = rest <= tail.length ? tail.subarray(tail.length - rest) : this.#read(this.covered, rest);
    const checksums = tables.slice(0, checksumBytes);
    const covered = Buffer.concat([tables.subarray(checksumBytes, checksumBytes + tableBytes), trailer.subarray(0, 16)]);
    this.#compare("section table", this.covered + checksumBytes, view.getUint32(16, true), crc32c(covered));
    this.#compare("checksums", this.covered, view.getUint32(12, true), crc32c(checksums));
    this.checksums = new Uint32Array(checksums.buffer, checksums.byteOffset, checksumBytes / 4);
    this.sections = decodeSections(tables.subarray(checksumBytes, checksumBytes + tableBytes));
  }

  /**
   * Reads whole chunks, `first` to `last` inclusive, to a place in a core's memory and verifies them.
   * @throws TarsierError `invalid_store_file`
   */
  readChunks(core: Core, first: number, last: number, target: number): void {
    const from = first * CHUNK_BYTES;
    const length = Math.min((last + 1) * CHUNK_BYTES, this.covered) - from;
    const read = this.#file.readInto(core.u8.subarray(target, target + length), from);
    if (read !== length) throw this.#damaged(this.sectionAt(from), from + read, `${length} bytes`, `${read}`);
    for (let chunk = first; chunk <= last; chunk++) {
      const start = chunk * CHUNK_BYTES;
      const bytes = Math.min(CHUNK_BYTES, this.covered - start);
      const found = core.exports.crc32c(target + start - from, bytes) >>> 0;
      this.#compare(this.sectionAt(start), start, this.checksums[chunk], found);
    }
  }

  section(name: SectionName): Section {
    return this.sections.get(name) ?? { offset: 0, length: 0 };
  }

  /** Reads and verifies the facts of section `meta`. */
  readMeta(core: Core, scratch: (bytes: number) => number): SegmentMeta {
    const { offset, length } = this.section("meta");
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + length - 1) / CHUNK_BYTES);
    const target = scratch((last - first + 1) * CHUNK_BYTES);
    this.readChunks(core, first, last, target);
    const start = target + offset - first * CHUNK_BYTES;
    return JSON.parse(Buffer.from(core.u8.subarray(start, start + length)).toString()) as SegmentMeta;
  }

  /** The section, or gap between sections, that a byte of the file belongs to: for messages. */
  sectionAt(offset: number): string {
    let best = "header";
    for (const [name, section] of this.sections) if (section.offset <= offset + CHUNK_BYTES - 1) best = name;
    return best;
  }

  close(): void {
    this.#file.close();
  }

  #read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    const read = this.#file.readInto(bytes, offset);
    if (read !== length) throw this.#damaged("trailer", offset + read, `${length} bytes`, `${read}`);
    return bytes;
  }

  #compare(section: string, offset: number, expected: number, found: number): void {
    if (expected === found) return;
    throw this.#damaged(section, offset, expected.toString(16), found.toString(16));
  }

  #damaged(section: string, offset: number, expected: string, found: string): TarsierError {
    return damagedFile({ file: this.path, offset, expected: `${expected} in ${section}`, found });
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
