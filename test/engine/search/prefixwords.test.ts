// A prefix of very many words stands for the first thousand of them, in byte order over all segments, and for
// itself (src/engine/search/vocabulary.ts).
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SearchIndex } from "./searchindex.ts";

const WORDS_MAX = 1000;
const PREFIX = "stone";

test("a prefix stands for the first thousand words that living documents hold", () => {
  const words = fc.uniqueArray(fc.nat(9999), { minLength: 1200, maxLength: 1600, size: "max" });
  const property = fc.property(
    words,
    fc.integer({ min: 1, max: 4 }),
    fc.boolean(),
    fc.nat(6),
    (numbers, batches, hasPrefix, deleted) => {
      const texts = numbers.map((number) => `${PREFIX}${number}é`);
      if (hasPrefix) texts[0] = PREFIX;
      // Every third word stands in two documents, mostly of different segments.
      const documents = [...texts, ...texts.filter((_, i) => i % 3 === 0)].map((text, id) => ({ id, text }));
      const index = new SearchIndex({
        typoTolerance: { enabled: false },
        rankingRules: ["words"],
        pagination: { maxTotalHits: 10_000 },
      });
      for (let i = 0; i < batches; i++) index.add(documents.filter(({ id }) => (id * 7) % batches === i));
      const isLiving = ({ id }: { id: number }) => deleted === 0 || id % 11 !== deleted;
      const living = documents.filter(isLiving);
      if (living.length < documents.length)
        index.remove(documents.flatMap((one) => (isLiving(one) ? [] : [one.id])));
      const longer = [...new Set(living.map(({ text }) => text))].filter((text) => text !== PREFIX);
      const counted = new Set([PREFIX, ...longer.sort().slice(0, WORDS_MAX)]);
      const { hits } = index.search({ q: PREFIX, limit: 10_000, attributesToRetrieve: ["id"] });
      assert.deepEqual(
        hits.map(({ id }) => id).sort((a, b) => a - b),
        living.filter(({ text }) => counted.has(text)).map(({ id }) => id),
      );
      index.close();
    },
  );
  fc.assert(property, { numRuns: 12, endOnFailure: true });
});
