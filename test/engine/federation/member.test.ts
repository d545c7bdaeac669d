// What a federated hit tells of its query.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { federationText } from "../../../src/engine/federation/member.ts";

test("the weighted score is a float, and what is not there is not told", () => {
  const found = { indexUid: 'a"b', queriesPosition: 2, weightedRankingScore: 1 };
  const plain = '{"indexUid":"a\\"b","queriesPosition":2,"weightedRankingScore":1.0';
  equal(federationText(found), `${plain}}`);
  equal(federationText({ ...found, remote: null }), `${plain},"remote":null}`);
  equal(federationText({ ...found, remote: "r" }, { keys: ["k"] }), `${plain},"remote":"r","keys":["k"]}`);
});
