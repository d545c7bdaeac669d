// Packed blocks have the drawn layout at every width and come back unchanged, as values and as docids.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { packBlock } from "../twins/pack.ts";

const core = new Core();
const kernels = core.exports;
const values = core.reserve(512);
const packed = core.reserve(512);
const out = core.reserve(512);

const read = (pointer: number): number[] => [...core.u32.subarray(pointer >>> 2, (pointer >>> 2) + 128)];

/** 128 numbers of at most `width` bits. */
const numbers = (width: number): fc.Arbitrary<number[]> =>
  fc
    .array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 128, maxLength: 128 })
    .map((some) => some.map((part) => Math.floor(part * 2 ** width)));

test("every width has the drawn layout and comes back", () => {
  for (let width = 0; width <= 32; width++) {
    fc.assert(
      fc.property(numbers(width), fc.nat(127), (block, top) => {
        if (width > 0) block[top] = 2 ** width - 1;
        core.u32.set(block, values >>> 2);
        assert.equal(kernels.packWidth(values), width);
        core.u8.fill(0xee, packed, packed + 560);
        kernels.packBlock(values, width, packed);
        assert.deepEqual(core.read(packed, 16 * width), packBlock(block, width));
        assert.equal(core.u8[packed + 16 * width], 0xee);
        kernels.unpackBlock(packed, width, out);
        assert.deepEqual(read(out), block);
      }),
      { numRuns: 20 },
    );
  }
});

test("docids come back from their gaps, for gaps of every size", () => {
  const gap = fc.nat(24).chain((bits) => fc.nat(2 ** bits - 1));
  fc.assert(
    fc.property(
      fc.array(gap, { minLength: 128, maxLength: 128 }),
      fc.integer({ min: -1, max: 1 << 20 }),
      (gaps, base) => {
        let last = base;
        const docids = gaps.map((less) => {
          last += less + 1;
          return last;
        });
        core.u32.set(gaps, out >>> 2);
        const width = kernels.packWidth(out);
        kernels.packBlock(out, width, packed);
        kernels.unpackDelta(packed, width, base, out);
        assert.deepEqual(read(out), docids);
      },
    ),
  );
});
