// The names of the fields that the documents of an index have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addition, TestIndex } from "./index.ts";

test("fields are listed by name, those inside others too", () => {
  const index = new TestIndex();
  index.run([addition(['{"id":1,"z":null,"name":{"de":"Tee"}}', '{"id":2,"a":1}'])]);
  const { searcher, folder, state } = index;
  const names = searcher.fields({ folder, indexUid: "i", version: state.version });
  assert.deepEqual(names, ["a", "id", "name", "name.de", "z"]);
  index.close();
});
