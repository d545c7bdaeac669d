// An open segment file: its sections and checksums, and reads that verify every byte they return. Readers go
// through cache.ts; check.ts reads whole files.
import type { Core } from "../core/core.ts";
import { messageOf } from "../errors.ts";
import { crc32c } from "../storage/crc32c.ts";
import { type DamageError, damagedFile, unknownFormat } from "../storage/failure.ts";
import { hex as checksumText } from "../storage/recordformat.ts";
import type { ReadableFile, Storage } from "../storage/storage.ts";
import {
  CHUNK_BYTES,
  decodeSections,
  FORMAT_OLDEST,
  FORMAT_VERSION,
  HEADER_BYTES,
  type Section,
  type SectionName,
  type SegmentMeta,
  TRAILER_BYTES,
  TRAILER_MAGIC,
} from "./format.ts";
import { ID_MIXED } from "./idkinds.ts";

/** Bytes read from the end of the file at once; larger tables take a second read. */
const TAIL_BYTES = 65536;

export class SegmentFile {
  readonly path: string;
  readonly size: number;
  /** Version of the format. */
  readonly version: number;
  readonly sections: ReadonlyMap<SectionName, Section>;
  /** One CRC32C per chunk. */
  readonly checksums: Uint32Array;
  /** Number of bytes that the chunks cover. */
  readonly covered: number;
  readonly #file: ReadableFile;

  /** @throws TarsierError `invalid_store_file` that names the place */
  constructor(storage: Storage, path: string) {
    this.path = path;
    this.#file = storage.open(path);
    try {
      this.size = this.#file.size;
      const { version, covered, checksums, sections } = this.#readTables();
      this.version = version;
      this.covered = covered;
      this.checksums = checksums;
      this.sections = sections;
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /**
   * Reads whole chunks, `first` to `last` inclusive, to a place in a core's memory and verifies them.
   * @throws TarsierError `invalid_store_file`
   */
  readChunks(core: Core, first: number, last: number, target: number): void {
    this.fetchChunks(core, first, last, target);
    this.verifyChunks(core, first, last, target);
  }

  /**
   * Reads without verifying.
   * @throws TarsierError `invalid_store_file` when the file is too short
   */
  fetchChunks(core: Core, first: number, last: number, target: number): void {
    const from = first * CHUNK_BYTES;
    const length = Math.min((last + 1) * CHUNK_BYTES, this.covered) - from;
    const read = this.#file.readInto(core.u8.subarray(target, target + length), from);
    if (read !== length) {
      throw this.#damaged(this.sectionsAt(from, length), from + read, `${length} bytes`, `${read} bytes`);
    }
  }

  /** Verifies chunks that were fetched. `pointer`: address of the first one. Throws like readChunks. */
  verifyChunks(core: Core, first: number, last: number, pointer: number): void {
    const from = first * CHUNK_BYTES;
    for (let chunk = first; chunk <= last; chunk++) {
      const start = chunk * CHUNK_BYTES;
      const bytes = Math.min(CHUNK_BYTES, this.covered - start);
      const found = core.exports.crc32c(pointer + start - from, bytes) >>> 0;
      if (found !== this.checksums[chunk]) {
        this.#compare(this.sectionsAt(start, bytes), start, this.checksums[chunk], found);
      }
    }
  }

  section(name: SectionName): Section {
    return this.sections.get(name) ?? { offset: 0, length: 0 };
  }

  /**
   * Reads and verifies bytes of the file, along with the rest of their chunks. `room` provides memory for a
   * number of bytes. Returns the address of the first byte asked for. Throws like readChunks.
   */
  readRange(core: Core, offset: number, length: number, room: (bytes: number) => number): number {
    const first = Math.floor(offset / CHUNK_BYTES);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / CHUNK_BYTES);
    const target = room((last - first + 1) * CHUNK_BYTES);
    this.readChunks(core, first, last, target);
    return target + offset - first * CHUNK_BYTES;
  }

  /** The same for a whole section. */
  readSection(core: Core, name: SectionName, room: (bytes: number) => number): number {
    const { offset, length } = this.section(name);
    return this.readRange(core, offset, length, room);
  }

  /**
   * Reads and verifies the facts in section `meta`. Throws like readChunks, and when they are not valid
   * facts.
   */
  readMeta(core: Core, room: (bytes: number) => number): SegmentMeta {
    const start = this.readSection(core, "meta", room);
    const { length } = this.section("meta");
    try {
      const json = Buffer.from(core.u8.subarray(start, start + length)).toString();
      // Older files lack these.
      return {
        geometries: 0,
        idKinds: ID_MIXED,
        packsStarts: false,
        ...(JSON.parse(json) as Partial<SegmentMeta>),
      } as SegmentMeta;
    } catch (cause) {
      throw this.#damaged("meta", this.section("meta").offset, "JSON", messageOf(cause));
    }
  }

  /** Names of the sections that contain a range of bytes of the file, for messages. */
  sectionsAt(offset: number, length: number): string {
    const names = offset < HEADER_BYTES ? ["header"] : [];
    for (const [name, section] of this.sections) {
      if (section.offset < offset + length && section.offset + section.length > offset) names.push(name);
    }
    return names.join(", ") || "padding";
  }

  close(): void {
    this.#file.close();
  }

  /** Reads and verifies the tables after the sections. */
  #readTables(): Pick<SegmentFile, "version" | "covered" | "checksums" | "sections"> {
    if (this.size < HEADER_BYTES + TRAILER_BYTES) {
      const expected = `at least ${HEADER_BYTES + TRAILER_BYTES} bytes`;
      throw this.#damaged("trailer", 0, expected, `${this.size} bytes`);
    }
    const tail = this.#read(Math.max(0, this.size - TAIL_BYTES), Math.min(this.size, TAIL_BYTES));
    const trailer = tail.subarray(tail.length - TRAILER_BYTES);
    const at = this.size - TRAILER_BYTES;
    if (Buffer.compare(trailer.subarray(24), TRAILER_MAGIC) !== 0) {
      throw this.#damaged("trailer", at + 24, hex(TRAILER_MAGIC), hex(trailer.subarray(24)));
    }
    const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER_BYTES);
    const version = view.getUint32(20, true);
    if (version > FORMAT_VERSION || version < FORMAT_OLDEST)
      throw unknownFormat(this.path, version, FORMAT_VERSION, at + 20);
    const covered = view.getFloat64(0, true);
    const tableBytes = view.getUint32(8, true);
    const checksumBytes = Math.ceil(covered / CHUNK_BYTES) * 4;
    if (covered + checksumBytes + tableBytes + TRAILER_BYTES !== this.size) {
      throw this.#damaged("trailer", at, "sizes that add up to the file's", `${covered}, ${tableBytes}`);
    }
    const rest = checksumBytes + tableBytes + TRAILER_BYTES;
    const tables = rest <= tail.length ? tail.subarray(tail.length - rest) : this.#read(covered, rest);
    const checksums = tables.slice(0, checksumBytes);
    const table = tables.subarray(checksumBytes, checksumBytes + tableBytes);
    const checksum = crc32c(trailer, 0, 16, crc32c(table));
    this.#compare("section table", covered + checksumBytes, view.getUint32(16, true), checksum);
    this.#compare("checksums", covered, view.getUint32(12, true), crc32c(checksums));
    return {
      version,
      covered,
      checksums: new Uint32Array(checksums.buffer, checksums.byteOffset, checksumBytes / 4),
      sections: this.#checkSections(decodeSections(table), covered),
    };
  }

  /** Sections must lie within the bytes covered by checksums. */
  #checkSections(sections: Map<SectionName, Section> | null, covered: number): Map<SectionName, Section> {
    const end = ({ offset, length }: Section) => offset + length;
    const isWhole = ({ offset, length }: Section) => Number.isInteger(offset) && Number.isInteger(length);
    const isInside = (section: Section) =>
      isWhole(section) && section.offset >= HEADER_BYTES && section.length >= 0 && end(section) <= covered;
    if (sections && [...sections.values()].every(isInside)) return sections;
    throw this.#damaged("section table", covered, `sections inside of ${covered} bytes`, "others");
  }

  #read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    const read = this.#file.readInto(bytes, offset);
    if (read !== length) throw this.#damaged("trailer", offset + read, `${length} bytes`, `${read} bytes`);
    return bytes;
  }

  #compare(section: string, offset: number, expected: number, found: number): void {
    if (expected === found) return;
    throw this.#damaged(section, offset, checksumText(expected), checksumText(found));
  }

  #damaged(section: string, offset: number, expected: string, found: string): DamageError {
    return damagedFile({ file: this.path, offset, section, expected, found });
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
