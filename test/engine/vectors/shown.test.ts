// Vectors as documents show them.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { copiedVectors, shownVectors } from "../../../src/engine/vectors/shown.ts";

test("components are floats", () => {
  const two = { values: Float32Array.of(1, 0.5, -2, 0), dimensions: 2, slots: [0, 0], regenerates: false };
  equal(shownVectors(two), '{"embeddings":[[1.0,0.5],[-2.0,0.0]],"regenerate":false}');
});

test("a copy leaves out what another index would refuse, and keeps what it would make anew", () => {
  const one = { embedder: "a", values: Float32Array.of(1, 0), dimensions: 2, slots: [0], regenerates: true };
  const vectors = { ...one, isBinary: false, isUserProvided: false };
  const copied = (dimensions: number, settings: object = {}) =>
    copiedVectors(
      vectors,
      { source: "rest", ...settings },
      { embedders: { a: { dimensions, fragments: [] } } },
    );
  equal(copied(2), '{"embeddings":[[1.0,0.0]],"regenerate":true}');
  equal(copied(3), '{"embeddings":[],"regenerate":true}');
  equal(
    copied(2, { indexingFragments: { f: { value: {} } } }),
    '{"embeddings":[[1.0,0.0]],"regenerate":false}',
  );
});
