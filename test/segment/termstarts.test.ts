// Where the lists of terms begin: what is written is read, one by one and many at a time, and damage leads no
// reader astray.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { Region } from "../../src/core/region.ts";
import { TermOffsets } from "../../src/segment/termoffsets.ts";
import {
  openTermStarts,
  PLACE_OFFSET,
  POSITIONS,
  POSTINGS,
  ROW_BYTES,
} from "../../src/segment/termstarts.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { segmentFile } from "./sections.ts";

/** Readers read so many bytes beyond the section. */
const READ_BYTES = 8;
const core = new Core();
const room = new Region(core);
const out = core.reserve(4 * 1000);

/** The section for lists of these bytes, in the core's memory. */
function sectionOf(lists: readonly (readonly [number, number])[]): { pointer: number; length: number } {
  const file = segmentFile(core, new MemoryStorage(), "segment", (writer) => {
    const offsets = new TermOffsets(core);
    for (const [postings, positions] of lists) offsets.add(postings, positions);
    offsets.writeTo(writer);
  });
  const pointer = file.readSection(core, "offsets", (bytes) => room.ensure(bytes + 8));
  return { pointer, length: file.section("offsets").length };
}

const bytes = fc.oneof(fc.nat(20), fc.nat(20), fc.nat(100_000), fc.constant(0));
const someLists = fc.array(fc.tuple(bytes, bytes), { maxLength: 300 });

describe("the starts of terms", () => {
  it("are those that were written, for postings and for occurrences", () => {
    fc.assert(
      fc.property(someLists, fc.nat(), fc.nat(), (lists, one, other) => {
        const { pointer, length } = sectionOf(lists);
        const starts = openTermStarts(core, { terms: lists.length, packsStarts: true }, (at) => pointer + at);
        assert.equal(starts.bytes, length);
        const [from, to] = [one, other].map((at) => at % (lists.length + 1)).sort((a, b) => a - b);
        for (const kind of [POSTINGS, POSITIONS] as const) {
          const expected = [0];
          for (const list of lists) expected.push(expected[expected.length - 1] + list[kind]);
          assert.deepEqual(starts.span(kind, from, to), { start: expected[from], end: expected[to] });
          starts.read(kind, from, to, out);
          assert.deepEqual(
            [...core.u32.subarray(out / 4, out / 4 + to - from + 1)],
            expected.slice(from, to + 1),
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it("reach as far as a section can", () => {
    const { pointer } = sectionOf([
      [2 ** 31, 5],
      [2 ** 31 - 1, 0],
      [0, 2 ** 32 - 6],
    ]);
    const starts = openTermStarts(core, { terms: 3, packsStarts: true }, (at) => pointer + at);
    assert.deepEqual(starts.span(POSTINGS, 1, 3), { start: 2 ** 31, end: 2 ** 32 - 1 });
    assert.deepEqual(starts.span(POSITIONS, 2, 3), { start: 5, end: 2 ** 32 - 1 });
  });

  it("take about three bytes a term", () => {
    const lists = Array.from({ length: 900 }, (_, i) => [4 + (i % 40), 8 + (i % 60)] as const);
    assert.ok(sectionOf(lists).length / lists.length < 3.5);
  });

  it("of a damaged section are wrong at worst", () => {
    const lists = Array.from({ length: 200 }, (_, i) => [i % 7, i % 11] as const);
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), fc.nat(199), (where, byte, term) => {
        const { pointer, length } = sectionOf(lists);
        core.u8[pointer + (where % length)] = byte;
        const load = (at: number, count: number) => {
          if (at + count > length) throw new RangeError("behind the section");
          return pointer + at;
        };
        const starts = openTermStarts(core, { terms: lists.length, packsStarts: true }, load);
        try {
          for (const kind of [POSTINGS, POSITIONS] as const) starts.span(kind, term, term + 1);
        } catch (error) {
          assert.ok(error instanceof RangeError && /behind the section/.test(error.message));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("of a section whose blocks are in wrong places are wrong at worst", () => {
    const lists = Array.from({ length: 400 }, (_, i) => [i % 7, i % 11] as const);
    const place = fc.oneof(fc.nat(200), fc.nat(2 ** 32 - 1));
    const damages = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), place), { minLength: 1, maxLength: 4 });
    const written = sectionOf(lists);
    const section = core.read(written.pointer, written.length).slice();
    // At the end of the memory, where a read outside is a trap.
    const pointer = Math.floor((core.memory.buffer.byteLength - section.length - READ_BYTES) / 8) * 8;
    fc.assert(
      fc.property(damages, (places) => {
        core.write(pointer, section);
        const starts = openTermStarts(core, { terms: 400, packsStarts: true }, (at) => pointer + at);
        for (const [row, value] of places)
          core.view.setUint32(pointer + ROW_BYTES * row + PLACE_OFFSET, value, true);
        for (const kind of [POSTINGS, POSITIONS] as const) starts.read(kind, 0, 399, out);
      }),
      { numRuns: 300 },
    );
  });
});
