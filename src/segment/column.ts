// One column of one segment, open for reading (layout in columns.ts). Parts are loaded when they are asked for. Used by filters
// and sorts (engine/filter, engine/search) through segment.ts, and by merges (columnmerge.ts).
import type { Core } from "../core/core.ts";
import { type ColumnPart, columnLayout } from "./columns.ts";
import type { ColumnMeta } from "./format.ts";

/** Address of bytes of section `columns`. */
export type ColumnLoader = (offset: number, length: number) => number;

export class Column {
  readonly meta: ColumnMeta;
  readonly #core: Core;
  readonly #documents: number;
  readonly #load: ColumnLoader;
  readonly #parts: ReturnType<typeof columnLayout>["parts"];

  constructor(core: Core, meta: ColumnMeta, documents: number, load: ColumnLoader) {
    this.meta = meta;
    this.#core = core;
    this.#documents = documents;
    this.#load = load;
    this.#parts = columnLayout(meta, documents).parts;
  }

  /** Places of values: numbers, then strings; the sets of documents begin here. */
  get values(): number {
    return this.meta.numbers + this.meta.strings;
  }

  get numbers(): Float64Array {
    return new Float64Array(this.#core.memory.buffer, this.#part("numbers"), this.meta.numbers);
  }

  /** Place of the first number that is at least `value`, or above it. */
  numberFrom(value: number, isAbove = false): number {
    const { numbers } = this;
    return firstPlace(numbers.length, (i) => (isAbove ? numbers[i] > value : numbers[i] >= value));
  }

  /** The string number `index`, in UTF-8. */
  textBytes(index: number): Buffer {
    const starts = this.#part("texts") / 4;
    const { u32 } = this.#core;
    const start = u32[starts + index];
    const text = this.#part("text");
    return Buffer.from(this.#core.memory.buffer as ArrayBuffer, text + start, u32[starts + index + 1] - start);
  }

  text(index: number): string {
    return this.textBytes(index).toString();
  }

  /** How the string is written in the document with the lowest number. */
  original(index: number): string {
    return this.textBytes(this.meta.strings + index).toString();
  }

  /** Number of the first string that stands at `bytes` or behind, or behind only. */
  textFrom(bytes: Uint8Array, isAbove = false): number {
    return firstPlace(this.meta.strings, (i) => {
      const order = Buffer.compare(this.textBytes(i), bytes);
      return isAbove ? order > 0 : order >= 0;
    });
  }

  /** Adds the documents of the places [from, to) to a bitmap. */
  union(from: number, to: number, bitmap: number, words: number): void {
    if (from >= to) return;
    const starts = this.#part("lists");
    const postings = this.#part("postings");
    const done = this.#core.exports.postingsUnion(starts, from, to, postings, bitmap, words);
    if (done < 0) throw new RangeError(`damaged lists in column ${this.meta.name}`);
  }

  /** Documents of a place: their number, their docids at an address that `room` gives. */
  docids(place: number, room: (bytes: number) => number): Uint32Array {
    const starts = this.#part("lists") / 4;
    const { u32, exports } = this.#core;
    const start = u32[starts + place];
    const length = u32[starts + place + 1] - start;
    if (length === 0) return new Uint32Array(0);
    const list = this.#part("postings") + start;
    const count = exports.postingsCount(list, length);
    const out = count < 0 ? 0 : room(4 * count + DECODE_SLACK_BYTES);
    if (count < 0 || exports.postingsDecode(list, length, out, count) !== count) {
      throw new RangeError(`a damaged list in column ${this.meta.name}`);
    }
    return new Uint32Array(this.#core.memory.buffer, out, count);
  }

  /** Place of the first value of each document, by ordinal; NO_PLACE. */
  get least(): Uint32Array {
    return new Uint32Array(this.#core.memory.buffer, this.#part("least"), this.#documents);
  }

  /** Place of its last number or, without numbers, its last string. */
  get greatest(): Uint32Array {
    if (this.meta.isSingle) return this.least;
    return new Uint32Array(this.#core.memory.buffer, this.#part("greatest"), this.#documents);
  }

  #part(name: ColumnPart): number {
    const { start, length } = this.#parts[name];
    return this.#load(this.meta.at + start, length);
  }
}

/** Kernels write whole blocks. */
const DECODE_SLACK_BYTES = 1024;

/** The first place where a condition holds that holds for all places behind. */
function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
