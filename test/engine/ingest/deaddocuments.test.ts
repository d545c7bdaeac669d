// Documents that are deleted or replaced: the tombstones of their segments, and segments that end with them.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { addition, type Change, TestIndex } from "../index.ts";

const texts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `{"id":${from + i},"text":"n${from + i}"}`);
const deletion = (...ids: number[]): Change => ({ kind: "deleteIds", ids: ids.map(String) });

/** Documents of each segment, and how many of them are deleted. */
const segmentsOf = ({ state }: TestIndex) =>
  state.segments.map(({ documents, tombstones }) => [documents, tombstones?.count ?? 0]);

test("a segment ends with its last document, after however many batches", () => {
  const index = new TestIndex();
  index.run([addition(texts(0, 6))]);
  const run = (change: Change, expected: number[][]) => {
    index.run([change]);
    deepEqual(segmentsOf(index), expected);
    index.compare();
  };
  run(deletion(0, 1), [[6, 2]]);
  run(deletion(2, 3, 4), [[6, 5]]);
  run(deletion(5), []);
  index.close();
});

test("documents of several segments are found in any order", () => {
  const index = new TestIndex();
  for (const from of [0, 10, 20]) index.run([addition(texts(from, from + 10))]);
  index.run([deletion(25, 3, 13, 4, 24, 14, 5)]);
  deepEqual(segmentsOf(index), [
    [10, 3],
    [10, 2],
    [10, 2],
  ]);
  index.compare();
  // A document that was replaced is found where it lives, not where its tombstone is.
  index.run([addition(['{"id":1,"rank":1}', '{"id":21,"rank":2}'])]);
  index.run([deletion(21, 0, 1)]);
  deepEqual(segmentsOf(index), [
    [10, 5],
    [10, 2],
    [10, 3],
  ]);
  index.compare();
  index.close();
});
