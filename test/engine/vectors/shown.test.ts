// Vectors as documents show them.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { fittingVectors, shownVectors } from "../../../src/engine/vectors/shown.ts";

test("components are floats", () => {
  const two = { values: Float32Array.of(1, 0.5, -2, 0), dimensions: 2, slots: [0, 0], regenerates: false };
  equal(shownVectors(two), '{"embeddings":[[1.0,0.5],[-2.0,0.0]],"regenerate":false}');
});

test("vectors of another length are left out, and the embedder makes new ones where it can", () => {
  const one = { embedder: "a", values: Float32Array.of(1, 0), dimensions: 2, slots: [0], regenerates: true };
  const vectors = { ...one, isBinary: false, isUserProvided: false };
  const fitting = (dimensions: number, more: object = {}, source: "rest" | "userProvided" = "rest") => {
    return fittingVectors({ ...vectors, ...more }, { source }, { dimensions, fragments: [] });
  };
  deepEqual(fitting(2), vectors);
  equal(fitting(3), null);
  deepEqual(fitting(3, { regenerates: false }), { ...vectors, regenerates: false, slots: [] });
  deepEqual(fitting(3, {}, "userProvided"), { ...vectors, slots: [] });
});
