// The cache of single documents against a map that never forgets: what it gives is what was kept.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { DocumentCache } from "../../src/segment/documentcache.ts";

const BYTES = 4096;

function open() {
  const core = new Core();
  const cache = new DocumentCache(core, BYTES);
  const source = core.reserve(BYTES);
  const keep = (file: number, ordinal: number, text: string) => {
    core.write(source, Buffer.from(text));
    cache.keep(file, ordinal, { pointer: source, length: text.length });
  };
  const find = (file: number, ordinal: number): string | null => {
    const found = cache.find(file, ordinal);
    return (
      found && Buffer.from(core.u8.subarray(found.pointer, found.pointer + found.length)).toString("latin1")
    );
  };
  return { cache, keep, find };
}

/** Of any length, told apart by its number. */
const textOf = (number: number, length: number): string => `${number}:`.padEnd(length, "abcdefg");

describe("the cache of documents", () => {
  it("gives every document as it was kept last, or none", () => {
    const step = fc.record({
      file: fc.integer({ min: 1, max: 3 }),
      ordinal: fc.integer({ min: 0, max: 12 }),
      length: fc.integer({ min: 8, max: 300 }),
    });
    let given = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 200 }), (steps) => {
        const { keep, find } = open();
        const all = new Map<string, string>();
        for (const [number, { file, ordinal, length }] of steps.entries()) {
          const text = textOf(number, length);
          const key = `${file} ${ordinal}`;
          const known = find(file, ordinal);
          if (known !== null) assert.equal(known, all.get(key));
          if (known !== null) given++;
          // What does not fit is not kept, and what was kept before it stays.
          if (text.length > BYTES / 16) continue;
          keep(file, ordinal, text);
          all.set(key, text);
          assert.equal(find(file, ordinal), text);
        }
      }),
      { numRuns: 200 },
    );
    assert.ok(given > 100, `${given}`);
  });

  it("lets go of the oldest documents, and of none that there is room for", () => {
    const { keep, find } = open();
    const length = 128;
    const room = BYTES / length;
    for (let ordinal = 0; ordinal < 3 * room; ordinal++) {
      keep(1, ordinal, textOf(ordinal, length));
      for (let before = 0; before <= ordinal - room; before++) assert.equal(find(1, before), null);
    }
    const there = Array.from({ length: room }, (_, i) => find(1, 2 * room + i)).filter(Boolean);
    // Some share a slot.
    assert.ok(there.length > room / 4, `${there.length}`);
  });

  it("does not keep a document that would push out many others", () => {
    const { keep, find } = open();
    keep(1, 1, textOf(1, 100));
    keep(1, 2, textOf(2, BYTES / 16 + 1));
    assert.deepEqual([find(1, 1), find(1, 2)], [textOf(1, 100), null]);
  });

  it("numbers every file anew", () => {
    const { cache, keep, find } = open();
    const [first, second] = [cache.enter(), cache.enter()];
    keep(first, 7, "one");
    assert.deepEqual([find(first, 7), find(second, 7)], ["one", null]);
  });
});
