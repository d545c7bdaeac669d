// The best hits of many queries are those that merging everything gives, and no others are written.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bestHits, FoundHit } from "../../../src/engine/federation/besthits.ts";
import { comparePositioned, mergedHits } from "../../../src/engine/federation/merge.ts";

interface Made {
  hits: FoundHit[];
  written: Set<FoundHit>;
}

/** Hits of one query in order, with scores of a few steps: many are equal. */
function queryOf(order: number, position: number, scores: readonly number[], isFleeting: boolean): Made {
  const written = new Set<FoundHit>();
  const hits = scores
    .map((score, docid) => {
      const weightedScore = score / 4;
      const place = { position, order, docid, values: [{ weightedScore }], weightedScore, keys: null };
      return new FoundHit(place, isFleeting, (own) => {
        ok(!written.has(own), "a hit is written once");
        written.add(own);
        return JSON.stringify([order, position, docid]);
      });
    })
    .sort(comparePositioned);
  return { hits, written };
}

/** As a hybrid query finds them. */
function unorderedOf(order: number, position: number, scores: readonly number[]): FoundHit[] {
  return scores.map((score, docid) => {
    const weightedScore = score / 4;
    const place = { position, order, docid, values: [{ weightedScore }], weightedScore, keys: null };
    return new FoundHit(place, false, () => JSON.stringify([order, position, docid]));
  });
}

const scores = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 8 });
const query = fc.record({ scores, isFleeting: fc.boolean() });
/** Queries by index. */
const indexes = fc.array(fc.array(query, { maxLength: 4 }), { maxLength: 5 });

test("one list has the best hits of all queries, each document once", () => {
  fc.assert(
    fc.property(indexes, fc.integer({ min: 0, max: 12 }), (given, wanted) => {
      const best = bestHits(wanted, true);
      const all: Made[] = [];
      for (const [order, queries] of given.entries()) {
        for (const { scores, isFleeting } of queries) {
          const made = queryOf(order, all.length, scores, isFleeting);
          const admitted = made.hits.findIndex((hit) => !best.admits(hit));
          best.add(admitted < 0 ? made.hits : made.hits.slice(0, admitted));
          all.push(made);
        }
        deepEqual(best.endIndex(), []);
      }
      const seen = new Set<string>();
      const expected = all
        .flatMap(({ hits }) => hits)
        .sort(comparePositioned)
        .filter(({ order, docid }) => !seen.has(`${order} ${docid}`) && seen.add(`${order} ${docid}`))
        .slice(0, wanted);
      const [list] = best.lists;
      deepEqual(
        list.map((hit) => hit.write()),
        expected.map(({ order, position, docid }) => JSON.stringify([order, position, docid])),
      );
      const shown = new Set(list);
      for (const { written } of all) {
        for (const hit of written) ok(hit.isFleeting || shown.has(hit), "what is not shown is not written");
      }
    }),
  );
});

test("where hits are in an order of their own it does not matter which indexes a thread has", () => {
  fc.assert(
    fc.property(indexes, fc.nat({ max: 5 }), fc.integer({ min: 0, max: 12 }), (given, cut, wanted) => {
      const queries = given.map((one) => one.map(({ scores }) => scores));
      /** Lists of a thread that has the indexes from one number to another. */
      const listsOf = (from: number, to: number) => {
        const best = bestHits(wanted, false);
        for (const [order, scores] of queries.entries()) {
          if (order < from || order >= to) continue;
          for (const [position, own] of scores.entries()) best.add(unorderedOf(order, position, own));
          best.endIndex();
        }
        return best.lists;
      };
      const shown = (lists: readonly (readonly FoundHit[])[]) =>
        [...mergedHits(lists)].slice(0, wanted).map((hit) => hit.write());
      const all = queries.length;
      deepEqual(shown([...listsOf(0, cut), ...listsOf(cut, all)]), shown(listsOf(0, all)));
    }),
  );
});

test("what can be written only while its query runs is written then", () => {
  const best = bestHits(2, true);
  const first = queryOf(0, 0, [4, 3, 2], true);
  best.add(first.hits);
  equal(first.written.size, 2);
  const later = queryOf(1, 1, [1, 0], true);
  best.add(later.hits);
  equal(later.written.size, 0);
});

test("in lists of their own, hits are written in time, and documents that two queries find show once", () => {
  for (const keys of [null, ["k"]]) {
    const best = bestHits(10, false);
    const made = [0, 1].map((position) => {
      const written: number[] = [];
      const hits = [4, 3].map((score, docid) => {
        const weightedScore = score / 4;
        const place = { position, order: 0, docid, values: [{ weightedScore }], weightedScore };
        const own = keys && [`${keys[0]}${docid}`];
        return new FoundHit({ ...place, keys: own }, true, () => `${position}.${written.push(docid)}`);
      });
      best.add(hits);
      deepEqual(written, [0, 1], "before the next query runs");
      return hits;
    });
    deepEqual(best.endIndex(), [], "no document keeps itself out");
    deepEqual(best.lists, [made[0]]);
  }
});

test("with a distinct field every index keeps a list of its own", () => {
  const keyed = (order: number, keys: string[]) => {
    return keys.map((key, docid) => {
      const weightedScore = 1 - docid / 8;
      const place = { position: order, order, docid, values: [{ weightedScore }], weightedScore };
      return new FoundHit({ ...place, keys: [key] }, false, () => `${order}.${docid}`);
    });
  };
  const best = bestHits(2, false);
  best.add(keyed(0, ["a", "a", "b", "c"]));
  deepEqual(best.endIndex(), [1]);
  best.add(keyed(1, ["a"]));
  deepEqual(best.endIndex(), []);
  const texts = best.lists.map((list) => list.map((hit) => hit.write()));
  deepEqual(texts, [["0.0", "0.2"], ["1.0"]]);
});

test("the first hits are left out where their order is known, and no more than there are", () => {
  for (const [canForget, count, passed] of [
    [true, 0, 0],
    [true, 2, 2],
    [true, 9, 3],
    [false, 2, 0],
  ] as const) {
    const best = bestHits(10, canForget);
    best.add(queryOf(0, 0, [4, 3, 2], false).hits);
    best.endIndex();
    equal(best.pass(count), passed);
    const left = best.lists.flat().map(({ docid }) => docid);
    deepEqual(left, [0, 1, 2].slice(passed));
  }
});
