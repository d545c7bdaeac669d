// Random posting lists for tests of what reads them.
import fc from "fast-check";
import type { Posting } from "../twins/postings.ts";

const position = fc.oneof(fc.nat(40), fc.nat(65535));
const field = fc.oneof(fc.nat(2), fc.nat(300));
const key = fc.tuple(field, position).map(([number, place]) => number * 65536 + place);
const occurrences = fc
  .uniqueArray(key, { minLength: 1, maxLength: 4 })
  .map((some) => some.sort((x, y) => x - y));
const gap = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.nat(5) },
  fc.nat(3000),
);

/** Gaps repeat, so that long lists are made quickly; many lengths lie around the ends of blocks. */
export const postings = (most: number): fc.Arbitrary<Posting[]> =>
  fc
    .tuple(
      fc.oneof(fc.integer({ min: 1, max: most }), fc.constantFrom(127, 128, 129, 255, 256, 257, 384)),
      fc.array(fc.tuple(gap, occurrences), { minLength: 1, maxLength: 50, size: "max" }),
    )
    .map(([count, pattern]) => {
      let docid = -1;
      return Array.from({ length: Math.min(count, most) }, (_, index) => {
        const [less, some] = pattern[index % pattern.length];
        docid += less + 1;
        return { docid, keys: some };
      });
    });
