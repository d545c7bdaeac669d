// The most frequent values of a segment are those that sorting all of them gives, however many are wanted.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CodeCounts } from "../../src/engine/facets/counts.ts";
import { commonValues } from "../../src/engine/facets/values.ts";

/** The best codes, as [code, number of documents]. */
function found(numbers: readonly number[], most: number): number[][] {
  const counts = { of: (code: number) => numbers[code] } as CodeCounts;
  const codes = numbers.map((_, code) => code).reverse();
  return commonValues([{ counts, codes }], most).map(({ count, places: [{ code }] }) => [code, count]);
}

function expected(numbers: readonly number[], most: number): number[][] {
  const pairs = numbers.flatMap((count, code) => (count > 0 ? [[code, count]] : []));
  return pairs.sort(([a, some], [b, others]) => others - some || b - a).slice(0, most);
}

test("of equally frequent values the greater ones come first", () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 400 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 60 }), (counts, most) => {
      deepEqual(found(counts, most), expected(counts, most));
    }),
  );
});

test("very many values of very many", () => {
  const numbers = Array.from({ length: 300_000 }, (_, code) => (code * 7919) % 100_003);
  for (const most of [1, 100, 70_000, 400_000]) deepEqual(found(numbers, most), expected(numbers, most));
});
