// Vectors as documents show them.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { shownVectors } from "../../../src/engine/vectors/shown.ts";

test("components are floats", () => {
  const two = { values: Float32Array.of(1, 0.5, -2, 0), dimensions: 2, slots: [0, 0], regenerates: false };
  equal(shownVectors(two), '{"embeddings":[[1.0,0.5],[-2.0,0.0]],"regenerate":false}');
});
