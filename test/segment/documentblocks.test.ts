// Documents come out of their blocks as they went in, whatever their sizes; whole blocks can be copied.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { Table } from "../../src/core/table.ts";
import { ExtentCache } from "../../src/segment/cache.ts";
import {
  BlockBuffers,
  BlockScratch,
  blockDocumentBytes,
  DocumentBlocks,
  DocumentBlockWriter,
  unpackBlock,
} from "../../src/segment/documentblocks.ts";
import type { SegmentFile } from "../../src/segment/file.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { noise, segmentFile } from "./sections.ts";

const core = new Core();
const buffers = new BlockBuffers(core, false);
const cache = new ExtentCache(core, 8 * 1024 * 1024);
const scratch = new BlockScratch(core);
const place = core.reserve(1024 * 1024);

function write(documents: readonly Uint8Array[], ofCore = buffers): SegmentFile {
  return segmentFile(core, new MemoryStorage(), "segment", (writer) => {
    const blocks = new DocumentBlockWriter(ofCore, writer);
    for (const document of documents) {
      core.write(place, document);
      blocks.add(place, document.length);
    }
    blocks.finish();
    assert.equal(
      blocks.rawBytes,
      documents.reduce((sum, { length }) => sum + length, 0),
    );
  });
}

function read(file: SegmentFile, ordinal: number): Uint8Array {
  cache.beginTurn();
  const { pointer, length } = new DocumentBlocks(file, cache, scratch).locate(ordinal);
  return core.read(pointer, length);
}

/** A document that compresses, or one that does not. */
const document = fc
  .tuple(
    fc.oneof(fc.integer({ min: 2, max: 900 }), fc.integer({ min: 2, max: 60_000 })),
    fc.boolean(),
    fc.nat(),
  )
  .map(([length, isNoise, seed]) =>
    isNoise ? noise(length, seed) : new Uint8Array(length).fill(seed & 127),
  );

describe("blocks of documents", () => {
  it("give every document back, in any order", () => {
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 1, maxLength: 60 }),
        fc.array(fc.nat()),
        (documents, order) => {
          const file = write(documents);
          for (const n of [...documents.keys(), ...order.map((n) => n % documents.length)]) {
            assert.ok(Buffer.compare(read(file, n), documents[n]) === 0, `document ${n}`);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("are the same bytes when a thread helps", () => {
    const [single, helped] = [new BlockBuffers(core, false), new BlockBuffers(core, true)];
    const documents = Array.from({ length: 3000 }, (_, i) =>
      i % 500 === 7 ? noise(40_000, i) : Buffer.alloc(200 + ((i * 7919) % 9000), `document ${i} `),
    );
    for (const part of [documents, documents.slice(0, 40)]) {
      const [alone, together] = [write(part, single), write(part, helped)];
      assert.deepEqual(sectionBytes(together, "blocks"), sectionBytes(alone, "blocks"));
      assert.deepEqual(sectionBytes(together, "documents"), sectionBytes(alone, "documents"));
    }
  });

  it("hold many tiny documents", () => {
    const documents = Array.from({ length: 20_000 }, (_, i) => Buffer.from(`{"a":${i}}`));
    const file = write(documents);
    for (const n of [0, 1, 9_999, 19_999]) assert.deepEqual(Buffer.from(read(file, n)), documents[n]);
    assert.ok(file.size < 150_000);
  });

  it("are copied packed from segment to segment, between documents that come one by one", () => {
    const documents = Array.from({ length: 500 }, (_, i) =>
      Buffer.from(`{"id":${i},"text":"${"word ".repeat(i % 40)}"}`),
    );
    const source = write(documents);
    const rows = new Uint32Array(source.section("blocks").length / 4);
    rows.set(core.u32.subarray(loadSection(source, "blocks") / 4).subarray(0, rows.length));
    const copy = segmentFile(core, new MemoryStorage(), "segment", (writer) => {
      const blocks = new DocumentBlockWriter(buffers, writer);
      for (let row = 0; row + 2 < rows.length; row += 2) {
        const [first, from, next, to] = rows.subarray(row, row + 4);
        core.write(place, Buffer.from("{}"));
        blocks.add(place, 2);
        const packed = loadSection(source, "documents") + from;
        blocks.addBlock(packed, to - from, next - first, blockDocumentBytes(core, packed, next - first));
      }
      blocks.finish();
      const all = documents.reduce((sum, { length }) => sum + length, 0);
      assert.equal(blocks.rawBytes, all + 2 * (rows.length / 2 - 1));
    });
    const found = Array.from({ length: documents.length + rows.length / 2 - 1 }, (_, n) =>
      Buffer.from(read(copy, n)).toString(),
    );
    assert.deepEqual(
      found.filter((text) => text !== "{}"),
      documents.map(String),
    );
  });

  it("say no more of their length than their bytes can hold", () => {
    const reserved = core.reservedBytes;
    for (const header of [2 ** 31 - 1, 2 ** 32 - 1, 2 ** 31 + 23, 255 * 22 + 1]) {
      const block = Buffer.alloc(26);
      block.writeUInt32LE(header);
      block.writeUInt32LE(2, 4);
      const file = withBlock(block);
      const offset = file.section("documents").offset;
      const known = { code: "invalid_store_file", message: new RegExp(`${header % 2 ** 31} bytes`) };
      assert.throws(() => read(file, 1), known, `read: ${header}`);
      cache.beginTurn();
      const packed = cache.load(file, offset, block.length);
      const unpack = () => unpackBlock(core, file, 0, packed, block.length, scratch.region);
      assert.throws(unpack, known, `unpacked: ${header}`);
    }
    assert.ok(core.reservedBytes - reserved < 2 ** 24);
  });
});

/** A segment of one block, given as its bytes, that holds two documents by its table. */
function withBlock(block: Uint8Array): SegmentFile {
  return segmentFile(core, new MemoryStorage(), "segment", (writer) => {
    writer.beginSection("documents");
    core.write(place, block);
    writer.appendFrom(place, block.length);
    writer.endSection();
    const rows = new Table(core, 1);
    for (const value of [0, 0, 2, block.length]) rows.append(value);
    writer.writeTable("blocks", [rows]);
    rows.free();
  });
}

function sectionBytes(file: SegmentFile, name: "blocks" | "documents"): Uint8Array {
  const bytes = new Uint8Array(file.section(name).length);
  const pointer = loadSection(file, name);
  bytes.set(core.u8.subarray(pointer, pointer + bytes.length));
  return bytes;
}

function loadSection(file: SegmentFile, name: "blocks" | "documents"): number {
  const { offset, length } = file.section(name);
  cache.beginTurn();
  return cache.load(file, offset, length);
}
