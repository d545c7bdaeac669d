// Which of two hits of different queries comes first, and lists merged by that.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { mergedHits } from "../../../src/engine/federation/merge.ts";
import { compareScored, type ScoreValue } from "../../../src/engine/search/scorevalues.ts";

const score = (weightedScore: number): ScoreValue => ({ weightedScore });
const up = (value: number | string | null): ScoreValue => ({ sort: { asc: true, value } });
const down = (value: number | string | null): ScoreValue => ({ sort: { asc: false, value } });
const near = (distance: number | null): ScoreValue => ({ geoSort: { asc: true, distance } });
const far = (distance: number | null): ScoreValue => ({ geoSort: { asc: false, distance } });

const scored = (values: ScoreValue[], weightedScore = 1) => ({ values, weightedScore });

describe("of two hits", () => {
  /** The first of each pair comes first. */
  const pairs: Record<string, [ScoreValue[], ScoreValue[], number?, number?]> = {
    "the one with the greater relevancy": [[score(0.9)], [score(0.8)]],
    "the one with the greater weighted relevancy": [[score(1.8)], [score(1)]],
    "the one with the lesser value going up": [[up(1)], [up(2)]],
    "the one with the greater value going down": [[down(2)], [down(1)]],
    "a number before a text, going up": [[up(9)], [up("1")]],
    "a number before a text, going down": [[down(9)], [down("zz")]],
    "a text before none, going down": [[down("a")], [down(null)]],
    "a number before none, going up": [[up(9)], [up(null)]],
    "the lesser text, by its bytes": [[up("\uffee")], [up("\u{1f600}")]],
    "the nearer one": [[near(10)], [near(20)]],
    "the farther one, when far ones are wanted": [[far(20)], [far(10)]],
    "the one with a place, near": [[near(20)], [near(null)]],
    "the one with a place, far": [[far(0)], [far(null)]],
    "the one that a later rule prefers": [
      [score(1), up(1), score(0.5)],
      [score(1), up(1), score(0.4)],
    ],
    "the one with more values, when the others are equal": [[score(1), up(3)], [score(1)]],
    "of different kinds, the one with more left": [[score(0), up(1)], [up(1)]],
    "of different kinds, the one with the greater score": [[score(0)], [up(1)], 2, 1],
    "of different directions, the one with the greater score": [[up(9)], [down(9)], 2, 1],
  };
  for (const [name, [first, second, a = 1, b = 1]] of Object.entries(pairs)) {
    it(name, () => {
      assert.ok(compareScored(scored(first, a), scored(second, b)) < 0);
      assert.ok(compareScored(scored(second, b), scored(first, a)) > 0);
    });
  }

  it("none, when the difference is that of rounding", () => {
    assert.equal(compareScored(scored([score(0.1 + 0.2)]), scored([score(0.3)])), 0);
  });

  it("none, when all values are equal, whatever the scores", () => {
    assert.equal(compareScored(scored([up(null)], 1), scored([up(null)], 2)), 0);
  });
});

describe("lists that are merged", () => {
  const value = fc.constantFrom<number | string | null>(1, 2, 3, "a", "b", null);
  const hit = fc.record({
    values: fc.tuple(
      fc.integer({ min: 0, max: 3 }).map((n) => score(n / 4)),
      value.map(down),
    ),
    weightedScore: fc.constant(1),
  });

  it("are in order, hits of earlier queries first among equals", () => {
    fc.assert(
      fc.property(fc.array(fc.array(hit, { maxLength: 8 }), { maxLength: 5 }), (given) => {
        const lists = given.map((hits, position) =>
          hits.map((one) => ({ ...one, position, order: 0 })).sort(compareScored),
        );
        const expected = lists.flat().sort((a, b) => compareScored(a, b) || a.position - b.position);
        assert.deepEqual(
          Array.from(mergedHits(lists), (hit) => hit),
          expected,
        );
      }),
    );
  });
});
