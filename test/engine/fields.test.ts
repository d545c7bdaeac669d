// The names of the fields that the documents of an index have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addition, TestIndex } from "./index.ts";

test("fields are listed by name, those inside others too", () => {
  const index = new TestIndex();
  index.run([addition(['{"id":1,"z":null,"name":{"de":"Tee"}}', '{"id":2,"a":1}'])]);
  assert.deepEqual(fieldsOf(index), ["a", "id", "name", "name.de", "z"]);
  index.close();
});

test("fields that are filtered or sorted by are listed, although they are not searched", () => {
  const index = new TestIndex();
  const patch = {
    searchableAttributes: ["id"],
    filterableAttributes: ["a.b.c"],
    sortableAttributes: ["d.e"],
  };
  index.run([{ kind: "settings", patch }, addition(['{"id":1,"a":{"b":{"c":1,"x":2}},"d":{"e":"f"}}'])]);
  assert.deepEqual(fieldsOf(index), ["a", "a.b", "a.b.c", "d", "d.e", "id"]);
  index.close();
});

const fieldsOf = ({ searcher, folder, state }: TestIndex): string[] =>
  searcher.fields({ folder, indexUid: "i", version: state.version });

test("the field with the empty name counts, beside others too", () => {
  const index = new TestIndex();
  index.run([addition(['{"id":1,"x":1}', '{"id":2,"x":1,"":5}', '{"":1,"id":3}'])]);
  assert.deepEqual({ ...index.state.fieldDistribution }, { id: 3, x: 2, "": 2 });
  index.close();
});
