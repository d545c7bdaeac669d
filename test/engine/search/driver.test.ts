// The driver over rules that are made up: when time runs out amid a rule, what it has split stays split, and
// the rest follows unsplit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexReader } from "../../../src/engine/reader.ts";
import { Bitmaps } from "../../../src/engine/search/bitmaps.ts";
import { Documents } from "../../../src/engine/search/documents.ts";
import { Driver } from "../../../src/engine/search/driver.ts";
import { type NamedRule, NO_PATHS } from "../../../src/engine/search/rule.ts";
import { openReaderShare } from "../../../src/engine/searchthread.ts";
import { addition, TestIndex } from "../index.ts";

const CACHE_BYTES = 4 * 1024 * 1024;
const DOCUMENTS = 40;

/** Splits documents by what `keyOf` says, least first; `begun` is told of each set that it is asked about. */
function ruleBy(bitmaps: Bitmaps, keyOf: (docid: number) => number, begun: () => void = () => {}): NamedRule {
  return {
    name: "sort",
    *buckets(documents, paths) {
      begun();
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

test("when time runs out amid a rule, the sets that it has not split stay whole, each skipped once", () => {
  const index = new TestIndex();
  index.run([addition(Array.from({ length: DOCUMENTS }, (_, id) => `{"id":${id}}`))]);
  const share = openReaderShare(index.storage, CACHE_BYTES, CACHE_BYTES);
  const reader = new IndexReader({ ...share, storage: index.storage }, index.folder);
  reader.refresh(index.state.version);
  const bitmaps = new Bitmaps(reader);
  const [first] = Documents.ofBitmap(bitmaps, reader.live).docids;
  const deadline = performance.now() + 50;
  const wait = () => {
    while (performance.now() <= deadline);
  };
  const rules = [
    ruleBy(bitmaps, (docid) => (docid - first) >> 2),
    ruleBy(bitmaps, (docid) => 3 - ((docid - first) & 3), wait),
    ruleBy(bitmaps, () => 7),
  ];
  const options = { wanted: 10, ranked: true, threshold: null, distinct: null, deadline, leading: null };
  const driver = new Driver(bitmaps, rules, options);
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
  reader.close();
  index.close();
});
