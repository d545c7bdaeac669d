// The driver over rules that are made up: what it asks them, where a page begins, and what is left undone
// when time runs out.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Bitmaps } from "../../../src/engine/bitmaps.ts";
import { IndexReader } from "../../../src/engine/reader.ts";
import { Documents } from "../../../src/engine/search/documents.ts";
import { Driver } from "../../../src/engine/search/driver.ts";
import { type NamedRule, NO_PATHS } from "../../../src/engine/search/rule.ts";
import { openReaderShare } from "../../../src/engine/searchthread.ts";
import { addition, TestIndex } from "../index.ts";

const CACHE_BYTES = 4 * 1024 * 1024;
const DOCUMENTS = 40;

/** Splits documents by what `keyOf` says, least first; `begun` is told of each set that it is asked about. */
function ruleBy(
  bitmaps: Bitmaps,
  keyOf: (docid: number) => number,
  begun: (documents: Documents) => void = () => {},
): NamedRule {
  return {
    name: "sort",
    *buckets(documents, paths) {
      begun(documents);
      const docids = [...documents.docids];
      for (const key of [...new Set(docids.map(keyOf))].sort((a, b) => a - b)) {
        const own = docids.filter((docid) => keyOf(docid) === key);
        yield {
          documents: Documents.ofDocids(bitmaps, own),
          paths,
          rank: { rule: "sort", rank: 1, max: 1 + key },
        };
      }
    },
  };
}

/** An index of so many documents, with the docid of the first of them. */
function openIndex(t: TestContext, documents: number) {
  const index = new TestIndex();
  index.run([addition(Array.from({ length: documents }, (_, id) => `{"id":${id}}`))]);
  const share = openReaderShare(index.storage, CACHE_BYTES, CACHE_BYTES);
  const reader = new IndexReader({ ...share, storage: index.storage }, index.folder);
  t.after(() => {
    reader.close();
    index.close();
  });
  reader.refresh(index.state.version);
  const bitmaps = new Bitmaps(reader);
  const [first] = Documents.ofBitmap(bitmaps, reader.live).docids;
  return { bitmaps, reader, first };
}

const OPTIONS = {
  offset: 0,
  wanted: 10,
  ranked: true,
  threshold: null,
  distinct: null,
  leading: null,
  deadline: Number.POSITIVE_INFINITY,
};

test("when time runs out amid a rule, the sets that it has not split stay whole, each skipped once", (t) => {
  const { bitmaps, reader, first } = openIndex(t, DOCUMENTS);
  const deadline = performance.now() + 50;
  const wait = () => {
    while (performance.now() <= deadline);
  };
  const rules = [
    ruleBy(bitmaps, (docid) => (docid - first) >> 2),
    ruleBy(bitmaps, (docid) => 3 - ((docid - first) & 3), wait),
    ruleBy(bitmaps, () => 7),
  ];
  const driver = new Driver(bitmaps, rules, { ...OPTIONS, deadline });
  driver.run(Documents.ofBitmap(bitmaps, reader.live), NO_PATHS);
  assert.equal(driver.isDegraded, true);
  const hits = driver.hits.map(({ docid, ranks }) => [
    docid - first,
    ranks.map(({ rule, max }) => [rule, max]),
  ]);
  const skipped = ["skipped", 1];
  const split = [3, 2, 1, 0].map((docid, key) => [docid, [["sort", 1], ["sort", 1 + key], skipped]]);
  const whole = [4, 5, 6, 7, 8, 9].map((docid) => [docid, [["sort", 1 + (docid >> 2)], skipped]]);
  assert.deepEqual(hits, [...split, ...whole]);
});

test("any page is that part of the whole, and buckets before it are not split further", (t) => {
  const count = 2000;
  const { bitmaps, reader, first } = openIndex(t, count);
  let asked: number[] = [];
  const note = (documents: Documents) => asked.push(...documents.docids);
  const pageOf = (offset: number, wanted: number, ranked: boolean) => {
    asked = [];
    const rules = [
      // Large sets, and small ones that are ranked together.
      ruleBy(bitmaps, (docid) => (docid - first < 1000 ? 0 : (docid - first) >> 6)),
      ruleBy(bitmaps, (docid) => (docid * 7919) % 5, note),
    ];
    const driver = new Driver(bitmaps, rules, { ...OPTIONS, offset, wanted, ranked });
    driver.run(Documents.ofBitmap(bitmaps, reader.live), NO_PATHS);
    return driver.hits;
  };
  for (const ranked of [false, true]) {
    const whole = pageOf(0, count, ranked);
    assert.equal(whole.length, count);
    for (const offset of [0, 1, 999, 1000, 1001, 1023, 1024, 1100, 1999, 2000, 5000]) {
      const page = pageOf(offset, offset + 20, ranked);
      assert.deepEqual(page, whole.slice(offset, offset + 20), `${offset}`);
      const begin = offset < 1000 ? 0 : Math.max(1000, offset & ~63);
      assert.equal(Math.min(...asked, first + begin), first + begin, `${offset}`);
    }
  }
});
