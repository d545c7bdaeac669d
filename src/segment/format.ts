// The bytes of a segment file, which writer.ts writes, file.ts opens and segmentcheck.ts verifies.
//
//   offset  0   "TARSEG" 00 version          8 bytes, then 8 zero bytes
//          16   section, section, ...        each begins at a multiple of 16
//           T   checksum table               u32 CRC32C of every CHUNK_BYTES of [0, T) and of the rest
//           F   section table                one row per section:
//                 u8 length of its name | name | f64 offset | f64 length     (little-endian, unaligned)
//         end   trailer, TRAILER_BYTES:
//                 f64 T | u32 bytes of the section table | u32 CRC32C of the checksum table
//                 | u32 CRC32C of section table and the 16 bytes before this field
//                 | u32 format version | "TARSEG" 00 FF
//
// One read of the file's end opens a segment; every byte of it is covered by one of the three kinds of
// checksum.
//
// | section   | holds                                                                                      |
// |-----------|---------------------------------------------------------------------------------------------|
// | meta      | SegmentMeta as JSON                                                                        |
// | documents | compressed blocks of whole documents (documentblocks.ts)                                   |
// | blocks    | per block of documents: u32 first ordinal, u32 offset in `documents`; one closing row      |
// | ids       | id text -> ordinal and back (assembly/identifier-section.ts, identifier-numbers.ts)        |
// | order     | u32 docid per ordinal, ascending; absent where docids run without a gap from firstDocid    |
// | shapes    | shape number per ordinal, `shapeBytes` bytes each; absent where all documents have shape 0 |
// | terms     | the dictionary (assembly/dictionary.ts)                                                    |
// | offsets   | where each term's postings and positions start (termstarts.ts)                             |
// | postings  | posting lists in order of the terms (assembly/postings.ts)                                 |
// | positions | occurrences in order of the terms (assembly/postings.ts)                                   |
// | columns   | values of the fields that filters and sorts look at (columnformat.ts)                      |
// | points    | locations of documents (points.ts)                                                         |
// | geometries| shapes of documents (geometryformat.ts)                                                    |
// | vectors   | what documents have of embedders (vectorformat.ts)                                         |
import type { ColumnMeta } from "./columnformat.ts";
import type { VectorMeta } from "./vectorformat.ts";

/**
 * Since version 4, ids may be numbers (assembly/identifier-numbers.ts), and the starts of terms are packed.
 */
export const FORMAT_VERSION = 4;
/** Earlier versions were never released. */
export const FORMAT_OLDEST = 3;
export const CHUNK_BYTES = 4096;
export const HEADER_BYTES = 16;
export const TRAILER_BYTES = 32;
export const SECTION_ALIGNMENT_BYTES = 16;
/** Offsets inside a section are u32. */
export const SECTION_BYTES_MAX = 0xffff_fff0;

/** The first bytes of a file of a version of this format. */
export const headerMagic = (version: number): Uint8Array =>
  Uint8Array.of(0x54, 0x41, 0x52, 0x53, 0x45, 0x47, 0, version);
export const TRAILER_MAGIC = Uint8Array.of(0x54, 0x41, 0x52, 0x53, 0x45, 0x47, 0, 0xff);

export type SectionName =
  | "meta"
  | "documents"
  | "blocks"
  | "ids"
  | "order"
  | "shapes"
  | "terms"
  | "offsets"
  | "postings"
  | "positions"
  | "columns"
  | "points"
  | "geometries"
  | "vectors";

export interface Section {
  offset: number;
  length: number;
}

/** Facts about a segment that are small enough for JSON. */
export interface SegmentMeta {
  documents: number;
  firstDocid: number;
  lastDocid: number;
  /** Bytes of the documents before compression. */
  rawDocumentBytes: number;
  /** Hash of the settings that decide what is indexed (engine/settingshash.ts). */
  settingsHash: string;
  terms: number;
  /** Kinds of ids in the documents: bits (idkinds.ts). */
  idKinds: number;
  /** Whether section `offsets` has its packed form (termstarts.ts). */
  packsStarts: boolean;
  /** Top-level field names of each shape: each distinct set of them among the documents. */
  shapes: string[][];
  /** 0, 1, 2 or 4 bytes per document in section `shapes`. */
  shapeBytes: number;
  columns: ColumnMeta[];
  /** Documents with a location in section `points`. */
  points: number;
  /** Documents with a shape in section `geometries`. */
  geometries: number;
  /** One for each store in section `vectors`. */
  vectors: VectorMeta[];
}

/** Encodes the section table. */
export function encodeSections(sections: ReadonlyMap<SectionName, Section>): Uint8Array {
  const bytes: number[] = [];
  const number = new DataView(new ArrayBuffer(8));
  for (const [name, { offset, length }] of sections) {
    bytes.push(name.length, ...Buffer.from(name, "latin1"));
    for (const value of [offset, length]) {
      number.setFloat64(0, value, true);
      bytes.push(...new Uint8Array(number.buffer));
    }
  }
  return Uint8Array.from(bytes);
}

/** The opposite of encodeSections; null for bytes that are no table. */
export function decodeSections(bytes: Uint8Array): Map<SectionName, Section> | null {
  const sections = new Map<SectionName, Section>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at];
    const name = Buffer.from(bytes.subarray(at + 1, at + 1 + length)).toString("latin1") as SectionName;
    at += 1 + length;
    if (at + 16 > bytes.length) return null;
    sections.set(name, { offset: view.getFloat64(at, true), length: view.getFloat64(at + 8, true) });
    at += 16;
  }
  return sections;
}
