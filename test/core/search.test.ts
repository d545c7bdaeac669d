// What the host and the search of the core share: the layout of their records, and the scratch memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Core } from "../../src/core/core.ts";
import { Scratch } from "../../src/core/scratch.ts";
import {
  BUCKET_LEN,
  HOLE,
  NODE_LEN,
  NODE_WRITTEN_LEN,
  PART_LEN,
  PHRASE_COUNT,
  PHRASE_HEAD_LEN,
  RANGES_LEN,
  RANKS_LEN,
  RUN_LEN,
  SETUP_LEN,
} from "../../src/core/search.ts";

const SCRATCH_BYTES = 65536;

test("records are as long here as in the core", () => {
  const core = new Core();
  const here = [
    RANGES_LEN,
    PART_LEN,
    NODE_LEN,
    NODE_WRITTEN_LEN,
    PHRASE_HEAD_LEN,
    SETUP_LEN,
    BUCKET_LEN,
    RANKS_LEN,
    RUN_LEN,
  ];
  const out = core.reserve(4 * here.length);
  core.exports.searchLayout(out);
  assert.deepEqual([...core.u32.subarray(out / 4, out / 4 + here.length)], here);
});

/** Begins a search over no segment, whose bitmaps have so many words. */
function begin(core: Core, scratch: Scratch, words: number): void {
  const live = scratch.allocZeroed(8 * words);
  const setup = scratch.allocZeroed(4 * SETUP_LEN);
  core.u32.set([scratch.arena, words, live], setup / 4);
  core.exports.searchBegin(setup);
}

/** A phrase that is a hole: its documents are a new bitmap, a copy of those that live. */
function hole(core: Core, scratch: Scratch): number {
  const phrase = scratch.allocZeroed(4 * (PHRASE_HEAD_LEN + 1));
  core.u32[phrase / 4 + PHRASE_COUNT] = 1;
  core.u32[phrase / 4 + PHRASE_HEAD_LEN] = HOLE;
  return phrase;
}

test("host and core take memory in turn, and what they took does not overlap", () => {
  const core = new Core();
  const scratch = new Scratch(core, SCRATCH_BYTES);
  const words = 40;
  begin(core, scratch, words);
  const taken: [start: number, bytes: number][] = [];
  for (let i = 0; i < 20; i++) {
    taken.push([scratch.alloc(100 + i), 100 + i]);
    taken.push([core.exports.searchPhrase(hole(core, scratch)), 8 * words]);
  }
  const inOrder = [...taken].sort(([a], [b]) => a - b);
  inOrder.forEach(([start, bytes], i) => {
    assert.ok(start % 8 === 0 && (i + 1 === inOrder.length || start + bytes <= inOrder[i + 1][0]));
  });
});

test("a core that asks for more than is left gets nothing, and the host tells how much there is", () => {
  const core = new Core();
  const scratch = new Scratch(core, SCRATCH_BYTES);
  core.imports.exhausted = (bytes) => scratch.refuse(bytes);
  begin(core, scratch, 400);
  const phrases = Array.from({ length: 40 }, () => hole(core, scratch));
  const ask = () => phrases.map((phrase) => core.exports.searchPhrase(phrase));
  assert.throws(ask, { code: "search_memory_exceeded", message: new RegExp(`${SCRATCH_BYTES}`) });
  assert.ok(scratch.mark() - scratch.arena <= SCRATCH_BYTES + 64);
  assert.throws(() => scratch.alloc(SCRATCH_BYTES), { code: "search_memory_exceeded" });
});
