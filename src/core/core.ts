// One instance of the WebAssembly core with the linear memory that the host manages for it. Kernels get
// pointers into regions reserved here; a search takes memory from one of them, its scratch (scratch.ts).
// Every thread that needs the core owns one instance.
//
//   0        heapBase        reserved regions (permanent)            scratch (a stack, emptied by its users)
//   [ static data | region | region | ...                    | ->                    ]
import { readCore } from "./corefile.ts";
import type { CoreExports } from "./exports.ts";
import { printNumber, readDouble } from "./jsonnumbers.ts";

/**
 * Functions of the host that the core calls: for fields of documents, dictionaries of words, and lists in
 * files.
 */
export interface CoreImports {
  /** Searchable field number of a dotted path of `length` bytes at `path`, or -1. */
  field(path: number, length: number): number;
  /** Column of the same path, or -1; flags such as COLUMN_POINT (json.ts) are added where they apply. */
  column(path: number, length: number): number;
  /**
   * Writes the normal form of a text, as columns hold it, to `out`, at most 479 bytes; returns its length.
   */
  facet(text: number, length: number, out: number): number;
  /** Number of the set of top-level names of the JSON document at `json`. */
  shape(json: number, length: number): number;
  /** Splits a piece of text into words; writes the byte length of each as u32 to `out`, returns how many. */
  segment(text: number, length: number, language: number, out: number, most: number): number;
  /**
   * Writes to `out` where the lists of the terms [from, to) of a segment are (kind: 0 postings, 1
   * occurrences), as u32 address and u32 bytes: they stay there until the next turn.
   */
  lists(segment: number, kind: number, from: number, to: number, out: number): void;
  /** Writes to `out` where each of these lists begins, u32, and one to close the last. */
  starts(segment: number, kind: number, from: number, to: number, out: number): void;
  /** 1 when users would call a term of a segment a number. */
  numeric(segment: number, ordinal: number): number;
  /** Throws because this much scratch memory is not left. */
  exhausted(bytes: number): void;
}

const PAGE_BYTES = 65536;
/** Kernels may read, but not write, this far beyond a region. */
const SLACK_BYTES = 64;

/**
 * Which build of the core runs: wherever there is shared memory the one over it, since its views stay valid
 * when the memory grows; the other one in pages without isolation headers.
 */
const SHARED = typeof SharedArrayBuffer !== "undefined";

/** The file of that build. */
const CORE_NAME = SHARED ? "core.wasm" : "core.single.wasm";

let compiled: WebAssembly.Module | undefined;

/** The compiled core; compiled once per thread, or handed in by the thread that compiled it first. */
export function coreModule(shared?: WebAssembly.Module): WebAssembly.Module {
  compiled ??= shared ?? new WebAssembly.Module(readCore(CORE_NAME));
  return compiled;
}

/** Nothing of a core's 4 GiB is left for what was asked for; its contents are as before. */
export class CoreExhausted extends RangeError {
  constructor(bytes: number, options: ErrorOptions) {
    super(`the core has no ${bytes} bytes left of its 4 GiB`, options);
  }
}

export class Core {
  readonly exports: CoreExports;
  readonly memory: WebAssembly.Memory;
  /** To be set before using kernels that call the host (see CoreImports). */
  readonly imports: CoreImports;
  #u8: Uint8Array;
  #u32: Uint32Array;
  #i32: Int32Array;
  #view: DataView;
  #top: number;
  /** Regions that were given back, by size class. */
  readonly #free = new Map<number, number[]>();

  constructor(module: WebAssembly.Module = coreModule()) {
    this.memory = new WebAssembly.Memory({ initial: 64, maximum: 65536, shared: SHARED });
    this.imports = {
      field: () => -1,
      column: () => -1,
      facet: () => 0,
      shape: () => 0,
      segment: () => 0,
      lists: () => {},
      starts: () => {},
      numeric: () => 0,
      exhausted: () => {},
    };
    const env = {
      memory: this.memory,
      field: (path: number, length: number) => this.imports.field(path >>> 0, length),
      column: (path: number, length: number) => this.imports.column(path >>> 0, length),
      facet: (text: number, length: number, out: number) => this.imports.facet(text >>> 0, length, out >>> 0),
      double: (text: number, length: number) => readDouble(this.#u8, text >>> 0, length),
      shape: (json: number, length: number) => this.imports.shape(json >>> 0, length),
      number: (text: number, length: number, out: number) =>
        printNumber(this.#u8, text >>> 0, length, out >>> 0),
      segment: (text: number, length: number, language: number, out: number, most: number) =>
        this.imports.segment(text >>> 0, length, language, out >>> 0, most),
      lists: (segment: number, kind: number, from: number, to: number, out: number) =>
        this.imports.lists(segment, kind, from, to, out >>> 0),
      starts: (segment: number, kind: number, from: number, to: number, out: number) =>
        this.imports.starts(segment, kind, from, to, out >>> 0),
      numeric: (segment: number, ordinal: number) => this.imports.numeric(segment, ordinal),
      exhausted: (bytes: number) => this.imports.exhausted(bytes >>> 0),
    };
    const instance = new WebAssembly.Instance(module, { env });
    this.exports = instance.exports as unknown as CoreExports;
    this.#top = (this.exports.heapBase() + 4095) & ~4095;
    this.#u8 = new Uint8Array(this.memory.buffer);
    this.#u32 = new Uint32Array(this.memory.buffer);
    this.#i32 = new Int32Array(this.memory.buffer);
    this.#view = new DataView(this.memory.buffer);
  }

  /** Views of the whole memory. To be taken anew after `reserve` or `take`: the memory may have grown. */
  get u8(): Uint8Array {
    return this.#u8;
  }
  get u32(): Uint32Array {
    return this.#u32;
  }
  get i32(): Int32Array {
    return this.#i32;
  }
  get view(): DataView {
    return this.#view;
  }

  /** Bytes that were handed out, including those that were given back. */
  get reservedBytes(): number {
    return this.#top;
  }

  /**
   * Reserves a region for the life of this instance, aligned to 16 bytes, zeroed. Untouched pages cost no
   * memory.
   * @throws CoreExhausted
   */
  reserve(bytes: number): number {
    if (!Number.isFinite(bytes) || bytes < 0) throw new RangeError(`${bytes} bytes of a core were asked for`);
    const pointer = this.#top;
    const top = Math.ceil((pointer + bytes + SLACK_BYTES) / 16) * 16;
    const missing = top - this.memory.buffer.byteLength;
    if (missing > 0) {
      this.#grow(missing);
      this.#u8 = new Uint8Array(this.memory.buffer);
      this.#u32 = new Uint32Array(this.memory.buffer);
      this.#i32 = new Int32Array(this.memory.buffer);
      this.#view = new DataView(this.memory.buffer);
    }
    // Only now, so that a request which is too large leaves the rest of the memory to others.
    this.#top = top;
    return pointer;
  }

  /** A copy of bytes as text. */
  text(pointer: number, length: number): string {
    return Buffer.from(this.#u8.subarray(pointer, pointer + length)).toString();
  }

  /**
   * A region for temporary use, its contents undefined: after `give` the next request of its size class gets
   * it.
   * @throws CoreExhausted
   */
  take(bytes: number): number {
    const size = sizeClass(bytes);
    return this.#free.get(size)?.pop() ?? this.reserve(size);
  }

  /** Gives back what `take` returned for the same number of bytes. */
  give(pointer: number, bytes: number): void {
    const size = sizeClass(bytes);
    const list = this.#free.get(size);
    if (list) list.push(pointer);
    else this.#free.set(size, [pointer]);
  }

  /** Sets bytes; much faster than `u8.fill` over shared memory. */
  fill(pointer: number, value: number, bytes: number): void {
    this.exports.memoryFill(pointer, value, bytes);
  }

  /** Copies bytes inside linear memory; just as fast. */
  copy(to: number, from: number, bytes: number): void {
    this.exports.memoryCopy(to, from, bytes);
  }

  /** Copies bytes to a place in linear memory. */
  write(pointer: number, bytes: Uint8Array): void {
    this.#u8.set(bytes, pointer);
  }

  /** A copy of bytes of linear memory. */
  read(pointer: number, length: number): Uint8Array {
    return this.#u8.slice(pointer, pointer + length);
  }

  #grow(bytes: number): void {
    try {
      this.memory.grow(Math.ceil(bytes / PAGE_BYTES));
    } catch (cause) {
      throw new CoreExhausted(bytes, { cause });
    }
  }
}

/** Size classes are powers of two from 64 bytes on. */
const sizeClass = (bytes: number): number => 2 ** Math.max(6, Math.ceil(Math.log2(bytes)));
