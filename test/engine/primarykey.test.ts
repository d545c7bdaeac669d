// Another primary key that comes when the index has one: it is refused with what the index is like.
import { match } from "node:assert/strict";
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
