// Whole documents in compressed blocks: sections `documents` and `blocks` of a segment. Written in order of ordinals
// by builder.ts and merge.ts, read by segment.ts.
//
//   block      u32 raw bytes, top bit set when stored plain | LZ4 block (or the plain bytes)
//   raw bytes  u32 count | u32 length of each document, `count` times | documents, one behind the other
//   `blocks`   per block: u32 ordinal of its first document, u32 offset of the block in `documents`; a closing row
//              { number of documents, bytes of `documents` }
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import { damagedFile } from "../storage/failure.ts";
import type { ExtentCache } from "./cache.ts";
import type { SegmentFile } from "./file.ts";
import type { SegmentWriter } from "./writer.ts";

/** A block is closed when its documents reach this many bytes. */
const BLOCK_BYTES = 16 * 1024;
/** Hash table of the compressor. */
const TABLE_BYTES = 64 * 1024;
const STORED_PLAIN = 0x8000_0000;
const ROW_BYTES = 8;

/** Buffers of a core for writing blocks; one set per thread. */
export class BlockBuffers {
  readonly core: Core;
  readonly raw: Region;
  readonly packed: Region;
  readonly table: number;

  constructor(core: Core) {
    this.core = core;
    this.raw = new Region(core, BLOCK_BYTES * 4);
    this.packed = new Region(core, BLOCK_BYTES * 5);
    this.table = core.reserve(TABLE_BYTES);
  }
}

export class DocumentBlockWriter {
  readonly #buffers: BlockBuffers;
  readonly #writer: SegmentWriter;
  readonly #start: number;
  #lengths: number[] = [];
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #rows: number[] = [];
  #documents = 0;
  /** Bytes of all documents before compression. */
  rawBytes = 0;

  /** Begins section `documents` of a writer. */
  constructor(buffers: BlockBuffers, writer: SegmentWriter) {
    this.#buffers = buffers;
    this.#writer = writer;
    writer.beginSection("documents");
    this.#start = writer.bytes;
  }

  /** Appends a document that lies in the core's memory. */
  add(pointer: number, length: number): void {
    this.#pending.push(this.#buffers.core.u8.slice(pointer, pointer + length));
    this.#lengths.push(length);
    this.#pendingBytes += length;
    this.rawBytes += length;
    if (this.#pendingBytes >= BLOCK_BYTES) this.#close();
  }

  /** Ends section `documents` and writes section `blocks`. */
  finish(): void {
    this.#close();
    const bytes = this.#writer.bytes - this.#start;
    this.#writer.endSection();
    this.#rows.push(this.#documents, bytes);
    this.#writer.writeSection("blocks", new Uint8Array(Uint32Array.from(this.#rows).buffer));
  }

  #close(): void {
    const count = this.#lengths.length;
    if (count === 0) return;
    const { core, raw, packed, table } = this.#buffers;
    const rawLength = 4 + 4 * count + this.#pendingBytes;
    const source = raw.ensure(rawLength + 64);
    const target = packed.ensure(rawLength + 64);
    core.u32.set([count, ...this.#lengths], source / 4);
    let at = source + 4 + 4 * count;
    for (const bytes of this.#pending) {
      core.u8.set(bytes, at);
      at += bytes.length;
    }
    const length = core.exports.lz4Compress(source, rawLength, target + 4, rawLength, table);
    const plain = length <= 0;
    this.#rows.push(this.#documents, this.#writer.bytes - this.#start);
    core.view.setUint32(target, plain ? (rawLength | STORED_PLAIN) >>> 0 : rawLength, true);
    this.#writer.appendFrom(target, plain ? 4 : 4 + length);
    if (plain) this.#writer.appendFrom(source, rawLength);
    this.#documents += count;
    this.#lengths = [];
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** A document in the core's memory, valid until the next one is located. */
export interface Located {
  pointer: number;
  length: number;
}

/** Reads documents of one segment; the block read last is kept unpacked. */
export class DocumentBlocks {
  readonly #file: SegmentFile;
  readonly #cache: ExtentCache;
  readonly scratch: BlockScratch;
  readonly #blocks: number;

  /** `scratch`: room for one unpacked block; the segments of a thread may share it. */
  constructor(file: SegmentFile, cache: ExtentCache, scratch: BlockScratch) {
    this.#file = file;
    this.#cache = cache;
    this.scratch = scratch;
    this.#blocks = file.section("blocks").length / ROW_BYTES - 1;
  }

  locate(ordinal: number): Located {
    const core = this.#cache.core;
    const section = this.#file.section("blocks");
    const rows = this.#cache.load(this.#file, section.offset, section.length) / 4;
    let low = 0;
    let high = this.#blocks;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (core.u32[rows + 2 * middle] <= ordinal) low = middle;
      else high = middle;
    }
    const first = core.u32[rows + 2 * low];
    this.#unpack(low, core.u32[rows + 2 * low + 1], core.u32[rows + 2 * low + 3]);
    const { pointer } = this.scratch.region;
    const lengths = pointer / 4;
    const count = core.u32[lengths];
    let at = pointer + 4 + 4 * count;
    for (let i = 0; i < ordinal - first; i++) at += core.u32[lengths + 1 + i];
    return { pointer: at, length: core.u32[lengths + 1 + ordinal - first] };
  }

  #unpack(block: number, from: number, to: number): void {
    const { scratch } = this;
    if (scratch.file === this.#file && scratch.block === block) return;
    const core = this.#cache.core;
    const packed = this.#cache.load(this.#file, this.#file.section("documents").offset + from, to - from);
    const header = core.view.getUint32(packed, true);
    const length = header & ~STORED_PLAIN;
    scratch.file = null;
    const raw = scratch.region.ensure(length + 64);
    if (header & STORED_PLAIN) core.u8.copyWithin(raw, packed + 4, packed + 4 + length);
    else if (core.exports.lz4Decompress(packed + 4, to - from - 4, raw, length) !== length) {
      const { path: file, sections } = this.#file;
      const offset = sections.get("documents")!.offset + from;
      const found = "something else";
      throw damagedFile({ file, offset, section: "documents", expected: `a block of ${length} bytes`, found });
    }
    scratch.file = this.#file;
    scratch.block = block;
  }
}

/** The unpacked block that the segments of a thread share. */
export class BlockScratch {
  readonly region: Region;
  file: SegmentFile | null = null;
  block = -1;

  constructor(core: Core) {
    this.region = new Region(core, BLOCK_BYTES * 4);
  }
}
