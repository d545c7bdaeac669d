// Hits of which only the id is shown are made of the ids of their segments: they say what the documents say,
// numbers as numbers and texts as texts, whatever has become of the segments. IDHITS_RUNS: number of indexes.
import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SearchBody } from "../../../src/schemas/search.ts";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { SearchIndex } from "./searchindex.ts";

const RUNS = Number(process.env.IDHITS_RUNS ?? 60);

const number = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: -3, max: 2 ** 40 }));
const text = fc.oneof(
  number.map(String),
  fc.constantFrom("a", "b-7", "c_0", "007", "123456789012345678901234"),
);
const ids = fc.oneof(fc.array(number), fc.array(text), fc.array(fc.oneof(number, text)));
/** Documents of an id; what reads ids at a glance leaves the last two open. */
const form = fc.constantFrom(
  (id: string, n: number) => `{"n":${n},"id":${id},"word":"boat"}`,
  (id: string) => `{ "id" : ${id} }`,
  (id: string) => `{"id":false,"id":${id}}`,
  (id: string) => `{"\\u0069d":${id},"word":"boat"}`,
);
const documents = fc
  .tuple(ids, fc.array(form, { minLength: 1, maxLength: 3 }))
  .map(([all, forms]) => all.map((id, n) => forms[n % forms.length](JSON.stringify(id), n)));

interface Step {
  added?: string[];
  method?: "replace" | "update";
  removed?: (number | string)[];
  merges?: boolean;
  patch?: SettingsPatch;
}

const settings = fc.constantFrom<SettingsPatch>(
  { filterableAttributes: ["id"] },
  { filterableAttributes: ["n"] },
  { filterableAttributes: [] },
  { searchableAttributes: ["n"] },
  { searchableAttributes: ["*"] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      { added: documents, method: fc.constantFrom("replace" as const, "update" as const), patch: settings },
      { requiredKeys: ["added", "method"] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ removed: fc.array(fc.oneof(number, text)) }) },
  { weight: 1, arbitrary: fc.constant({ merges: true }) },
  { weight: 2, arbitrary: fc.record({ patch: settings }) },
);

function run(index: SearchIndex, { added, method, removed, merges, patch }: Step): void {
  if (added) index.add(added, method, ...(patch ? [{ kind: "settings", patch }] : []));
  else if (removed) index.remove(removed);
  else if (merges) index.merge();
  else index.set(patch!);
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

test("a merge of segments with numbers and of those with texts keeps what each id is", () => {
  for (const isNumber of [(part: number) => part % 2 === 0, (part: number) => part % 2 === 1]) {
    const index = new SearchIndex();
    for (let part = 0; part < 6; part++) {
      const from = 100 * part;
      index.add(
        Array.from({ length: 100 }, (_, n) => ({ id: isNumber(part) ? from + n : `${from + n}`, n })),
      );
    }
    const whole = withoutScores(index, {}).map(({ id }) => ({ id }));
    equal(whole.filter(({ id }) => typeof id === "number").length, 300);
    index.merge();
    deepEqual(withoutScores(index, { attributesToRetrieve: ["id"] }), whole);
    index.close();
  }
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

const ROWS = 2000;
const PLACE = 900;
/** A hit far from the beginning of all sections. */
const one = (index: SearchIndex, query: SearchBody = {}) =>
  withoutScores(index, { offset: PLACE, limit: 1, ...query });

function rows(idOf: (n: number) => number | string): SearchIndex {
  const index = new SearchIndex({ searchableAttributes: ["id"] });
  index.add(Array.from({ length: ROWS }, (_, n) => ({ id: idOf(n), text: `${n * 7919} ${n ** 4}` })));
  return index;
}

test("no document is looked at for its id", () => {
  for (const idOf of [(n: number) => n, (n: number) => `row-${n}`]) {
    const index = rows(idOf);
    index.lose("documents");
    deepEqual(one(index, { attributesToRetrieve: ["id"] }), [{ id: idOf(PLACE) }]);
    throws(() => one(index), { code: "invalid_store_file" });
    index.close();
  }
});

test("where the ids are lost, documents tell them", () => {
  const index = rows((n) => `row-${n}`);
  const [whole] = one(index);
  index.lose("ids");
  deepEqual(one(index, { attributesToRetrieve: ["id"] }), [{ id: `row-${PLACE}` }]);
  deepEqual(one(index), [whole]);
  index.close();
});

test("many segments with long ids fit into a small memory", () => {
  const index = new SearchIndex();
  const DOCUMENTS = 5000;
  for (let segment = 0; segment < 6; segment++) {
    index.add(
      Array.from({ length: DOCUMENTS }, (_, n) => ({ id: `${segment}-${"x".repeat(200)}-${n}`, segment })),
    );
  }
  const query = { attributesToRetrieve: ["id"], limit: 6 * DOCUMENTS, distinct: "segment" };
  index.set({ filterableAttributes: ["segment"] });
  equal(withoutScores(index, query).length, 6);
  index.close();
});
