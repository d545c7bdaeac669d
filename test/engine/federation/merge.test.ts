// Lists of hits merged into one: in order, of equal hits the one of the first query first.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mergedHits } from "../../../src/engine/federation/merge.ts";

const hit = (score: number, position: number, name: string) => ({
  order: 0,
  values: [{ weightedScore: score }],
  weightedScore: score,
  position,
  name,
});

test("many lists become one in the order of their hits", () => {
  const scores = fc.array(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 12 }), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.boolean(), (lists, isOneQuery) => {
      const made = lists.map((list, number) =>
        list
          .sort((a, b) => b - a)
          .map((score, at) => hit(score / 8, isOneQuery ? 0 : number, `${number}.${at}`)),
      );
      // Stable: equal hits stay in the order of their lists.
      const expected = made.flat().sort((a, b) => b.weightedScore - a.weightedScore);
      const names = Array.from(mergedHits(made), ({ name }) => name);
      deepEqual(
        names,
        expected.map(({ name }) => name),
      );
    }),
  );
});
