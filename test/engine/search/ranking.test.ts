// Random searches on random indexes, with and without thresholds and `distinct`, compared with the naive
// ranker: order, scores and totals must be equal on one segment, on several, after deletions and after a
// merge. RANKING_RUNS: number of indexes (default: a few seconds).
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NaiveIndex, type TestDocument } from "./naiveindex.ts";
import { naiveSearch, type TestQuery, UnsatisfiedDocuments } from "./naiveranker.ts";
import { fields, query, settings, text } from "./rankings.ts";
import { SearchIndex } from "./searchindex.ts";

const RUNS = Number(process.env.RANKING_RUNS ?? 60);
const MILLISECONDS_MAX = process.env.RANKING_RUNS ? undefined : 10_000;
const QUERIES_PER_INDEX = 12;
/** Shrinking would take minutes: the first failure is reported as it is. */
const ONCE = { markInterruptAsFailure: false, endOnFailure: true, includeErrorInReport: true };

const document = fc.record(fields, { requiredKeys: ["title"] });
const documents = fc
  .array(document, { minLength: 5, maxLength: 24 })
  .map((list) => list.map((fields, i): TestDocument => ({ id: 100 + i, ...fields }) as TestDocument));

function compare(index: SearchIndex, naive: NaiveIndex, queries: readonly TestQuery[]): void {
  for (const one of queries) {
    const [found, expected] = [index.ranked(one), expectedOf(naive, one)];
    // Without scores, what is alone in its place is not ranked any further.
    const unscored = index.search({ ...one, showRankingScore: false });
    const ids = (hits: readonly { id: number }[]) => hits.map(({ id }) => id);
    assert.deepEqual(ids(unscored.hits), ids(found.hits.map(([id]) => ({ id }))), JSON.stringify(one));
    assert.ok(found.hits.every(([, score]) => score >= 0 && score <= 1));
    if (!expected) continue;
    const rounded = (hits: [number, number][]) => hits.map(([id, score]) => [id, Number(score.toFixed(10))]);
    assert.deepEqual(
      [rounded(found.hits), found.total],
      [rounded(expected.hits), expected.total],
      JSON.stringify(one),
    );
  }
}

/** The answer by the definitions, null where they leave it open. */
function expectedOf(naive: NaiveIndex, query: TestQuery): ReturnType<typeof naiveSearch> | null {
  try {
    return naiveSearch(naive, query);
  } catch (error) {
    if (error instanceof UnsatisfiedDocuments) return null;
    throw error;
  }
}

/** Words that begin with s: enough for a prefix that is looked up as a whole. */
const sWords = Array.from(
  { length: 130 },
  (_, i) => `s${String.fromCharCode(97 + (i % 26), 97 + ((i * 7) % 25))}${i}`,
);
/** Many documents: searches work with sets of them where they count single ones otherwise. */
const crowd = fc.array(fc.tuple(text(4), text(6), fc.subarray(sWords, { maxLength: 3 })), {
  minLength: 80,
  maxLength: 90,
});

test("searches of many documents and words rank as the definitions say", () => {
  const queries = fc.array(query, { minLength: 6, maxLength: 6 });
  const property = fc.property(crowd, settings, queries, (parts, patch, queries) => {
    const documents = parts.map(([title, body, more], i): TestDocument => {
      const own = sWords.slice(2 * i, 2 * i + 2).join(" ");
      return { id: i, title, body: `${body} ${own} ${more.join(" ")}` };
    });
    const index = new SearchIndex({ ...patch, filterableAttributes: ["tags"] });
    index.add(documents.slice(0, 50));
    index.add(documents.slice(50));
    const short = queries.map((one) => ({ ...one, q: `${one.q} s` }));
    compare(index, new NaiveIndex(documents, patch), [...queries, ...short]);
    index.close();
  });
  const numRuns = Math.ceil(RUNS / 10);
  fc.assert(property, { numRuns, interruptAfterTimeLimit: MILLISECONDS_MAX, ...ONCE });
});

test("searches rank as the definitions say", () => {
  const queries = fc.array(query, { minLength: QUERIES_PER_INDEX, maxLength: QUERIES_PER_INDEX });
  const property = fc.property(documents, settings, queries, fc.nat(3), (documents, patch, queries, gaps) => {
    const index = new SearchIndex({ ...patch, filterableAttributes: ["tags"] });
    index.add(documents);
    compare(index, new NaiveIndex(documents, patch), queries);
    const parts = new SearchIndex({ ...patch, filterableAttributes: ["tags"] });
    const size = 1 + Math.ceil(documents.length / 4);
    for (let i = 0; i < documents.length; i += size) parts.add(documents.slice(i, i + size));
    compare(parts, new NaiveIndex(documents, patch), queries);
    const removed = documents.filter((_, i) => i % 4 === gaps);
    parts.remove(removed.map(({ id }) => id));
    const left = new NaiveIndex(
      documents.filter((one) => !removed.includes(one)),
      patch,
    );
    compare(parts, left, queries);
    parts.merge();
    compare(parts, left, queries);
    index.close();
    parts.close();
  });
  fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: MILLISECONDS_MAX, ...ONCE });
});

test("searches for words that also stand joined rank as the definitions say", () => {
  const parts = ["ab", "cd", "ef", "gh", "ij"];
  const joined = parts.flatMap((_, i) => [1, 2, 3].map((count) => parts.slice(i, i + count).join("")));
  const own = fc
    .array(fc.constantFrom(...joined), { minLength: 1, maxLength: 7 })
    .map((all) => all.join(" "));
  const some = fc.array(fc.tuple(own, own), { minLength: 8, maxLength: 20 });
  // Of five words, there are thirteen ways to join one, two or three.
  const queries = fc.array(
    fc.record({ from: fc.nat(2), one: query }).map(({ from, one }) => ({
      ...one,
      q: parts.slice(from).join(" "),
      distinct: undefined,
    })),
    { minLength: QUERIES_PER_INDEX, maxLength: QUERIES_PER_INDEX },
  );
  const gone = Array.from({ length: 3000 }, (_, i) => ({ id: 1000 + i, title: "ab" }));
  const last: TestDocument = { id: 999, title: "xyz", body: "xyz" };
  const property = fc.property(some, settings, queries, (texts, patch, queries) => {
    const documents = texts.map(([title, body], i): TestDocument => ({ id: i, title, body }));
    const index = new SearchIndex(patch);
    // Few documents among many numbers: most of their buckets are not taken as bitmaps.
    index.add([...gone, last]);
    index.remove(gone.map(({ id }) => id));
    index.add(documents);
    compare(index, new NaiveIndex([last, ...documents], patch), queries);
    index.close();
  });
  const numRuns = Math.ceil(RUNS / 3);
  fc.assert(property, { numRuns, interruptAfterTimeLimit: MILLISECONDS_MAX, ...ONCE });
});

test("searches that nearly all of hundreds of documents match rank as the definitions say", () => {
  // Buckets of up to 256 documents are split together; this is about larger ones.
  const flower = fc.constantFrom(
    ..."sunflower sunflower sunflowr sunflwr sunflowers sun-flower flower quicksunflower".split(" "),
  );
  const some = fc.array(fc.tuple(flower, text(2), text(3), fc.boolean()), { minLength: 300, maxLength: 320 });
  const frequent = fc.constantFrom(
    "sunflower",
    "sunflowe",
    "sunflower quick",
    "sun flower",
    "flower sunflower",
  );
  const queries = fc.array(fc.tuple(query, frequent), { minLength: 4, maxLength: 4 });
  const property = fc.property(some, settings, queries, (texts, patch, queries) => {
    const documents = texts.map(([own, title, body, isTitle], i): TestDocument => {
      return isTitle ? { id: i, title: `${own} ${title}`, body } : { id: i, title, body: `${body} ${own}` };
    });
    const index = new SearchIndex(patch);
    index.add(documents.slice(0, 200));
    index.add(documents.slice(200));
    const frequent = queries.map(([one, q]) => ({ ...one, q, limit: 400, distinct: undefined }));
    compare(index, new NaiveIndex(documents, patch), frequent);
    index.close();
  });
  const numRuns = Math.ceil(RUNS / 10);
  fc.assert(property, { numRuns, interruptAfterTimeLimit: MILLISECONDS_MAX, ...ONCE });
});
