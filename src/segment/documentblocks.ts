// Whole documents in compressed blocks: sections `documents` and `blocks` of a segment. Written in order of
// ordinals by builder.ts and merge.ts, read by segment.ts.
//
//   block      u32 raw bytes, top bit set when stored plain | LZ4 block (or the plain bytes)
//   raw bytes  u32 count | u32 length of each document, `count` times | documents, one after another
//   `blocks`   per block: u32 ordinal of its first document, u32 offset of the block in `documents`;
//              a closing row { number of documents, bytes of `documents` }
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import { Table } from "../core/table.ts";
import type { TarsierError } from "../errors.ts";
import { damagedFile } from "../storage/failure.ts";
import { BlockPress, type PressedBlock } from "./blockpress.ts";
import { BLOCK_SLACK_BYTES, RAW_BYTES_MAX } from "./blockslots.ts";
import type { ExtentCache } from "./cache.ts";
import type { DocumentCache } from "./documentcache.ts";
import type { SegmentFile } from "./file.ts";
import type { Located } from "./locateddocument.ts";
import type { SegmentWriter } from "./writer.ts";

/** A block is closed when its documents reach this many bytes. */
const BLOCK_BYTES = 8 * 1024;
const STORED_PLAIN = 0x8000_0000;
/** Most bytes that one byte of an LZ4 block can stand for. */
const LZ4_RATIO_MAX = 255;
const ROW_BYTES = 8;

/** Buffers of a core for writing blocks; one set per thread. */
export class BlockBuffers {
  readonly core: Core;
  /** Documents of the block that is being filled. */
  readonly staged: Region;
  readonly press: BlockPress;
  /** For a block that is too large for the press. */
  readonly raw: Region;
  readonly packed: Region;

  /** `mayHelp`: a thread that compresses blocks may be started. */
  constructor(core: Core, mayHelp: boolean) {
    this.core = core;
    this.staged = new Region(core, BLOCK_BYTES * 2);
    this.press = new BlockPress(core, mayHelp);
    this.raw = new Region(core);
    this.packed = new Region(core);
  }
}

export class DocumentBlockWriter {
  readonly #buffers: BlockBuffers;
  readonly #writer: SegmentWriter;
  readonly #start: number;
  #lengths: number[] = [];
  #stagedBytes = 0;
  readonly #header = new DataView(new ArrayBuffer(4));
  readonly #rows: Table;
  /** Number of documents in the blocks already written. */
  #documents = 0;
  /** Bytes of all documents before compression. */
  rawBytes = 0;

  /** Begins section `documents` of a writer. */
  constructor(buffers: BlockBuffers, writer: SegmentWriter) {
    this.#buffers = buffers;
    this.#writer = writer;
    this.#rows = new Table(buffers.core, ROW_BYTES / 4);
    if (buffers.press.count > 0) throw new Error("blocks of another segment are still in the press");
    writer.beginSection("documents");
    this.#start = writer.bytes;
  }

  /** Appends a document that is in the core's memory. */
  add(pointer: number, length: number): void {
    const { core, staged } = this.#buffers;
    if (this.#stagedBytes + length > staged.bytes) {
      this.#close();
      staged.ensure(length);
    }
    const target = staged.pointer + this.#stagedBytes;
    core.copy(target, pointer, length);
    this.#lengths.push(length);
    this.#stagedBytes += length;
    this.rawBytes += length;
    if (this.#stagedBytes >= BLOCK_BYTES) this.#close();
  }

  /** Appends a whole block of another segment unchanged. `rawBytes`: bytes of its documents alone. */
  addBlock(pointer: number, length: number, documents: number, rawBytes: number): void {
    this.#close();
    this.#emptyPress();
    this.#beginBlock();
    this.#writer.appendFrom(pointer, length);
    this.#documents += documents;
    this.rawBytes += rawBytes;
  }

  /** Ends section `documents` and writes section `blocks`. */
  finish(): void {
    this.#close();
    this.#emptyPress();
    this.#beginBlock();
    this.#writer.endSection();
    this.#writer.writeTable("blocks", [this.#rows]);
  }

  /** Gives the memory back. */
  free(): void {
    this.#buffers.press.clear();
    this.#rows.free();
  }

  /** Adds the row of the next block. */
  #beginBlock(): void {
    const at = this.#rows.push();
    const { u32 } = this.#buffers.core;
    u32[at] = this.#documents;
    u32[at + 1] = this.#writer.bytes - this.#start;
  }

  #close(): void {
    const count = this.#lengths.length;
    if (count === 0) return;
    const { press } = this.#buffers;
    const rawBytes = 4 + 4 * count + this.#stagedBytes;
    if (rawBytes <= RAW_BYTES_MAX) {
      if (press.isFull) this.#write(press.take());
      this.#fill(press.next);
      press.put(rawBytes, count);
    } else {
      this.#emptyPress();
      this.#write(this.#compress(rawBytes));
    }
    this.#lengths = [];
    this.#stagedBytes = 0;
  }

  /** Joins the staged documents into a block. */
  #fill(raw: number): void {
    const { core, staged } = this.#buffers;
    const count = this.#lengths.length;
    core.u32[raw / 4] = count;
    core.u32.set(this.#lengths, raw / 4 + 1);
    core.copy(raw + 4 + 4 * count, staged.pointer, this.#stagedBytes);
  }

  #compress(rawBytes: number): PressedBlock {
    const buffers = this.#buffers;
    const raw = buffers.raw.ensure(rawBytes + BLOCK_SLACK_BYTES);
    const packed = buffers.packed.ensure(rawBytes + BLOCK_SLACK_BYTES);
    this.#fill(raw);
    const packedBytes = buffers.press.compress(raw, rawBytes, packed);
    return { documents: this.#lengths.length, raw, rawBytes, packed, packedBytes };
  }

  #emptyPress(): void {
    const { press } = this.#buffers;
    while (press.count > 0) this.#write(press.take());
  }

  #write({ documents, raw, rawBytes, packed, packedBytes }: PressedBlock): void {
    this.#beginBlock();
    const isPlain = packedBytes === 0;
    this.#header.setUint32(0, isPlain ? (rawBytes | STORED_PLAIN) >>> 0 : rawBytes, true);
    this.#writer.append(new Uint8Array(this.#header.buffer));
    if (isPlain) this.#writer.appendFrom(raw, rawBytes);
    else this.#writer.appendFrom(packed, packedBytes);
    this.#documents += documents;
  }
}

/**
 * Bytes of the documents in a block whose first 8 bytes are at `packed`, not counting the table of their
 * lengths.
 */
export function blockDocumentBytes(core: Core, packed: number, documents: number): number {
  return (core.view.getUint32(packed, true) & ~STORED_PLAIN) - 4 - 4 * documents;
}

/**
 * Unpacks a block of a file into a region.
 * @throws TarsierError `invalid_store_file`; `offset`: of the block in `documents`
 */
export function unpackBlock(
  core: Core,
  file: SegmentFile,
  offset: number,
  packed: number,
  bytes: number,
  room: Region,
): void {
  const { isPlain, length } = blockHeader(core, file, offset, packed, bytes);
  const raw = room.ensure(length + BLOCK_SLACK_BYTES);
  if (isPlain) core.copy(raw, packed + 4, length);
  else if (core.exports.lz4Decompress(packed + 4, bytes - 4, raw, length) !== length)
    throw damagedBlock(file, offset, length);
}

/**
 * How a block of `bytes` bytes at `packed` is stored. Its length is checked against its bytes: a forged block
 * must neither take gigabytes nor read beyond its end.
 * @throws TarsierError `invalid_store_file`; `offset`: of the block in `documents`
 */
function blockHeader(
  core: Core,
  file: SegmentFile,
  offset: number,
  packed: number,
  bytes: number,
): { isPlain: boolean; length: number } {
  const header = core.view.getUint32(packed, true);
  const isPlain = (header & STORED_PLAIN) !== 0;
  const length = header & ~STORED_PLAIN;
  if (length > (bytes - 4) * (isPlain ? 1 : LZ4_RATIO_MAX)) throw damagedBlock(file, offset, length);
  return { isPlain, length };
}

function damagedBlock(file: SegmentFile, offset: number, length: number): TarsierError {
  const place = file.section("documents").offset + offset;
  const expected = `a block of ${length} bytes`;
  return damagedFile({
    file: file.path,
    offset: place,
    section: "documents",
    expected,
    found: "something else",
  });
}

/** Reads documents of one segment; the block read last is kept unpacked. */
export class DocumentBlocks {
  readonly #file: SegmentFile;
  readonly #cache: ExtentCache;
  readonly scratch: BlockScratch;
  readonly #blocks: number;
  /** Number of the file, among those whose documents are kept. */
  readonly #number: number;

  /** `scratch`: room for one unpacked block; the segments of a thread may share it. */
  constructor(file: SegmentFile, cache: ExtentCache, scratch: BlockScratch) {
    this.#file = file;
    this.#cache = cache;
    this.scratch = scratch;
    this.#blocks = file.section("blocks").length / ROW_BYTES - 1;
    this.#number = scratch.kept?.enter() ?? 0;
  }

  locate(ordinal: number): Located {
    const { kept } = this.scratch;
    const known = kept?.find(this.#number, ordinal);
    if (known) return known;
    const core = this.#cache.core;
    const section = this.#file.section("blocks");
    const rows = this.#cache.load(this.#file, section.offset, section.length) / 4;
    const number = core.exports.documentBlock(4 * rows, this.#blocks, ordinal);
    const row = rows + 2 * number;
    const first = core.u32[row];
    const count = core.u32[row + 2] - first;
    const block = { number, from: core.u32[row + 1], to: core.u32[row + 3] };
    // Always true of what this program wrote; but a forged table must not cause endless counting.
    if (ordinal < first || ordinal - first >= count) throw this.#strangeTable(ordinal, first, count);
    const head = 4 + 4 * count;
    const isAtHand = this.#isAtHand(block);
    const lengths = this.#unpack(block, head) / 4;
    const at = head + (core.exports.documentStart(4 * lengths + 4, ordinal - first) >>> 0);
    const length = core.u32[lengths + 1 + ordinal - first];
    const located = { pointer: this.#unpack(block, at + length) + at, length };
    // Further documents of the same block are found in the unpacked block.
    if (!isAtHand) kept?.keep(this.#number, ordinal, located);
    return located;
  }

  #isAtHand({ number }: { number: number }): boolean {
    return this.scratch.file === this.#file && this.scratch.block === number;
  }

  #strangeTable(ordinal: number, first: number, count: number): TarsierError {
    const { offset } = this.#file.section("blocks");
    const expected = `a block with document ${ordinal}`;
    const found = `${count} documents from ${first} on`;
    return damagedFile({ file: this.#file.path, offset, section: "blocks", expected, found });
  }

  /**
   * Unpacks at least the first `enough` bytes of a block, and no more than necessary; returns their address.
   */
  #unpack(block: { number: number; from: number; to: number }, enough: number): number {
    const { scratch } = this;
    const { region } = scratch;
    const isAtHand = this.#isAtHand(block);
    if (isAtHand && scratch.written >= enough) return region.pointer;
    const { core } = this.#cache;
    const { offset } = this.#file.section("documents");
    // Not held, since it is of no use once it is unpacked: a turn may read any number of documents.
    const bytes = block.to - block.from;
    const packed = this.#cache.load(this.#file, offset + block.from, bytes, false);
    const { isPlain, length } = blockHeader(core, this.#file, block.from, packed, bytes);
    if (enough > length) throw damagedBlock(this.#file, block.from, length);
    if (!isAtHand) {
      scratch.file = null;
      scratch.written = 0;
      scratch.consumed = 0;
    }
    const raw = region.ensure(length + BLOCK_SLACK_BYTES);
    if (isPlain) {
      core.copy(raw, packed + 4, length);
      scratch.written = length;
    } else {
      const { written, consumed } = scratch;
      const done = core.exports.lz4Continue(packed + 4, bytes - 4, consumed, raw, written, length, enough);
      scratch.file = null;
      if (done < enough) throw damagedBlock(this.#file, block.from, length);
      scratch.written = done;
      scratch.consumed = core.exports.lz4Consumed();
    }
    scratch.file = this.#file;
    scratch.block = block.number;
    return region.pointer;
  }
}

/** The block that the segments of a thread unpacked last, as far as it was needed. */
export class BlockScratch {
  readonly region: Region;
  /** Documents from earlier blocks; null: none are kept. */
  readonly kept: DocumentCache | null;
  file: SegmentFile | null = null;
  block = -1;
  /** Bytes unpacked so far; below, bytes of the compressed block that they came from. */
  written = 0;
  consumed = 0;

  constructor(core: Core, kept: DocumentCache | null = null) {
    this.region = new Region(core, BLOCK_BYTES * 4);
    this.kept = kept;
  }
}
