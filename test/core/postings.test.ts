// Posting lists and positions have the drawn bytes, every reader sees the documents in them, merges equal the
// twin's, and damaged bytes harm nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { MERGE_RESULT_BYTES, MERGE_SOURCE_BYTES, writeMergeSource } from "../../src/core/postings.ts";
import { bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import { documentBytes, encode, merge, type Posting } from "../twins/postings.ts";
import { postings } from "./randompostings.ts";

const ROOM_BYTES = 1 << 19;
const SOURCES_MAX = 5;
/** Readers read so many bytes beyond a list. */
const READ_BYTES = 64;
const core = new Core();
const kernels = core.exports;
const [list, positions, docids, out, counts, keys] = Array.from({ length: 6 }, () =>
  core.reserve(ROOM_BYTES),
);
const scratch = core.reserve(kernels.postingsMergeScratch(SOURCES_MAX));
const sources = core.reserve(SOURCES_MAX * MERGE_SOURCE_BYTES);
const result = core.reserve(MERGE_RESULT_BYTES);
const inputs = Array.from({ length: SOURCES_MAX }, () => core.reserve(ROOM_BYTES));

const readU32 = (pointer: number, count: number): number[] => [
  ...core.u32.subarray(pointer >>> 2, (pointer >>> 2) + count),
];

/** Writes the twin's bytes; returns their lengths. */
function write(some: readonly Posting[]): [length: number, positionsLength: number] {
  const bytes = encode(some);
  core.write(list, bytes.list);
  core.write(positions, bytes.positions);
  return [bytes.list.length, bytes.positions.length];
}

const docidsOf = (some: readonly Posting[]): number[] => some.map(({ docid }) => docid);

test("the encoder writes the drawn bytes, or nothing when they do not fit", () => {
  fc.assert(
    fc.property(postings(700), fc.nat(), (some, cut) => {
      const bytes = encode(some);
      core.write(positions, bytes.positions);
      core.u32.set(docidsOf(some), docids >>> 2);
      const write = (capacity: number): number =>
        kernels.postingsEncode(docids, some.length, positions, bytes.positions.length, out, capacity);
      assert.equal(write(bytes.list.length + 4), bytes.list.length);
      assert.deepEqual(core.read(out, bytes.list.length), bytes.list);
      const capacity = cut % bytes.list.length;
      core.u8.fill(0xee, out, out + bytes.list.length + 64);
      assert.equal(write(capacity), 0);
      assert.ok(core.u8.subarray(out + capacity, out + bytes.list.length).every((byte) => byte === 0xee));
    }),
  );
});

test("gaps of every size that a docid can have come back", () => {
  const gap = fc.nat(28).chain((bits) => fc.integer({ min: 2 ** bits - 1, max: 2 ** (bits + 1) - 1 }));
  fc.assert(
    fc.property(fc.array(gap, { minLength: 1, maxLength: 3 }), fc.nat(200), (gaps, before) => {
      const all = Array.from({ length: before }, (_, docid) => docid);
      for (const less of gaps) all.push((all.at(-1) ?? -1) + less + 1);
      const { list: bytes, positions: places } = encode(all.map((docid) => ({ docid, keys: [0] })));
      core.u32.set(all, docids >>> 2);
      core.write(positions, places);
      assert.equal(
        kernels.postingsEncode(docids, all.length, positions, places.length, out, ROOM_BYTES),
        bytes.length,
      );
      assert.deepEqual(core.read(out, bytes.length), bytes);
      assert.equal(kernels.postingsDecode(out, bytes.length, counts, all.length), all.length);
      assert.deepEqual(readU32(counts, all.length), all);
    }),
    { numRuns: 300 },
  );
});

test("a list that says it has more documents than its bytes can tell is damaged", () => {
  for (const count of [2, 128, 129, 300, 100_000, 2 ** 30, 2 ** 32 - 1]) {
    let rest = count;
    const head: number[] = [];
    for (; rest > 127; rest = Math.floor(rest / 128)) head.push((rest % 128) | 128);
    core.write(list, Uint8Array.from([...head, rest]));
    const blocks = count > 128 ? Math.floor(count / 128) : 0;
    const least = head.length + 1 + 13 * blocks + (blocks ? count % 128 : count);
    for (const length of [0, 1, head.length + 1, least - 1])
      if (length < least) assert.equal(kernels.postingsCount(list, length), -1, `${count} ${length}`);
    if (count <= 2 ** 20) assert.equal(kernels.postingsCount(list, least), count);
  }
});

test("readers see all documents, and only those", () => {
  fc.assert(
    fc.property(postings(700), (some) => {
      const [length] = write(some);
      const all = docidsOf(some);
      assert.equal(kernels.postingsCount(list, length), all.length);
      assert.equal(kernels.postingsDecode(list, length, out, all.length), all.length);
      assert.deepEqual(readU32(out, all.length), all);
      assert.equal(kernels.postingsDecode(list, length, out, all.length - 1), -1);
    }),
  );
});

test("a list without full blocks is read up to a docid", () => {
  fc.assert(
    fc.property(postings(128), fc.nat(), fc.boolean(), (some, pick, isBetween) => {
      const [length] = write(some);
      const all = docidsOf(some);
      const last = all[pick % all.length] + Number(isBetween);
      const expected = all.filter((docid) => docid <= last);
      assert.equal(kernels.postingsUpTo(list, length, last, out), expected.length);
      assert.deepEqual(readU32(out, expected.length), expected);
      assert.equal(kernels.postingsUpTo(list, length, 0xffffffff, out), all.length);
    }),
  );
  const [length] = write(Array.from({ length: 129 }, (_, docid) => ({ docid, keys: [0] })));
  assert.equal(kernels.postingsUpTo(list, length, 5, out), -1);
});

test("a list has a document outside of a bitmap unless all of them are in it", () => {
  fc.assert(
    fc.property(postings(700), fc.nat(), fc.boolean(), (some, pick, all) => {
      const [length] = write(some);
      const docids = docidsOf(some);
      const left = all ? -1 : docids[pick % docids.length];
      const words = bitmapWords(docids[docids.length - 1] + 1);
      const inside = docids.filter((docid) => docid !== left);
      core.write(out, bitmapBytes(inside, words));
      assert.equal(kernels.postingsAnyOutside(list, length, out, words), Number(!all));
      assert.equal(kernels.postingsAnyOutside(list, length, out, 0), 1);
    }),
  );
});

test("a list is added to a bitmap, which may end before it", () => {
  fc.assert(
    fc.property(postings(700), fc.array(fc.nat(999), { maxLength: 20 }), fc.nat(), (some, before, cut) => {
      const [length] = write(some);
      const all = docidsOf(some);
      const words = bitmapWords(1 + (cut % (Math.min(all[all.length - 1], 60_000) + 1)));
      core.u8.fill(0xee, out, out + words * 8 + 64);
      core.write(out, bitmapBytes(before, words));
      assert.equal(kernels.postingsIntoBitmap(list, length, out, words), all.length);
      assert.deepEqual(core.read(out, words * 8), bitmapBytes([...before, ...all], words));
      assert.ok(core.u8.subarray(out + words * 8, out + words * 8 + 64).every((byte) => byte === 0xee));
    }),
  );
});

interface Source {
  postings: Posting[];
  dead: Set<number>;
  tombstoneBits: number;
}

/** Sources whose docids interleave; a docid that is live in one is dead in all others that have it. */
const merging = fc
  .tuple(
    postings(600),
    fc.integer({ min: 1, max: SOURCES_MAX }),
    fc.array(fc.nat(99), { minLength: 1, maxLength: 60, size: "max" }),
    fc.nat(40),
  )
  .map(([some, count, picks, run]): Source[] => {
    const made = Array.from(
      { length: count },
      (): Source => ({ postings: [], dead: new Set(), tombstoneBits: 0 }),
    );
    some.forEach((posting, index) => {
      const pick = picks[Math.floor(index / (run + 1)) % picks.length];
      made[pick % count].postings.push(posting);
      // Dead everywhere, or a dead older version in another source.
      if (pick % 5 === 0) made[pick % count].dead.add(posting.docid);
      else if (pick % 5 === 1 && count > 1) {
        made[(pick + 1) % count].postings.push({ docid: posting.docid, keys: [7] });
        made[(pick + 1) % count].dead.add(posting.docid);
      }
    });
    for (const source of made) source.tombstoneBits = source.dead.size ? Math.max(...source.dead) + 1 : 0;
    return made.filter((source) => source.postings.length > 0);
  });

function writeSources(made: readonly Source[]): void {
  made.forEach((source, index) => {
    const bytes = encode(source.postings);
    const at = inputs[index];
    const tombstones = at + Math.ceil((bytes.list.length + bytes.positions.length) / 8) * 8;
    core.write(at, bytes.list);
    core.write(at + bytes.list.length, bytes.positions);
    // What follows the tombstones says nothing.
    core.fill(tombstones, 0xff, source.tombstoneBits / 8 + 16);
    for (let docid = 0; docid < source.tombstoneBits; docid++)
      if (!source.dead.has(docid)) core.u8[tombstones + (docid >> 3)] &= ~(1 << (docid & 7));
    writeMergeSource(core, sources, index, {
      list: at,
      length: bytes.list.length,
      positions: at + bytes.list.length,
      positionsLength: bytes.positions.length,
      tombstones: source.dead.size ? tombstones : 0,
      tombstoneBits: source.tombstoneBits,
    });
  });
}

test("a merge equals a list written from the live documents", () => {
  fc.assert(
    fc.property(merging, fc.nat(), (made, cut) => {
      writeSources(made);
      const live = merge(made);
      const run = (capacity: number, positionsCapacity: number): number =>
        kernels.postingsMerge(sources, made.length, out, capacity, keys, positionsCapacity, scratch, result);
      assert.equal(run(ROOM_BYTES, ROOM_BYTES), 0);
      const [df, length, positionsLength] = readU32(result, 3);
      assert.equal(df, live.length);
      if (df === 0) return;
      const expected = encode(live);
      assert.deepEqual(core.read(out, length), expected.list);
      assert.deepEqual(core.read(keys, positionsLength), expected.positions);
      assert.equal(run(cut % length, ROOM_BYTES), -2);
      core.u8.fill(0xee, keys + (cut % positionsLength), keys + positionsLength + 64);
      assert.equal(run(ROOM_BYTES, cut % positionsLength), -2);
      assert.equal(core.u8[keys + (cut % positionsLength)], 0xee);
    }),
    { numRuns: 300 },
  );
});

test("damaged lists and positions trap no reader, and nothing is written outside", () => {
  const edit = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(
      postings(500),
      fc.array(edit, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      fc.nat(),
      (some, edits, isHead, cut) => {
        const [length, positionsLength] = write(some);
        for (const [at, value] of edits) {
          core.u8[list + (at % (isHead ? Math.min(length, 40) : length))] = value;
          core.u8[positions + (at % positionsLength)] = value;
        }
        const seen = cut % (length + 1);
        const most = 600;
        core.u8.fill(0xee, out + most * 4 + 512, out + most * 4 + 1024);
        assert.ok(kernels.postingsDecode(list, seen, out, most) <= most);
        assert.ok(kernels.postingsIntoBitmap(list, seen, out, 4) >= -1);
        kernels.postingsAnyOutside(list, seen, out, 4);
        const source = { list, length: seen, positions, positionsLength, tombstones: 0, tombstoneBits: 0 };
        writeMergeSource(core, sources, 0, source);
        writeMergeSource(core, sources, 1, source);
        kernels.postingsMerge(sources, 2, counts, 4096, out, most * 4, scratch, result);
        assert.ok(
          core.u8.subarray(out + most * 4 + 512, out + most * 4 + 1024).every((byte) => byte === 0xee),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test("damaged lists that end with the memory trap no reader", () => {
  const edit = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(
      postings(500),
      fc.array(edit, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      (some, edits, cut) => {
        const bytes = encode(some);
        for (const [at, value] of edits) bytes.list[at % bytes.list.length] = value;
        const length = 1 + (cut % bytes.list.length);
        const at = core.memory.buffer.byteLength - READ_BYTES - length;
        core.write(at, bytes.list.subarray(0, length));
        core.write(positions, bytes.positions);
        kernels.postingsCount(at, length);
        kernels.postingsDecode(at, length, out, 600);
        kernels.postingsUpTo(at, length, 0xffffffff, out);
        kernels.postingsIntoBitmap(at, length, out, 4);
        kernels.postingsAnyOutside(at, length, out, 4);
        kernels.postingsFirst(at, length, out, 4, 1);
        const own = { list: at, length, positions, positionsLength: bytes.positions.length };
        for (const index of [0, 1])
          writeMergeSource(core, sources, index, { ...own, tombstones: 0, tombstoneBits: 0 });
        kernels.postingsMerge(sources, 2, counts, 4096, keys, 4096, scratch, result);
      },
    ),
    { numRuns: 1000 },
  );
});

test("a walk over positions ends with them, wherever they are cut and whatever follows", () => {
  const some = Array.from({ length: 60 }, (_, docid) => ({
    docid,
    keys: [docid, 70 + docid * 900].slice(docid % 2),
  }));
  const bytes = encode(some).positions;
  core.write(positions, bytes);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const end = positions + cut;
    let whole = positions;
    for (let count = 0; count <= some.length; count++) {
      assert.equal(kernels.occurrencesSkip(positions, end, count), Math.min(whole, end));
      whole += documentBytes(some[count]?.keys ?? []).length;
    }
  }
});

test("the drawn example of positions has the drawn bytes", () => {
  assert.deepEqual(documentBytes([3, 5, 2 * 65536 + 1]), [3 << 2, 2 << 2, (2 << 2) | 2, (1 << 2) | 1]);
});
