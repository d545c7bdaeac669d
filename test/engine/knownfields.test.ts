// Fields that no document has: those that were there once are known to filters and facets whatever was merged
// since, and so are those that the settings search in, and the primary key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { searchQueryOf } from "../../src/schemas/search.ts";
import { addition, type Change, found, TestIndex } from "./index.ts";

const SETTINGS: Change = { kind: "settings", patch: { filterableAttributes: ["a", "never"] } };

/** An index whose document with the field is about to go. */
function indexOfTwo(): TestIndex {
  const index = new TestIndex();
  index.run([SETTINGS, addition(['{"id":1,"a":5}', '{"id":2}'])]);
  return index;
}

function facets({ searcher, folder, state }: TestIndex): unknown {
  const handle = { folder, indexUid: "i", version: state.version };
  const query = searchQueryOf({ facets: ["*"] }, "r", null);
  const answer = Buffer.from(searcher.search(handle, query) as Uint8Array).toString();
  return (JSON.parse(answer) as { facetDistribution: unknown }).facetDistribution;
}

function assertKnown(index: TestIndex, others: number[]): void {
  assert.deepEqual(found(index, "a != 5"), others);
  assert.deepEqual(found(index, "NOT a = 5"), others);
  assert.deepEqual(found(index, "a EXISTS"), []);
  assert.deepEqual(facets(index), { a: {} });
  const { searcher, folder, state } = index;
  assert.ok(searcher.fields({ folder, indexUid: "i", version: state.version }).includes("a"));
  // A field that no document ever had differs from nothing.
  assert.deepEqual(found(index, "never != 5"), []);
}

test("a field stays known when its only document was deleted, and the segments merged", () => {
  const index = indexOfTwo();
  index.run([{ kind: "deleteIds", ids: ["1"] }]);
  assertKnown(index, [2]);
  index.run([addition(['{"id":3}'])]);
  assert.ok(index.mergeAll("rest") > 0);
  assertKnown(index, [2, 3]);
  index.reopen();
  assertKnown(index, [2, 3]);
  index.close();
});

test("a field stays known when all documents were deleted at once", () => {
  const index = indexOfTwo();
  index.run([{ kind: "clear" }, addition(['{"id":4}'])]);
  assertKnown(index, [4]);
  index.close();
});

test("a field stays known when all documents are indexed anew", () => {
  const index = indexOfTwo();
  index.run([addition(['{"id":1}'])]);
  index.run([{ kind: "settings", patch: { searchableAttributes: ["id"] } }]);
  assertKnown(index, [1, 2]);
  index.close();
});

test("a field that is filtered by again is known from before", () => {
  const index = indexOfTwo();
  index.run([
    { kind: "deleteIds", ids: ["1"] },
    { kind: "settings", patch: { filterableAttributes: [] } },
  ]);
  index.run([SETTINGS]);
  assertKnown(index, [2]);
  index.close();
});

test("a field that was searched before it was filtered by is known, too", () => {
  const index = new TestIndex();
  index.run([addition(['{"id":1,"a":5}', '{"id":2}'])]);
  index.run([{ kind: "deleteIds", ids: ["1"] }, addition(['{"id":3}'])]);
  assert.ok(index.mergeAll("rest") > 0);
  index.run([SETTINGS]);
  assert.deepEqual(found(index, "a != 5"), [2, 3]);
  index.close();
});

test("of very many fields that are gone the first ones are remembered, and writes go on", () => {
  const index = new TestIndex();
  const patch = { searchableAttributes: ["id"], filterableAttributes: ["p"] };
  index.run([{ kind: "settings", patch }]);
  const LETTERS = 10_000;
  for (let round = 0; round < 3; round++) {
    const names = Array.from({ length: 10 }, (_, i) => `${"x".repeat(LETTERS)}${round}-${i}`);
    const members = names.map((name) => `"${name}":1`).join();
    index.run([addition([`{"id":1,"p":{${members}}}`])]);
    index.mergeAll("rest");
  }
  index.run([{ kind: "clear" }]);
  const { formerFields } = index.state;
  assert.ok(formerFields.length > 0 && formerFields.join("").length < 10 * LETTERS);
  index.run([addition(['{"id":2}'])]);
  assert.deepEqual(found(index, "p = 1"), []);
  index.close();
});

test("columns that are in use are not remembered beside", () => {
  const index = indexOfTwo();
  assert.deepEqual(index.state.formerFields, []);
  index.run([addition(['{"id":1}'])]);
  index.mergeAll("rest");
  assert.deepEqual(index.state.formerFields, ["a"]);
  index.run([addition(['{"id":4,"a":1}'])]);
  index.run([addition(['{"id":5}'])]);
  assert.deepEqual(index.state.formerFields, []);
  index.close();
});

test("fields that the settings search in are known before a document has them", () => {
  const index = new TestIndex();
  index.run([addition(['{"id":1}', '{"id":2}'])]);
  const filterableAttributes = ["id", "a", "b", "c"];
  index.run([{ kind: "settings", patch: { filterableAttributes, searchableAttributes: ["a", "c.d"] } }]);
  assert.deepEqual(facets(index), { id: { 1: 1, 2: 1 }, a: {}, "c.d": {} });
  assert.deepEqual(found(index, "a != 5"), [1, 2]);
  assert.deepEqual(found(index, "b != 5"), []);
  // What lies around them, too.
  assert.deepEqual(found(index, "c != 5"), [1, 2]);
  index.close();
});

test("what is there all the same takes no place of what is gone", () => {
  const index = new TestIndex();
  const long = "x".repeat(100);
  const members = (name: string) =>
    Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`${name}${i}${long}`, 1]));
  index.run([addition([JSON.stringify({ id: 1, ...members("a") })])]);
  index.run([{ kind: "settings", patch: { searchableAttributes: ["id"] } }]);
  index.run([{ kind: "settings", patch: { searchableAttributes: ["*"] } }]);
  index.run([addition([JSON.stringify({ id: 2, gone: members("b") })])]);
  index.run([{ kind: "settings", patch: { searchableAttributes: Object.keys(members("a")) } }]);
  const { formerFields } = index.state;
  assert.equal(formerFields.filter((name) => name.startsWith("gone.b")).length, 400);
  index.close();
});

test("the primary key is known before there are documents", () => {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { filterableAttributes: ["id", "a"] } }]);
  assert.deepEqual(facets(index), {});
  index.run([{ kind: "primaryKey", primaryKey: "id" }]);
  assert.deepEqual(facets(index), { id: {} });
  index.close();
});

test("a field stays known when it is not searched any more", () => {
  const index = new TestIndex();
  index.run([addition(['{"id":1,"part":{"a":1,"b":2}}'])]);
  index.run([{ kind: "settings", patch: { searchableAttributes: ["part.a"] } }]);
  const { searcher, folder, state } = index;
  const fields = () => searcher.fields({ folder, indexUid: "i", version: index.state.version });
  assert.deepEqual(fields(), ["id", "part", "part.a", "part.b"]);
  assert.deepEqual(state.formerFields, ["id", "part", "part.b"]);
  index.run([{ kind: "settings", patch: { filterableAttributes: ["part"] } }]);
  assert.deepEqual(facets(index), { part: {}, "part.a": { 1: 1 }, "part.b": { 2: 1 } });
  index.run([{ kind: "settings", patch: { searchableAttributes: ["*"] } }, { kind: "clear" }]);
  index.reopen();
  assert.deepEqual(fields(), ["id", "part", "part.a", "part.b"]);
  index.close();
});
