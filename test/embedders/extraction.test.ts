// Answers whose vectors cannot be used.
import { deepEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { AnswerMistake, extractVectors } from "../../src/embedders/extraction.ts";
import { parseJsonTemplate } from "../../src/embedders/jsontemplate.ts";

const template = parseJsonTemplate("response", { data: ["{{embedding}}", "{{..}}"] }, "{{embedding}}");
const vectorsIn = (vector: unknown) => extractVectors(template, { data: [vector] }, 1);

test("a vector holds numbers of 32 bits, and at least one", () => {
  deepEqual(vectorsIn([0.5, -2]), [Float32Array.of(0.5, -2)]);
  for (const wrong of [[], [1e39], [-1e39], [1, null], ["1"], "1", { 0: 1 }])
    throws(() => vectorsIn(wrong), AnswerMistake, JSON.stringify(wrong));
});
