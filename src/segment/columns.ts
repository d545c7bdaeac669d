// The columns of a segment: for each field that filters, sorts or facets look at, its distinct values in order, each with the
// documents that hold it. Written by builder.ts and merge.ts, read by column.ts.
//
//   section columns   | column | column | ...      each from a multiple of 16 on; ColumnMeta tells where, and its counts
//
//   a column of N numbers and S strings in a segment of D documents; each part from a multiple of 8 on:
//     numbers    f64 * N                 ascending
//     lists      u32 * (N + S + 3 + 1)   start of the posting list of each place in `postings`, one closing
//     texts      u32 * (2 * S + 1)       start of each string in `text`, then of its spelling in the document with the
//                                        lowest number, one closing
//     least      u32 * D                 place of the first value of each document (by ordinal), or NO_PLACE
//     greatest   u32 * D                 place of its last number or, without numbers, its last string; absent where all
//                                        documents have at most one value
//     text       the strings in normal form (UTF-8, ascending by bytes), then their spellings
//     postings   lists (assembly/postings.ts); an empty one has no bytes
//
//   place        0 ...        N ...          N + S      N + S + 1     N + S + 2
//                numbers      strings        has it     is null       is empty
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import type { ColumnMeta } from "./format.ts";
import type { SegmentWriter } from "./writer.ts";

/** Sets of documents behind the values, by their distance from the last value. */
export const SET_EXISTS = 0;
export const SET_NULL = 1;
export const SET_EMPTY = 2;
const SETS = 3;

export const NO_PLACE = 0xffff_ffff;

/** Longest list without blocks: it can be written here. */
const SHORT_LIST_LEN = 128;
/** A posting list takes no more than so many bytes per document. */
const POSTING_BYTES_MAX = 8;
const LIST_SLACK_BYTES = 1024;

/** What a column is written from: values ascending, docids of each ascending. */
export interface ColumnValues {
  name: string;
  numbers: { value: number; docids: readonly number[] }[];
  strings: { text: string; original: string; docids: readonly number[] }[];
  exists: readonly number[];
  nulls: readonly number[];
  empties: readonly number[];
}

export interface Point {
  docid: number;
  lat: number;
  lng: number;
}

export type ColumnPart = "numbers" | "lists" | "texts" | "least" | "greatest" | "text" | "postings";

/** Start, from that of the column, and bytes of each part; `end` is the whole. */
export function columnLayout(meta: ColumnMeta, documents: number) {
  const { numbers, strings, isSingle, textBytes, postingsBytes } = meta;
  let at = 0;
  const part = (length: number) => {
    const start = at;
    at = aligned(start + length, 8);
    return { start, length };
  };
  const parts: Record<ColumnPart, { start: number; length: number }> = {
    numbers: part(8 * numbers),
    lists: part(4 * (numbers + strings + SETS + 1)),
    texts: part(4 * (2 * strings + 1)),
    least: part(4 * documents),
    greatest: part(isSingle ? 0 : 4 * documents),
    text: part(textBytes),
    postings: part(postingsBytes),
  };
  return { parts, end: at };
}

/** Writes section `columns`. `docids`: of the segment, ascending. Columns come ascending by name. */
export function writeColumns(
  writer: SegmentWriter,
  core: Core,
  docids: readonly number[],
  columns: Iterable<ColumnValues>,
): ColumnMeta[] {
  const metas: ColumnMeta[] = [];
  let ordinals: Map<number, number> | null = null;
  const room = new Region(core);
  let at = 0;
  for (const column of columns) {
    // A segment without columns has no such section.
    if (at === 0) writer.beginSection("columns");
    ordinals ??= new Map(docids.map((docid, ordinal) => [docid, ordinal]));
    const { meta, parts } = encode(core, room, ordinals, column, at);
    let filled = 0;
    const { parts: places, end } = columnLayout(meta, docids.length);
    for (const [name, bytes] of Object.entries(parts)) {
      const { start } = places[name as ColumnPart];
      if (start > filled) writer.append(new Uint8Array(start - filled));
      writer.append(bytes);
      filled = start + bytes.length;
    }
    const next = aligned(end, 16);
    writer.append(new Uint8Array(next - filled));
    at += next;
    metas.push(meta);
  }
  if (at > 0) writer.endSection();
  room.free();
  return metas;
}

/** Writes section `points`. Returns their number. */
export function writePoints(writer: SegmentWriter, points: readonly Point[]): number {
  if (points.length === 0) return 0;
  const degrees = Float64Array.from([...points.map(({ lat }) => lat), ...points.map(({ lng }) => lng)]);
  const docids = Uint32Array.from(points, ({ docid }) => docid);
  writer.beginSection("points");
  writer.append(bytesOf(degrees));
  writer.append(bytesOf(docids));
  writer.endSection();
  return points.length;
}

function encode(
  core: Core,
  room: Region,
  ordinals: ReadonlyMap<number, number>,
  column: ColumnValues,
  at: number,
): { meta: ColumnMeta; parts: Record<ColumnPart, Uint8Array> } {
  const { name, numbers, strings, exists, nulls, empties } = column;
  const values = [...numbers, ...strings].map(({ docids }) => docids);
  const lists = new ByteList();
  const starts = [...values, exists, nulls, empties].map((docids) => {
    const start = lists.length;
    if (docids.length > 0) appendList(lists, core, room, docids);
    return start;
  });
  starts.push(lists.length);
  const text = new ByteList();
  const texts = [...strings.map(({ text }) => text), ...strings.map(({ original }) => original)].map((string) => {
    const start = text.length;
    text.append(Buffer.from(string));
    return start;
  });
  texts.push(text.length);
  const { least, greatest, isSingle } = placesOf(ordinals, values, numbers.length);
  const counts = { numbers: numbers.length, strings: strings.length };
  const meta = { name, at, ...counts, textBytes: text.length, postingsBytes: lists.length, isSingle };
  const parts = {
    numbers: bytesOf(Float64Array.from(numbers, ({ value }) => value)),
    lists: bytesOf(Uint32Array.from(starts)),
    texts: bytesOf(Uint32Array.from(texts)),
    least: bytesOf(least),
    greatest: isSingle ? new Uint8Array(0) : bytesOf(greatest),
    text: text.bytes,
    postings: lists.bytes,
  };
  return { meta, parts };
}

/** First and last value of every document. */
function placesOf(ordinals: ReadonlyMap<number, number>, values: readonly (readonly number[])[], numbers: number) {
  const least = new Uint32Array(ordinals.size).fill(NO_PLACE);
  const greatest = new Uint32Array(ordinals.size).fill(NO_PLACE);
  let isSingle = true;
  values.forEach((docids, place) => {
    for (const docid of docids) {
      const ordinal = ordinals.get(docid)!;
      if (least[ordinal] === NO_PLACE) least[ordinal] = place;
      else isSingle = false;
      // A document with numbers stands among them, whatever its strings.
      if (place < numbers || least[ordinal] >= numbers) greatest[ordinal] = place;
    }
  });
  return { least, greatest, isSingle };
}

function appendList(out: ByteList, core: Core, room: Region, docids: readonly number[]): void {
  if (docids.length > SHORT_LIST_LEN) {
    const capacity = POSTING_BYTES_MAX * docids.length + LIST_SLACK_BYTES;
    const list = room.ensure(4 * docids.length + LIST_SLACK_BYTES + capacity);
    const encoded = list + aligned(4 * docids.length, 16) + 64;
    core.u32.set(docids, list / 4);
    const length = core.exports.postingsEncode(list, docids.length, 0, 0, encoded, capacity);
    if (length === 0) throw new RangeError(`a posting list of ${docids.length} documents does not fit`);
    out.append(core.u8.subarray(encoded, encoded + length));
    return;
  }
  out.varint(docids.length);
  let before = -1;
  for (const docid of docids) {
    out.varint(docid - before - 1);
    before = docid;
  }
}

/** Bytes that grow at their end. */
class ByteList {
  #bytes = new Uint8Array(1024);
  length = 0;

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  append(bytes: Uint8Array): void {
    this.#ensure(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  varint(value: number): void {
    this.#ensure(5);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.length++] = (rest & 127) | 128;
    this.#bytes[this.length++] = rest;
  }

  #ensure(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + more));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}

const aligned = (bytes: number, unit: number): number => Math.ceil(bytes / unit) * unit;

const bytesOf = (values: Uint32Array | Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
