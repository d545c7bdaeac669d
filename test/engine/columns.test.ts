// The columns of an index hold of every document what a plain walk over it finds: in one segment and in many,
// after documents were replaced and deleted, and after merges.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { covers, patternMatches } from "../../src/engine/fieldnames.ts";
import { IndexReader } from "../../src/engine/reader.ts";
import { openReaderShare } from "../../src/engine/searchthread.ts";
import type { SettingsPatch } from "../../src/schemas/settings.ts";
import type { SegmentEntry } from "../../src/segment/manifeststate.ts";
import { twinColumns } from "../twins/columns.ts";
import { jsonNumber, jsonString } from "../twins/jsontext.ts";
import { readColumns } from "./columncontents.ts";
import { addition, TestIndex } from "./index.ts";

const CACHE_BYTES = 16 * 1024 * 1024;
const patch = {
  filterableAttributes: [
    "a",
    "m.n",
    {
      attributePatterns: ["p*"],
      features: { facetSearch: true, filter: { equality: true, comparison: true } },
    },
  ],
  sortableAttributes: ["s", "a"],
};
type NamePredicate = (name: string) => boolean;
const isFilterable: NamePredicate = (name) =>
  ["a", "m.n"].some((entry) => covers(entry, name)) || patternMatches("p*", name);
const hasColumn: NamePredicate = (name) => isFilterable(name) || covers("s", name);

const scalar = fc.oneof(
  fc.constantFrom("1", "2", "-0", "0", "1e999", '"x"', '"X "', '""', "null", "true"),
  fc.constantFrom("1", "2", "[]", "{}", "3.5", '" "', '"\\u00e9"', '"1"', "null", "false"),
  jsonNumber,
  jsonString,
  fc.constantFrom(`"${"é".repeat(400)}"`, `"${"a".repeat(467)}éé"`, `"${"z".repeat(600)}"`),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }).map((all) => `[${all.join()}]`),
    fc
      .dictionary(fc.constantFrom("a", "n", "n.o", "b", "p"), tie("value"), { maxKeys: 3 })
      .map((members) => `{${membersText(members)}}`),
  ),
}));
const membersText = (members: Record<string, string>): string =>
  Object.entries(members)
    .map(([name, one]) => `${JSON.stringify(name)}:${one}`)
    .join();
const names = fc.constantFrom("a", "a.b", "m", "m.n", "p1", "p2", "s", "x", "_vector");
const document = fc
  .tuple(fc.nat(30), fc.dictionary(names, value, { maxKeys: 4 }))
  .map(([id, members]) => `{"id":${id},${membersText({ z: "1", ...members })}}`);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(document, { minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(fc.nat(30), { maxLength: 5 }).map((ids) => ({ ids: ids.map(String) })) },
);

const share = openReaderShare(new TestIndex().storage, CACHE_BYTES, CACHE_BYTES);

/** Holds the columns against what follows from the documents of the model. */
function compare(index: TestIndex, has: NamePredicate = hasColumn, lists = isFilterable): void {
  const reader = new IndexReader({ ...share, storage: index.storage }, index.folder);
  reader.refresh(index.state.version);
  const expected = index.model.docids.flatMap((docid) => {
    const columns = twinColumns(
      `{${membersText(Object.fromEntries(index.model.documents.get(docid)!.document))}}`,
      has,
    );
    return columns.size > 0 ? [[docid, columns] as const] : [];
  });
  assert.deepEqual(sorted(readColumns(reader)), sorted(new Map(expected)));
  for (const { segment } of reader.segments) {
    for (const { name, isListed } of segment.meta.columns) assert.equal(isListed, lists(name), name);
  }
  reader.close();
}

/** A change of the settings with what it means to names. */
interface Choice {
  patch: SettingsPatch;
  has: NamePredicate;
  lists: NamePredicate;
}
const entries = fc.subarray(["a", "a.b", "m", "m.n", "s", "x", "_geo"], { minLength: 0 });
const choice: fc.Arbitrary<Choice> = fc
  .tuple(entries, fc.subarray(["p*", "*n", "_geo*"]), entries, fc.option(fc.constantFrom("a", "p1", "m")))
  .map(([filterable, attributePatterns, sortable, distinct]) => {
    const lists: NamePredicate = (name) =>
      !covers("_vectors", name) &&
      (filterable.some((entry) => covers(entry, name)) ||
        attributePatterns.some((pattern) => patternMatches(pattern, name)));
    const rules = attributePatterns.length > 0 ? [{ attributePatterns }] : [];
    return {
      patch: {
        filterableAttributes: [...filterable, ...rules],
        sortableAttributes: sortable,
        distinctAttribute: distinct,
      },
      has: (name) =>
        lists(name) || [...sortable, ...(distinct ? [distinct] : [])].some((e) => covers(e, name)),
      lists,
    };
  });

const sorted = (contents: ReadonlyMap<number, ReadonlyMap<string, string[]>>) =>
  [...contents]
    .sort(([a], [b]) => a - b)
    .map(([docid, columns]) => [docid, [...columns].sort(([a], [b]) => (a < b ? -1 : 1))]);

describe("columns", () => {
  it("hold what documents hold, over segments, deletions and merges", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const index = new TestIndex();
        index.run([{ kind: "settings", patch }]);
        for (const now of steps) {
          index.run([Array.isArray(now) ? addition(now) : { kind: "deleteIds", ids: now.ids }]);
        }
        compare(index);
        if (index.mergeAll() > 0) compare(index);
        index.close();
      }),
      { numRuns: 60, interruptAfterTimeLimit: 20_000 },
    );
  });

  it("hold many values, in lists and out of them, over several segments of little memory", () => {
    const index = new TestIndex(1024 * 1024);
    index.run([{ kind: "settings", patch }]);
    const documentOf = (i: number) => {
      const tags = Array.from({ length: i % 7 }, (_, k) => `"tag ${(i * 7 + k * 13) % 50}"`).join();
      const rest = `"s":"Name ${(i * 31) % 2500}","m":{"n":${i % 3}}`;
      return `{"id":${i},"a":${(i * 7919) % 3001},"p1":[${tags}],${rest}}`;
    };
    index.run([addition(Array.from({ length: 12_000 }, (_, i) => documentOf(i)))]);
    assert.ok(index.state.segments.length > 1, "one segment is not enough");
    compare(index);
    index.run([{ kind: "deleteIds", ids: Array.from({ length: 4000 }, (_, i) => String(i * 3)) }]);
    index.mergeAll();
    compare(index);
    index.close();
  });

  it("follow the settings, whatever they change, and leave everything else alone", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(step, { maxLength: 4 }), choice), { minLength: 2, maxLength: 4 }),
        (all) => {
          const index = new TestIndex();
          for (const [steps, { patch, has, lists }] of all) {
            for (const now of steps) {
              index.run([Array.isArray(now) ? addition(now) : { kind: "deleteIds", ids: now.ids }]);
            }
            const before = index.state.segments;
            index.run([{ kind: "settings", patch }]);
            const kept = ({ documents, tombstones }: SegmentEntry) => ({ documents, tombstones });
            assert.deepEqual(index.state.segments.map(kept), before.map(kept));
            compare(index, has, lists);
            index.compare();
            index.mergeAll();
            compare(index, has, lists);
          }
          index.close();
        },
      ),
      { numRuns: 25, interruptAfterTimeLimit: 10_000 },
    );
  });

  it("follow settings that come with documents, and with others that words depend on", () => {
    const index = new TestIndex();
    index.run([addition(['{"id":1,"a":5,"s":"x"}', '{"id":2,"a":6}', '{"id":3,"p1":7}'])]);
    index.run([
      addition(['{"id":1,"a":7,"p2":1}', '{"id":4,"s":2}']),
      { kind: "deleteIds", ids: ["3"] },
      { kind: "settings", patch },
    ]);
    compare(index);
    index.compare();
    const other = { filterableAttributes: ["s"], sortableAttributes: [], stopWords: ["x"] };
    index.run([{ kind: "settings", patch: other }]);
    compare(
      index,
      (name) => covers("s", name),
      (name) => covers("s", name),
    );
    index.close();
  });

  it("are made anew with all else when their values do not fit into memory", () => {
    const index = new TestIndex(1024 * 1024);
    const documentOf = (id: number) => {
      const tags = Array.from({ length: 40 }, (_, i) => id * 40 + i);
      return JSON.stringify({ id, a: tags, s: `${id}` });
    };
    index.run([{ kind: "settings", patch: { searchableAttributes: ["s"] } }]);
    index.run([addition(Array.from({ length: 1500 }, (_, id) => documentOf(id)))]);
    index.mergeAll();
    const before = index.state.segments.length;
    index.run([{ kind: "settings", patch }]);
    assert.ok(index.state.segments.length > before, "no segment was too large");
    compare(index);
    index.close();
  });
});
