// Who keeps a document: one server each, all about as many, and few documents move when a server comes or
// goes. And what a write does with those of others.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { ownerCheck } from "../../src/engine/shard.ts";
import { addition, type Change, TestIndex } from "./index.ts";

const DOCUMENTS = 6000;
const ids = Array.from({ length: DOCUMENTS }, (_, i) => Buffer.from(`${i}`));

/** Owner of each id as the servers find it, each by itself. */
function owners(members: readonly string[]): string[] {
  const checks = members.map((self) => ({ self, isOwn: ownerCheck({ self, members }) }));
  return ids.map((id) => {
    const own = checks.filter(({ isOwn }) => isOwn(id)).map(({ self }) => self);
    equal(own.length, 1);
    return own[0];
  });
}

test("each document has one owner, whatever order the servers are named in", () => {
  deepEqual(owners(["a", "b", "c"]), owners(["c", "a", "b"]));
});

test("servers keep about as many documents each", () => {
  for (const members of [["a", "b", "c"], ["ms-0", "ms-1", "ms-2"], ["x"]]) {
    const found = owners(members);
    for (const name of members) {
      const share = found.filter((owner) => owner === name).length / DOCUMENTS;
      ok(Math.abs(share - 1 / members.length) < 0.05, `${name}: ${share}`);
    }
  }
});

test("a server that goes leaves the documents of the others where they are", () => {
  const before = owners(["a", "b", "c"]);
  owners(["a", "b"]).forEach((owner, i) => {
    if (before[i] !== "c") equal(owner, before[i]);
  });
});

test("who owns what stays the same over versions: all servers must agree", () => {
  deepEqual(owners(["a", "b", "c"]).slice(0, 12).join(""), "acaabccccbcb");
});

test("a write neither counts nor creates documents of others, and those still here are as with them", () => {
  const index = new TestIndex();
  const shard = { self: "a", members: ["a", "b"] };
  const isOwn = ownerCheck(shard);
  const [moving, unknown] = ids.filter((id) => !isOwn(id)).map(String);
  const own = String(ids.find(isOwn));
  const write = (method: "replace" | "update"): Change => {
    const documents = [moving, unknown, own].map((id) => `{"id":${id},"b":2}`);
    return { ...addition(documents, method), shard } as Change;
  };
  index.run([addition([`{"id":${moving},"a":1}`])]);
  equal(index.run([write("update")]).results[0].indexedDocuments, 1);
  deepEqual(index.document(moving), [
    ["id", moving],
    ["a", "1"],
    ["b", "2"],
  ]);
  equal(index.state.numberOfDocuments, 2);
  // Its owner has it whole from this write, and needs nothing of what is here.
  index.run([write("replace"), write("update")]);
  equal(index.document(moving), null);
  equal(index.state.numberOfDocuments, 1);
  index.compare();
  index.close();
});
