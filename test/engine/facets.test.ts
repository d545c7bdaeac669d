// Facets, facet searches and distinct against plain evaluators over the documents: random documents in one
// or several segments, after replacements and deletions, and again after merges.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type FacetSearchBody, facetSearchQueryOf } from "../../src/schemas/facetsearch.ts";
import { searchQueryOf } from "../../src/schemas/search.ts";
import type { SettingsPatch } from "../../src/schemas/settings.ts";
import { addition, TestIndex } from "./index.ts";
import {
  type FacetDocument,
  naiveBuckets,
  naiveDistinct,
  naiveFacet,
  naiveFacetSearch,
  naiveStats,
  withoutRepeatedEmptyTexts,
} from "./naivefacets.ts";

interface Answer {
  hits: FacetDocument[];
  estimatedTotalHits: number;
  totalHits: number;
  facetDistribution: Record<string, Record<string, number>>;
  facetStats: Record<string, { min: number; max: number }>;
  facetHits: { value: string; count: number }[];
}

function openIndex(parts: readonly FacetDocument[][], deleted: readonly number[], patch: SettingsPatch) {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { filterableAttributes: ["a", "b", "n"], ...patch } }]);
  for (const part of parts) {
    if (part.length > 0) index.run([addition(part.map((document) => JSON.stringify(document)))]);
  }
  if (deleted.length > 0) index.run([{ kind: "deleteIds", ids: deleted.map(String) }]);
  return index;
}

const handleOf = (index: TestIndex) => {
  return { folder: index.folder, indexUid: "i", version: index.state.version };
};

function search(index: TestIndex, body: object): Answer {
  const query = searchQueryOf({ attributesToRetrieve: ["id"], ...body }, "r", null);
  return JSON.parse(Buffer.from(index.searcher.search(handleOf(index), query) as Uint8Array).toString());
}

function facetHits(index: TestIndex, body: FacetSearchBody) {
  const bytes = index.searcher.facetSearch(handleOf(index), facetSearchQueryOf(body));
  return (JSON.parse(Buffer.from(bytes).toString()) as Answer).facetHits;
}

/** Documents of the index in order of their docids. */
const documentsOf = ({ model }: TestIndex): FacetDocument[] =>
  model.docids.map((docid) => {
    const members = [...model.documents.get(docid)!.document];
    return JSON.parse(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`);
  });

const scalar = fc.constantFrom<unknown>(
  0,
  1,
  2,
  10,
  -3,
  1.5,
  1e21,
  1e-7,
  true,
  false,
  null,
  "",
  {},
  "x",
  "X",
  " x ",
  "é",
  "E\u0301",
  "e",
  "10",
  "word",
  "Wörd",
  "wolrd",
  "words",
  "work",
  "大学",
  "ß",
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const document = fc.record(
  { id: fc.nat(40), a: value, b: value, n: fc.record({ m: value }, { requiredKeys: [] }) },
  { requiredKeys: ["id"] },
) as fc.Arbitrary<FacetDocument>;
const indexes = fc.record({
  parts: fc.array(fc.array(document, { maxLength: 20 }), { minLength: 1, maxLength: 4 }),
  deleted: fc.array(fc.nat(40), { maxLength: 6 }),
});
const order = fc.constantFrom<"alpha" | "count">("alpha", "count");
const most = fc.constantFrom(100, 3, 1, 0);

/** Compares before and after merges. */
function twice(index: TestIndex, compare: () => void): void {
  compare();
  if (index.mergeAll() > 0) compare();
  index.close();
}

describe("facets", () => {
  it("count what matches, by value, in order, in the spelling of the first document", () => {
    fc.assert(
      fc.property(indexes, order, most, fc.boolean(), ({ parts, deleted }, by, maxValuesPerFacet, all) => {
        const faceting = { maxValuesPerFacet, sortFacetValuesBy: { "*": by } };
        const index = openIndex(parts, deleted, { faceting });
        twice(index, () => {
          const filter = all ? null : "a EXISTS";
          const { facetDistribution, facetStats } = search(index, { filter, facets: ["*"], limit: 0 });
          const matched = documentsOf(index).filter((one) => all || "a" in one);
          for (const name of Object.keys(facetDistribution)) {
            const expected = naiveFacet(matched, name, by, maxValuesPerFacet);
            assert.deepEqual(Object.entries(facetDistribution[name]), Object.entries(expected), name);
            assert.deepEqual(facetStats[name] ?? null, naiveStats(matched, name), name);
          }
          for (const name of ["a", "b", "n.m"]) {
            const isThere = matched.some((one) => Object.keys(naiveFacet([one], name, by, 100)).length > 0);
            assert.ok(!isThere || name in facetDistribution, name);
          }
        });
      }),
    );
  });
});

describe("a facet search", () => {
  it("finds what begins with the text or nearly so, folded, and counts it", () => {
    const query = fc.constantFrom(
      null,
      "",
      "x",
      "E",
      "w",
      "wor",
      "word",
      "words",
      "wörds",
      "wrod",
      "大",
      "X ",
    );
    const typos = fc.constantFrom([1, 3], [3, 5], [5, 9]);
    fc.assert(
      fc.property(indexes, query, typos, order, most, ({ parts, deleted }, facetQuery, sizes, by, limit) => {
        const [oneTypo, twoTypos] = sizes;
        const faceting = { maxValuesPerFacet: limit, sortFacetValuesBy: { "*": by } };
        const typoTolerance = { minWordSizeForTypos: { oneTypo, twoTypos } };
        const index = openIndex(parts, deleted, { faceting, typoTolerance });
        twice(index, () => {
          const expected = naiveFacetSearch(documentsOf(index), "a", facetQuery, { sizes, by, limit });
          assert.deepEqual(facetHits(index, { facetName: "a", facetQuery }), expected);
        });
      }),
      { numRuns: 200 },
    );
  });

  it("shows values as the first document spells them, whether it is counted or not", () => {
    const documents = [
      { id: 1, a: "Ab", b: 0 },
      { id: 2, a: ["x", "AB", "ab", "y", "aB"], b: 1 },
    ];
    for (const cut of [0, 1]) {
      const index = openIndex([documents.slice(0, cut), documents.slice(cut)], [], {});
      const [found] = facetHits(index, { facetName: "a", filter: "b = 1" })!;
      assert.deepEqual(found, { value: "Ab", count: 1 });
      const { facetDistribution } = search(index, { filter: "b = 1", facets: ["a"] });
      assert.deepEqual(facetDistribution!.a, { aB: 1, x: 1, y: 1 });
    }
  });

  it("leaves out equally frequent values by their spellings, wherever they lie", () => {
    // Every second one of the frequent values begins with a small letter, and some have one document more.
    const values = Array.from({ length: 150 }, (_, i) => `${i % 2 ? "v" : "V"}${String(i).padStart(4, "0")}`);
    const frequent = values.filter((_, i) => i % 20 === 7);
    const rare = values.map((_, i) => `rare ${i}`);
    const documents = [...values, ...values, ...frequent, ...rare].map((a, id) => ({ id, a }));
    for (const limit of [0, 1, 5, 7, 40]) {
      const faceting = { maxValuesPerFacet: limit, sortFacetValuesBy: { "*": "count" as const } };
      for (const cut of [0, 100, 200]) {
        const index = openIndex([documents.slice(0, cut), documents.slice(cut)], [], { faceting });
        for (const facetQuery of [null, "v", "v00", "rare 1"]) {
          const options = { sizes: [5, 9], by: "count", limit } as const;
          const expected = naiveFacetSearch(documents, "a", facetQuery, options);
          assert.deepEqual(facetHits(index, { facetName: "a", facetQuery }), expected);
        }
      }
    }
  });

  it("leaves out equally frequent values by their normal forms where they are too many to be read", () => {
    const documents = Array.from({ length: 1200 }, (_, id) => {
      return { id, a: `${id % 2 ? "v" : "V"}${String(id).padStart(4, "0")}` };
    });
    const faceting = { maxValuesPerFacet: 4, sortFacetValuesBy: { "*": "count" as const } };
    for (const cut of [0, 700]) {
      const index = openIndex([documents.slice(0, cut), documents.slice(cut)], [], { faceting });
      const values = facetHits(index, { facetName: "a" })!.map(({ value }) => value);
      assert.deepEqual(values, ["v1199", "v1197", "V1198", "V1196"]);
    }
  });

  it("finds nothing that is nearer to a beginning of the text, unless the value ends there", () => {
    const index = openIndex([rows(["woolfgacccacaa", "wöolfgacccacaa"])], [], {});
    const values = facetHits(index, { facetName: "a", facetQuery: "woolfgcba" }).map(({ value }) => value);
    assert.deepEqual(values, []);
    index.close();
  });

  it("finds values longer than words, and beside them", () => {
    const long = ["able", "wor", "wrod", "xord"].map((start) => start.padEnd(400, "y"));
    const values = [...long, "word", "work", "zebra"];
    const index = openIndex([values.map((a, id) => ({ id, a }))], [], {});
    const sizes = [5, 9] as const;
    twice(index, () => {
      for (const facetQuery of ["worda", "wordingzz", "words", "zebre", "w"]) {
        const options = { sizes, by: "alpha", limit: 100 } as const;
        const expected = naiveFacetSearch(documentsOf(index), "a", facetQuery, options);
        assert.deepEqual(facetHits(index, { facetName: "a", facetQuery }), expected, facetQuery);
      }
    });
  });
});

describe("distinct", () => {
  const directions = fc.constantFrom<"asc" | "desc" | null>(null, "asc", "desc");
  it("keeps the first document of each value, whatever the order, and says how many are left", () => {
    const limits = fc.constantFrom(0, 1, 2, 5, 100);
    fc.assert(
      fc.property(
        indexes,
        directions,
        limits,
        fc.boolean(),
        ({ parts, deleted }, direction, limit, isSetting) => {
          const patch = isSetting ? { distinctAttribute: "a" } : {};
          const index = openIndex(parts, deleted, { sortableAttributes: ["b"], ...patch });
          const distinct = isSetting ? null : "a";
          const sort = direction && [`b:${direction}`];
          twice(index, () => {
            const documents = documentsOf(index);
            const found = naiveDistinct(documents, naiveBuckets(documents, "b", direction), "a", limit);
            const expected = isSetting ? found : withoutRepeatedEmptyTexts(documents, "a", found);
            const { hits, estimatedTotalHits } = search(index, { distinct, sort, limit });
            assert.deepEqual(
              hits.map(({ id }) => id),
              expected.hits,
            );
            assert.equal(estimatedTotalHits, expected.total);
          });
        },
      ),
    );
  });

  it("holds for thousands of values over segments", () => {
    for (const count of [100, 2500]) {
      const ids = Array.from({ length: 2 * count }, (_, i) => i);
      const all = ids.map((id) => ({ id, a: `v${id % count}`, b: id < count ? 0 : 1 }));
      const index = openIndex([all.slice(0, count), all.slice(count)], [], {
        sortableAttributes: ["b"],
        pagination: { maxTotalHits: 3 * count },
      });
      twice(index, () => {
        const sorted = search(index, { distinct: "a", sort: ["b:desc"], limit: 3 * count });
        assert.deepEqual(
          sorted.hits.map(({ id }) => id),
          ids.slice(count),
        );
        assert.equal(sorted.estimatedTotalHits, count);
        assert.equal(search(index, { distinct: "a", page: 1 }).totalHits, count);
      });
    }
  });

  it("counts exactly in pages", () => {
    fc.assert(
      fc.property(indexes, ({ parts, deleted }) => {
        const index = openIndex(parts, deleted, {});
        twice(index, () => {
          const documents = documentsOf(index);
          const all = naiveDistinct(documents, naiveBuckets(documents, "b", null), "a", documents.length);
          const { totalHits } = search(index, { distinct: "a", page: 1, hitsPerPage: 2 });
          const page = { hits: all.hits.slice(0, 2), total: all.total };
          assert.equal(totalHits, withoutRepeatedEmptyTexts(documents, "a", page).total);
        });
      }),
    );
  });
});

/** Documents `{id, a, t}` whose ids are their places. */
const rows = (values: readonly string[], texts: readonly string[] = []): FacetDocument[] =>
  values.map((a, id) => ({ id, a, b: id % 2, t: texts[id] ?? "" }) as unknown as FacetDocument);

describe("a facet search", () => {
  it("has of equally frequent values the one first that is shown with the greater text", () => {
    const faceting = { sortFacetValuesBy: { "*": "count" as const } };
    const index = openIndex([rows(["apple", "Banana", "cherry", "date", "date"])], [], { faceting });
    const values = facetHits(index, { facetName: "a" }).map(({ value }) => value);
    assert.deepEqual(values, ["date", "cherry", "apple", "Banana"]);
  });

  it("folds its text by the locales of the field alone", () => {
    const rule = { attributePatterns: ["a"], locales: ["swe", "eng"] };
    const found = (localizedAttributes: SettingsPatch["localizedAttributes"], locales?: string[]) => {
      const index = openIndex([rows(["Örebro"])], [], { localizedAttributes });
      return facetHits(index, { facetName: "a", facetQuery: "ö", locales } as FacetSearchBody).length;
    };
    assert.deepEqual([found(null), found(null, ["swe"]), found([rule])], [1, 1, 1]);
  });

  it("counts exhaustively what a page without hits counts", () => {
    const texts = ["bar baz foo", "foo", "foo"];
    const documents = rows(["red", "blue", "blue"], texts).map((one, at) => ({
      ...one,
      g: at === 2 ? 2 : 1,
    }));
    const index = openIndex([documents as FacetDocument[]], [], { distinctAttribute: "g" });
    const hits = facetHits(index, { facetName: "a", q: "foo", exhaustiveFacetCount: true });
    const { facetDistribution } = search(index, { q: "foo", page: 0, facets: ["a"] });
    assert.deepEqual(facetDistribution.a, { blue: 1, red: 1 });
    assert.deepEqual(Object.fromEntries(hits.map(({ value, count }) => [value, count])), facetDistribution.a);
  });
});

it("a value that is frequent in no segment may be the most frequent of all", () => {
  const faceting = { maxValuesPerFacet: 1, sortFacetValuesBy: { "*": "count" as const } };
  const part = (a: string, from: number) =>
    Array.from({ length: 8 }, (_, i) => ({ id: from + i, a: i < 5 ? a : "both" }) as FacetDocument);
  const index = openIndex([part("first", 0), part("second", 8)], [], { faceting });
  assert.deepEqual(search(index, { facets: ["a"] }).facetDistribution.a, { both: 6 });
  index.close();
});

it("numbers are in the order of their texts, unless very many documents have them", () => {
  for (const [count, first] of [
    [3000, "10"],
    [3001, "9"],
  ] as const) {
    const values = Array.from({ length: count }, (_, id) => ({ id, a: id % 2 ? 9 : 10 }) as FacetDocument);
    const index = openIndex([values], [], {});
    assert.equal(Object.keys(search(index, { facets: ["a"] }).facetDistribution.a).length, 2);
    const text = Buffer.from(
      index.searcher.search(
        handleOf(index),
        searchQueryOf({ limit: 0, facets: ["a"] }, "r", null),
      ) as Uint8Array,
    ).toString();
    assert.match(text, new RegExp(`"facetDistribution":{"a":{"${first}"`));
    index.close();
  }
});

it("values are spelled as a document of the search spells them, of however many", () => {
  const values = Array.from({ length: 7000 }, (_, id) => (id === 0 ? "RED" : id % 2 ? "red" : "Blue"));
  const index = openIndex([rows(values)], [], {});
  const { facetDistribution } = search(index, { filter: "b = 1", facets: ["a"] });
  assert.deepEqual(facetDistribution.a, { red: 3500 });
});
