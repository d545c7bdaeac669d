// The rule AttributeRank over very many documents, which it takes by sets (assembly/search/field-levels.ts):
// their order is that of the best field in which each has the word.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SearchIndex } from "./searchindex.ts";

const DOCUMENTS = 12_000;
/** Documents with an id that leaves no rest by this are deleted. */
const DELETED = 11;
const FIELDS = ["body", "title", "note", "more"] as const;

type Document = { id: number } & Record<(typeof FIELDS)[number], string>;

/**
 * `river` stands in all documents, mostly in the body; fields may be longer than positions of one byte reach.
 */
function documentsOf(seed: number): Document[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const words = "stone light grows rivers riverbank garden under the".split(" ");
  const text = (most: number) =>
    Array.from({ length: Math.floor(random() * most) }, () => words[Math.floor(random() * words.length)]);
  const field = (most: number, part: number) => [
    ...text(most),
    ...(random() < part ? ["river"] : []),
    ...text(2),
  ];
  return Array.from({ length: DOCUMENTS }, (_, id) => {
    const isLong = random() < 0.2;
    const own = { title: field(4, 0.02), note: field(isLong ? 60 : 3, 0.1), more: field(3, 0.3) };
    const body = [...field(isLong ? 300 : 4, 1), "river"];
    return {
      id,
      body: body.join(" "),
      title: own.title.join(" "),
      note: own.note.join(" "),
      more: own.more.join(" "),
    };
  });
}

interface Expected {
  id: number;
  score: number;
}

/**
 * In the order of the first field of `asked` that has the word, or one that begins with it; the score counts
 * all fields of `searchable`.
 */
function expected(
  documents: readonly Document[],
  searchable: readonly string[],
  asked: readonly string[],
  q: string,
): Expected[] {
  const isMatch = (word: string) => (q.endsWith(" ") ? word === q.trim() : word.startsWith(q));
  const levels: Expected[][] = searchable.map(() => []);
  for (const document of documents) {
    if (document.id % DELETED === 0) continue;
    const level = searchable.findIndex(
      (name) => asked.includes(name) && document[name as "body"].split(" ").some(isMatch),
    );
    const score = (searchable.length - level) / searchable.length;
    if (level >= 0) levels[level].push({ id: document.id, score });
  }
  return levels.flat();
}

test("a frequent word ranks documents by the first field that has it", () => {
  const property = fc.property(
    fc.nat(99),
    fc.shuffledSubarray([...FIELDS], { minLength: 2 }),
    fc.constantFrom("river ", "river", "riv", "rivers "),
    fc.boolean(),
    (seed, searchable, q, isRestricted) => {
      const asked = isRestricted ? searchable.slice(1) : searchable;
      const index = new SearchIndex({
        searchableAttributes: searchable,
        rankingRules: ["attributeRank"],
        typoTolerance: { enabled: false },
        pagination: { maxTotalHits: DOCUMENTS },
      });
      const documents = documentsOf(seed);
      index.add(documents.slice(0, DOCUMENTS / 2));
      index.add(documents.slice(DOCUMENTS / 2));
      index.remove(documents.flatMap(({ id }) => (id % DELETED === 0 ? [id] : [])));
      const { hits } = index.search({
        q,
        limit: DOCUMENTS,
        attributesToRetrieve: ["id"],
        attributesToSearchOn: isRestricted ? asked : null,
      });
      assert.deepEqual(
        hits.map(({ id, _rankingScore }) => ({ id, score: _rankingScore })),
        expected(documents, searchable, asked, q),
      );
      index.close();
    },
  );
  fc.assert(property, { numRuns: 12, endOnFailure: true });
});

test("of a synonym of several words, each counts only where all of them are", () => {
  const index = new SearchIndex({
    searchableAttributes: ["title", "body"],
    rankingRules: ["attributeRank"],
    synonyms: { river: ["under bridge"] },
  });
  const title = (id: number) => (id === 7000 ? "under bridge" : "under trees");
  index.add(Array.from({ length: 9000 }, (_, id) => ({ id, title: title(id), body: "river" })));
  const { hits } = index.search({ q: "river ", limit: 2, attributesToRetrieve: ["id"] });
  assert.deepEqual(
    hits.map(({ id, _rankingScore }) => [id, _rankingScore]),
    [
      [7000, 1],
      [0, 0.5],
    ],
  );
  index.close();
});
