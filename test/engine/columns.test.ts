// The columns of an index hold of every document what a plain walk over it finds: in one segment and in many,
// after documents were replaced and deleted, and after merges.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { IndexReader } from "../../src/engine/reader.ts";
import { covers, matchesPattern } from "../../src/engine/search/fields.ts";
import { openReaderShare } from "../../src/engine/searchthread.ts";
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
const hasColumn = (name: string): boolean =>
  ["a", "m.n", "s"].some((entry) => covers(entry, name)) || matchesPattern(name, "p*");

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
function compare(index: TestIndex): void {
  const reader = new IndexReader({ ...share, storage: index.storage }, index.folder);
  reader.refresh(index.state.version);
  const expected = index.model.docids.flatMap((docid) => {
    const columns = twinColumns(
      `{${membersText(Object.fromEntries(index.model.documents.get(docid)!.document))}}`,
      hasColumn,
    );
    return columns.size > 0 ? [[docid, columns] as const] : [];
  });
  assert.deepEqual(sorted(readColumns(reader)), sorted(new Map(expected)));
  reader.close();
}

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

  it("are made anew when settings ask for others", () => {
    const index = new TestIndex();
    index.run([addition(['{"id":1,"a":5,"s":"x"}'])]);
    index.run([{ kind: "settings", patch }]);
    compare(index);
    index.close();
  });
});
