// Another primary key that comes when the index has one: it is refused with what the index is like, ignored
// by whoever replaces documents, and taken while there are none.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";
import { addition, type Change, TestIndex } from "./index.ts";

test("another primary key is refused for its own reason, with documents and without", () => {
  const index = new TestIndex();
  const messageOf = (change: Change) => index.run([change]).results[0].error!.message;
  const update = { ...addition(['{"sku":1}'], "update"), primaryKey: "sku" } as Change;
  const keyed = (primaryKey: string): Change => ({ kind: "primaryKey", primaryKey });
  index.run([keyed("id")]);
  match(messageOf(update), /`i` is `id` already: an update of documents cannot name another$/);
  index.run([addition(['{"id":1}'])]);
  match(messageOf(update), /an update of documents cannot name another$/);
  match(messageOf(keyed("sku")), /it cannot change while the index holds documents$/);
  index.close();
});

test("documents that replace others are known by the key of the index, whatever key they come with", () => {
  const index = new TestIndex();
  const sent = (primaryKey: string, documents: string[]): Change => {
    return { ...addition(documents), primaryKey } as Change;
  };
  index.run([sent("id", ['{"id":1,"sku":7}'])]);
  equal(index.run([sent("sku", ['{"id":1,"sku":8}', '{"id":2,"sku":8}'])]).results[0].error, null);
  equal(index.state.numberOfDocuments, 2);
  equal(index.state.primaryKey, "id");
  deepEqual(index.document("1"), [
    ["id", "1"],
    ["sku", "8"],
  ]);
  index.compare();
  index.close();
});

test("an index without documents takes another primary key", () => {
  const index = new TestIndex();
  for (const primaryKey of ["id", "sku"]) {
    equal(index.run([{ kind: "primaryKey", primaryKey }]).results[0].error, null);
    equal(index.state.primaryKey, primaryKey);
  }
  index.close();
});
