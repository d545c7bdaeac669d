// The ring of extents: right bytes under every order of loads, pointers that hold for a turn, a bound that
// is kept.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { TarsierError } from "../../src/errors.ts";
import { ExtentCache } from "../../src/segment/cache.ts";
import type { SegmentFile } from "../../src/segment/file.ts";
import { CHUNK_BYTES } from "../../src/segment/format.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { noise, segmentFile } from "./sections.ts";

const CACHE_BYTES = 32 * CHUNK_BYTES;
const FILE_BYTES = 100 * CHUNK_BYTES;

const core = new Core();
const storage = new MemoryStorage();
const files = [1, 2].map((seed) => {
  const bytes = noise(FILE_BYTES, seed);
  const file = segmentFile(core, storage, `file-${seed}`, (writer) =>
    writer.writeSection("documents", bytes),
  );
  return { file, bytes, start: file.section("documents").offset };
});

function load(cache: ExtentCache, which: number, offset: number, length: number): number {
  const { file, start } = files[which];
  return cache.load(file, start + offset, length);
}

function holds(pointer: number, which: number, offset: number, length: number): boolean {
  return (
    Buffer.compare(core.read(pointer, length), files[which].bytes.subarray(offset, offset + length)) === 0
  );
}

function isExceeded(error: unknown): boolean {
  return error instanceof TarsierError && error.code === "search_memory_exceeded";
}

type Reads = Pick<SegmentFile, "fetchChunks" | "verifyChunks">;

/** A file whose reads go another way. */
function through(file: SegmentFile, changes: Partial<Reads>): SegmentFile {
  const reads: Reads = {
    fetchChunks: (...given) => file.fetchChunks(...given),
    verifyChunks: (...given) => file.verifyChunks(...given),
    ...changes,
  };
  const readChunks: SegmentFile["readChunks"] = (...given) => {
    reads.fetchChunks(...given);
    reads.verifyChunks(...given);
  };
  return Object.assign(Object.create(file), { ...reads, readChunks });
}

const part = fc.record({
  which: fc.nat(1),
  offset: fc.nat(FILE_BYTES - 1),
  length: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 6 * CHUNK_BYTES })),
});

/** So large that both files are read by windows. */
const WIDE_CACHE_BYTES = 8 * FILE_BYTES + 8 * CHUNK_BYTES;
/** Of one of the files. */
const WINDOWS = 4;

describe("a cache of extents", () => {
  it("gives the bytes of the file, and keeps them in place until the turn ends", () => {
    fc.assert(
      fc.property(fc.array(fc.array(part, { maxLength: 12 }), { maxLength: 30 }), (turns) => {
        const cache = new ExtentCache(core, CACHE_BYTES);
        for (const turn of turns) {
          cache.beginTurn();
          const held: [number, number, number, number][] = [];
          let wanted = 0;
          for (const { which, offset, length: asked } of turn) {
            const length = Math.min(asked, FILE_BYTES - offset);
            // With the chunks that it lies in, and room between extents.
            wanted += length + 2 * CHUNK_BYTES;
            try {
              held.push([load(cache, which, offset, length), which, offset, length]);
            } catch (error) {
              assert.ok(isExceeded(error), String(error));
              assert.ok(wanted > CACHE_BYTES / 2, `refused at ${wanted} bytes`);
            }
          }
          for (const one of held) assert.ok(holds(...one));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("gives the same bytes where files are read by windows", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.boolean(), (parts, holdsAll) => {
        const cache = new ExtentCache(core, WIDE_CACHE_BYTES, true);
        cache.beginTurn();
        for (const { which, offset, length: asked } of parts) {
          const { file, start } = files[which];
          const length = Math.min(asked, FILE_BYTES - offset);
          assert.ok(holds(cache.load(file, start + offset, length, holdsAll), which, offset, length));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("reads a file by windows when all such files fit well", () => {
    const cache = new ExtentCache(core, WIDE_CACHE_BYTES, true);
    cache.beginTurn();
    for (let i = 0; i < FILE_BYTES; i += CHUNK_BYTES) load(cache, 0, i, 1);
    assert.equal(cache.loads, WINDOWS);
    const small = new ExtentCache(core, 2 * FILE_BYTES - CHUNK_BYTES, true);
    small.beginTurn();
    for (let i = 0; i < FILE_BYTES; i += CHUNK_BYTES) load(small, 0, i, 1);
    assert.equal(small.loads, FILE_BYTES / CHUNK_BYTES);
  });

  it("reads the next files by windows when others are closed", () => {
    const cache = new ExtentCache(core, 2 * (FILE_BYTES + 8 * CHUNK_BYTES), true);
    cache.beginTurn();
    load(cache, 0, 0, 1);
    load(cache, 1, 0, 1);
    load(cache, 1, 2 * CHUNK_BYTES, 1);
    assert.equal(cache.loads, 3);
    for (const { file } of files) cache.forget(file);
    load(cache, 1, 0, 1);
    load(cache, 1, 2 * CHUNK_BYTES, 1);
    assert.equal(cache.loads, 4);
  });

  it("gives what is whole although something near it is not", () => {
    const cache = new ExtentCache(core, WIDE_CACHE_BYTES, true);
    cache.beginTurn();
    const { file } = files[0];
    const torn = through(file, {
      fetchChunks(...[, first, last, target]) {
        file.fetchChunks(core, first, last, target);
        if (first <= 9 && last >= 9) core.u8[target + (9 - first) * CHUNK_BYTES + 7] ^= 1;
      },
    });
    const { start } = files[0];
    for (let time = 0; time < 2; time++) {
      const pointer = cache.load(torn, start + 3 * CHUNK_BYTES, 100);
      assert.ok(holds(pointer, 0, 3 * CHUNK_BYTES, 100));
      assert.throws(() => cache.load(torn, 9 * CHUNK_BYTES, 100), { code: "invalid_store_file" });
      assert.throws(() => cache.load(torn, 8 * CHUNK_BYTES, 3 * CHUNK_BYTES), { code: "invalid_store_file" });
    }
  });

  it("verifies each chunk once, and only what was asked for", () => {
    const cache = new ExtentCache(core, WIDE_CACHE_BYTES, true);
    const { file } = files[0];
    const verified: number[] = [];
    const watched = through(file, {
      verifyChunks(...[, first, last, pointer]) {
        for (let chunk = first; chunk <= last; chunk++) verified.push(chunk);
        file.verifyChunks(core, first, last, pointer);
      },
    });
    for (let turn = 0; turn < 3; turn++) {
      cache.beginTurn();
      cache.load(watched, 5 * CHUNK_BYTES, 10);
      cache.load(watched, 4 * CHUNK_BYTES + 9, 2 * CHUNK_BYTES);
      cache.load(watched, 31 * CHUNK_BYTES, CHUNK_BYTES);
    }
    assert.deepEqual(verified, [5, 4, 6, 31]);
  });

  it("loads once what it has room for", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    for (let turn = 0; turn < 50; turn++) {
      cache.beginTurn();
      for (let i = 0; i < 8; i++) load(cache, 0, i * 2 * CHUNK_BYTES, 100);
    }
    assert.equal(cache.loads, 8);
    assert.equal(cache.hits, 49 * 8);
  });

  it("keeps what the running turn holds while all the rest of the ring is used again and again", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    const kept = load(cache, 0, 50 * CHUNK_BYTES, CHUNK_BYTES);
    const more = [];
    for (let i = 0; i < 6; i++) more.push(load(cache, 1, i * 3 * CHUNK_BYTES, CHUNK_BYTES));
    cache.beginTurn();
    assert.equal(load(cache, 0, 50 * CHUNK_BYTES, CHUNK_BYTES), kept);
    for (let i = 0; i < 8; i++) load(cache, 1, (40 + 2 * i) * CHUNK_BYTES, CHUNK_BYTES);
    assert.ok(holds(kept, 0, 50 * CHUNK_BYTES, CHUNK_BYTES));
  });

  it("refuses what one turn cannot hold, and works again in the next", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    assert.throws(() => load(cache, 0, 0, CACHE_BYTES + 1), isExceeded);
    const loadAll = () => {
      for (let i = 0; i < 40; i++) load(cache, 0, i * CHUNK_BYTES, CHUNK_BYTES - 100);
    };
    assert.throws(loadAll, isExceeded);
    cache.beginTurn();
    assert.ok(holds(load(cache, 1, 7, 20 * CHUNK_BYTES), 1, 7, 20 * CHUNK_BYTES));
  });

  it("does not hold what is asked for a moment only", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    const kept = load(cache, 1, 0, CHUNK_BYTES);
    for (let i = 0; i < 90; i++) {
      const { file, bytes, start } = files[0];
      const pointer = cache.load(file, start + i * CHUNK_BYTES, CHUNK_BYTES, false);
      assert.deepEqual(core.read(pointer, 64), bytes.slice(i * CHUNK_BYTES, i * CHUNK_BYTES + 64));
    }
    assert.ok(holds(kept, 1, 0, CHUNK_BYTES));
  });

  it("does not hold either what is asked for again for a moment", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    const { file, start } = files[0];
    for (let i = 0; i < 90; i++)
      for (const _ of ["first", "again"]) cache.load(file, start + i * CHUNK_BYTES, CHUNK_BYTES - 100, false);
    assert.equal(cache.hits > 0, true);
  });

  it("forgets a closed file", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    load(cache, 0, 0, 10 * CHUNK_BYTES);
    cache.forget(files[0].file);
    const pointer = load(cache, 1, 0, 28 * CHUNK_BYTES);
    assert.ok(holds(pointer, 1, 0, 28 * CHUNK_BYTES));
    assert.equal(cache.loads, 2);
    load(cache, 1, 0, 28 * CHUNK_BYTES);
    assert.equal(cache.loads, 2);
  });

  it("passes the failure of a read on, and stays whole", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    const pointer = load(cache, 0, 0, CHUNK_BYTES);
    const broken = { readChunks: () => assert.fail("damaged") } as unknown as SegmentFile;
    assert.throws(() => cache.load(broken, 0, CHUNK_BYTES), /damaged/);
    load(cache, 1, 0, 10 * CHUNK_BYTES);
    assert.ok(holds(pointer, 0, 0, CHUNK_BYTES));
  });

  const pin = (cache: ExtentCache, which: number, offset: number, length: number) =>
    cache.pin(files[which].file, files[which].start + offset, length);

  it("keeps what is pinned over turns that use all the rest", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    const length = 16 * CHUNK_BYTES;
    const pinned = pin(cache, 0, 100, length);
    assert.ok(holds(pinned, 0, 100, length));
    for (let turn = 0; turn < 20; turn++) {
      cache.beginTurn();
      for (let i = 0; i < 4; i++) {
        const offset = ((turn * 4 + i) % 90) * CHUNK_BYTES;
        assert.ok(holds(load(cache, 1, offset, 2 * CHUNK_BYTES), 1, offset, 2 * CHUNK_BYTES));
      }
      assert.equal(pin(cache, 0, 100, length), pinned);
      assert.ok(holds(pinned, 0, 100, length));
    }
  });

  it("pins in the next turn what has no room beside what the turn holds", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    const held = load(cache, 1, 0, 20 * CHUNK_BYTES);
    assert.equal(pin(cache, 0, 0, 20 * CHUNK_BYTES), 0);
    assert.ok(holds(held, 1, 0, 20 * CHUNK_BYTES));
    cache.beginTurn();
    const small = load(cache, 1, 0, 5 * CHUNK_BYTES);
    const pinned = pin(cache, 0, 0, 20 * CHUNK_BYTES);
    assert.ok(holds(pinned, 0, 0, 20 * CHUNK_BYTES));
    assert.ok(holds(small, 1, 0, 5 * CHUNK_BYTES));
  });

  it("gives up what is pinned for a turn that does not use it and needs the room", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    assert.ok(pin(cache, 0, 0, 20 * CHUNK_BYTES) > 0);
    cache.beginTurn();
    assert.ok(holds(load(cache, 1, 0, 28 * CHUNK_BYTES), 1, 0, 28 * CHUNK_BYTES));
    cache.beginTurn();
    assert.ok(pin(cache, 0, 0, 12 * CHUNK_BYTES) > 0);
    assert.equal(pin(cache, 1, 0, 13 * CHUNK_BYTES), 0);
    cache.beginTurn();
    assert.ok(holds(pin(cache, 1, 0, 13 * CHUNK_BYTES), 1, 0, 13 * CHUNK_BYTES));
    assert.equal(pin(cache, 1, 30 * CHUNK_BYTES, CACHE_BYTES), 0);
  });

  it("gives the room of a closed file back, and leaves the others in place until the turn ends", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    assert.ok(pin(cache, 0, 0, 10 * CHUNK_BYTES) > 0);
    const other = pin(cache, 1, 0, 10 * CHUNK_BYTES);
    cache.forget(files[0].file);
    assert.equal(pin(cache, 1, 0, 10 * CHUNK_BYTES), other);
    load(cache, 0, 50 * CHUNK_BYTES, 5 * CHUNK_BYTES);
    assert.ok(holds(other, 1, 0, 10 * CHUNK_BYTES));
    cache.beginTurn();
    assert.ok(
      holds(load(cache, 1, 40 * CHUNK_BYTES, 28 * CHUNK_BYTES), 1, 40 * CHUNK_BYTES, 28 * CHUNK_BYTES),
    );
  });

  it("pins no more than three quarters of its room", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    assert.equal(pin(cache, 0, 0, 24 * CHUNK_BYTES), 0);
    assert.equal(pin(cache, 0, 0, CACHE_BYTES), 0);
    assert.ok(holds(pin(cache, 0, 0, 22 * CHUNK_BYTES), 0, 0, 22 * CHUNK_BYTES));
  });

  it("keeps nothing that is pinned of a closed file, and what is pinned later for good", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    cache.beginTurn();
    assert.ok(pin(cache, 0, 0, 10 * CHUNK_BYTES) > 0);
    cache.forget(files[0].file);
    cache.beginTurn();
    assert.equal(cache.figures.bytes, 0);
    assert.ok(pin(cache, 1, 0, 10 * CHUNK_BYTES) > 0);
    cache.beginTurn();
    assert.ok(cache.figures.bytes > 0);
  });

  it("reads what was asked for alone where what is near it cannot be read", () => {
    const { file, start, bytes } = files[0];
    const alone = through(file, {
      fetchChunks: (to, first, last, pointer) => {
        if (last > first) throw new Error("unreadable");
        file.fetchChunks(to, first, last, pointer);
      },
    });
    const cache = new ExtentCache(core, WIDE_CACHE_BYTES, true);
    cache.beginTurn();
    assert.deepEqual(core.read(cache.load(alone, start, 100), 100), bytes.slice(0, 100));
  });

  it("reads anew what was read with an error", () => {
    const { file, start } = files[0];
    let isTorn = true;
    const torn = through(file, {
      fetchChunks(to, first, last, target) {
        file.fetchChunks(to, first, last, target);
        if (isTorn) to.u8[target + 7] ^= 1;
      },
    });
    const cache = new ExtentCache(core, WIDE_CACHE_BYTES, true);
    cache.beginTurn();
    assert.throws(() => cache.load(torn, 0, start + 100), { code: "invalid_store_file" });
    isTorn = false;
    assert.ok(holds(cache.load(torn, 0, start + 100) + start, 0, 0, 100));
  });

  it("gives the right bytes after thousands of others had their place", () => {
    const cache = new ExtentCache(core, CACHE_BYTES);
    for (let i = 0; i < 5000; i++) {
      if (i % 2 === 0) cache.beginTurn();
      const offset = ((i * 7) % 90) * CHUNK_BYTES;
      assert.ok(holds(load(cache, i % 3 === 0 ? 1 : 0, offset, 300), i % 3 === 0 ? 1 : 0, offset, 300));
    }
  });

  it("keeps in place all that a turn uses, loaded or pinned, whatever else it does", () => {
    const span = fc.record({ which: fc.nat(1), first: fc.nat(4), chunks: fc.integer({ min: 1, max: 8 }) });
    const kind = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom("turn", "load", "pin") },
      { weight: 1, arbitrary: fc.constantFrom("load", "moment", "close") },
    );
    const step = fc.record({ kind, span });
    const check = (steps: { kind: string; span: { which: number; first: number; chunks: number } }[]) => {
      const cache = new ExtentCache(core, CACHE_BYTES);
      let used: [pointer: number, which: number, offset: number, length: number][] = [];
      for (const { kind, span } of steps) {
        const { which, first } = span;
        const { file, start } = files[which];
        const offset = first * 5 * CHUNK_BYTES;
        // What is pinned from one place on always has the same length.
        const length = (kind === "pin" ? 1 + ((first * 5) % 12) : span.chunks) * CHUNK_BYTES;
        if (kind === "turn") {
          cache.beginTurn();
          used = [];
        } else if (kind === "close") {
          cache.forget(file);
          used = used.filter(([, other]) => other !== which);
        } else if (kind === "pin") {
          const pointer = pin(cache, which, offset, length);
          if (pointer > 0) used.push([pointer, which, offset, length]);
        } else {
          try {
            const pointer = cache.load(file, start + offset, length, kind === "load");
            assert.ok(holds(pointer, which, offset, length));
            if (kind === "load") used.push([pointer, which, offset, length]);
          } catch (error) {
            if (!isExceeded(error)) throw error;
          }
        }
        for (const place of used) assert.ok(holds(...place));
      }
    };
    fc.assert(fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), check), { numRuns: 300 });
  });
});
