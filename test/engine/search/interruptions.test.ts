// A search that ends amid its work, because a file or the memory lets it down, leaves nothing behind for
// those that come after it in the same thread.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Scratch } from "../../../src/core/scratch.ts";
import { TarsierError } from "../../../src/errors.ts";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { Segment } from "../../../src/segment/segment.ts";
import { SearchIndex } from "./searchindex.ts";

const WORDS = [
  "net",
  "network",
  "red",
  "hero",
  "sun",
  "sunflower",
  "dog",
  "lazy",
  "a",
  "brown",
  ...Array.from({ length: 90 }, (_, i) => `word${i}`),
];
const { positionsRange } = Segment.prototype;
const { reset } = Scratch.prototype;

afterEach(() => {
  Segment.prototype.positionsRange = positionsRange;
  Scratch.prototype.reset = reset;
});

/**
 * Texts of words that come about as often as each other, in two segments, some of them replaced: so many that
 * buckets are found by their marks, not by a bitmap.
 */
function filledIndex(): SearchIndex {
  const index = new SearchIndex({ searchableAttributes: ["title", "body"] });
  const text = (id: number, length: number) =>
    Array.from(
      { length },
      (_, i) => WORDS[((Math.imul(id * 31 + i, 0x9e3779b1) >>> 8) % 65_521) % WORDS.length],
    ).join(" ");
  const documents = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => {
      return { id: from + i, title: text(from + i, 3), body: text(from + 2 * i, 9) };
    });
  index.add(documents(0, 4000));
  index.add(documents(3500, 8000));
  return index;
}

/** Several of them with few hits and with typos, which are looked at while a bucket is at hand. */
const queries: SearchBody[] = [
  { q: "red hero sun" },
  ...["word11 word22 red", "word33 hero word44", "lazy word55 word66", "word77 word88 dog"].map((q) => {
    return { q, matchingStrategy: "all" as const };
  }),
  { q: '"lazy dog" network', matchingStrategy: "frequency" },
  { q: "sun flower brwn he", showRankingScoreDetails: true },
];

/**
 * Searches with a fault at each place, until there is none. After each fault one of the queries must be
 * right, by turns: what a search leaves behind stays there for those that come later. In the end all must be.
 */
function interrupt(setFault: (place: number) => void, mend: () => void): number {
  let faults = 0;
  for (const [i, query] of queries.entries()) {
    for (let place = 0, isFaulty = true; isFaulty; place++) {
      setFault(place);
      try {
        assert.deepEqual(index.search(query), whole[i]);
        isFaulty = false;
      } catch (error) {
        assert.ok(error instanceof TarsierError, String(error));
        faults++;
      }
      mend();
      const next = faults % queries.length;
      assert.deepEqual(index.search(queries[next]), whole[next]);
    }
    assert.deepEqual(
      queries.map((other) => index.search(other)),
      whole,
    );
  }
  return faults;
}

const index = filledIndex();
const whole = queries.map((query) => index.search(query));

test("occurrences that cannot be read, at any place of a search", () => {
  let left = Number.POSITIVE_INFINITY;
  Segment.prototype.positionsRange = function (from, to) {
    if (left-- <= 0) throw new TarsierError("search_memory_exceeded", { wanted: 1, limit: 0 });
    return positionsRange.call(this, from, to);
  };
  const faults = interrupt(
    (place) => {
      left = place;
    },
    () => {
      left = Number.POSITIVE_INFINITY;
    },
  );
  assert.ok(faults >= 10, `${faults} faults`);
});

test("memory that ends, at many places of a search", () => {
  let limit = Number.POSITIVE_INFINITY;
  Scratch.prototype.reset = function () {
    reset.call(this);
    const end = this.core.u32[this.arena / 4 + 1];
    roomEnds.set(this, roomEnds.get(this) ?? end);
    this.core.u32[this.arena / 4 + 1] = Math.min(roomEnds.get(this)!, this.mark() + limit);
  };
  const faults = interrupt(
    (place) => {
      limit = 1024 * (place + 1);
    },
    () => {
      limit = Number.POSITIVE_INFINITY;
    },
  );
  assert.ok(faults >= 10, `${faults} faults`);
});

/** Where the memory really ends. */
const roomEnds = new WeakMap<Scratch, number>();
