// Hits of another server as they go out again: all but `_federation` stays as it was.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { readRemoteAnswer } from "../../src/network/remoteanswer.ts";

const given = JSON.stringify({
  ...{ indexUid: "i", queriesPosition: 2, weightedRankingScore: 0.5 },
  ...{ weightedScoreValues: [{ weightedScore: 0.5 }], distinctKeys: ["k"] },
});
const shown = '{"indexUid":"i","queriesPosition":2,"weightedRankingScore":0.5,"remote":"east"}';

function written(hit: string): string {
  const answer = `{"hits":[${hit}],"processingTimeMs":1,"estimatedTotalHits":1}`;
  const [read] = readRemoteAnswer("east", answer).hits;
  deepEqual(read.keys, ["k"]);
  return read.write();
}

test("what only the merge needs is taken out, wherever it stands", () => {
  const member = (value: string) => `"_federation":${value}`;
  const hits: ((federation: string) => string)[] = [
    (federation) => `{"n":1.50,${member(federation)}}`,
    (federation) => `{${member(federation)},"n":12345678901234567890}`,
    (federation) => `{${member(federation)},"a":{"_federation":{"x":1}}}`,
    (federation) => `{"text":"\\\\\\"_federation\\":{}",${member(federation)}}`,
    (federation) => `{"a":{"_federation":{"x":1}},${member(federation)}}`,
  ];
  for (const hit of hits) equal(written(hit(given)), hit(shown));
});
