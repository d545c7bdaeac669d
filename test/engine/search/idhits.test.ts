// Hits of which only the id is shown are made of the ids of their segments: they say what the documents say,
// numbers as numbers and texts as texts, whatever has become of the segments. IDHITS_RUNS: number of indexes.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { SearchIndex } from "./searchindex.ts";

const RUNS = Number(process.env.IDHITS_RUNS ?? 60);

const number = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: -3, max: 2 ** 40 }));
const text = fc.oneof(
  number.map(String),
  fc.constantFrom("a", "b-7", "c_0", "007", "123456789012345678901234"),
);
const ids = fc.oneof(fc.array(number), fc.array(text), fc.array(fc.oneof(number, text)));
const step = fc.oneof(
  { weight: 5, arbitrary: ids.map((added) => ({ added })) },
  { weight: 1, arbitrary: fc.array(fc.oneof(number, text)).map((removed) => ({ removed })) },
  { weight: 1, arbitrary: fc.constant({ merged: true }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(["id"], ["n"], []).map((names) => ({ filterableAttributes: names })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(["n"], ["*"]).map((names) => ({ searchableAttributes: names })),
  },
);

function run(index: SearchIndex, one: Record<string, unknown>): void {
  const { added, removed, merged, ...patch } = one as {
    added?: unknown[];
    removed?: unknown[];
    merged?: true;
  };
  if (added) index.add(added.map((id, n) => ({ n, id, word: "boat" })));
  else if (removed) index.remove(removed as string[]);
  else if (merged) index.merge();
  else index.set(patch);
}

const withoutScores = (index: SearchIndex, query: SearchBody) =>
  index.search({ limit: 1000, showRankingScore: false, ...query }).hits;

test("the id alone is what the document says", () => {
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
    const index = new SearchIndex();
    for (const one of steps) {
      run(index, one);
      const whole = withoutScores(index, {});
      deepEqual(
        withoutScores(index, { attributesToRetrieve: ["id"] }),
        whole.map(({ id }) => ({ id })),
      );
      deepEqual(
        withoutScores(index, { attributesToRetrieve: [] }),
        whole.map(() => ({})),
      );
    }
    index.close();
  });
  fc.assert(property, { numRuns: RUNS });
});

test("what a search adds to a hit stands beside the id alone", () => {
  const index = new SearchIndex({ sortableAttributes: ["_geo"] });
  index.add([{ id: 7, text: "boat", _geo: { lat: 1, lng: 2 } }]);
  const shown = (query: SearchBody) => {
    const { _rankingScore, ...hit } = index.search({ attributesToRetrieve: ["id"], ...query }).hits[0];
    equal(_rankingScore, 1);
    return hit;
  };
  deepEqual(shown({ sort: ["_geoPoint(0, 0):asc"] }), { id: 7 });
  const matched = { q: "boat", showMatchesPosition: true };
  deepEqual(shown(matched), { id: 7, _matchesPosition: { text: [{ start: 0, length: 4 }] } });
  deepEqual(shown({ attributesToHighlight: ["text"] }), { id: 7, _formatted: { id: "7", text: "boat" } });
  deepEqual(shown({ retrieveVectors: true }), { id: 7, _vectors: {} });
  deepEqual(shown({ attributesToRetrieve: ["ID"] }), {});
  index.close();
});
