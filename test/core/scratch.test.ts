// Memory of one operation: what is no number of bytes is refused, and nothing is taken then.
import { equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { Core } from "../../src/core/core.ts";
import { Scratch } from "../../src/core/scratch.ts";

const NO_BYTES = [Number.NaN, undefined, -1, Number.POSITIVE_INFINITY] as number[];

test("a stack refuses what is no number of bytes, and goes on", () => {
  const scratch = new Scratch(new Core(), 1024);
  const mark = scratch.mark();
  for (const bytes of NO_BYTES) throws(() => scratch.alloc(bytes), { code: "search_memory_exceeded" });
  equal(scratch.mark(), mark);
  equal(scratch.alloc(64) >= mark, true);
});

test("a core refuses it as well", () => {
  const core = new Core();
  const first = core.reserve(16);
  for (const bytes of NO_BYTES) throws(() => core.reserve(bytes), RangeError);
  equal(core.reserve(16) > first, true);
});
