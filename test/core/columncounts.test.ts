// The kernels of facets and distinct: counts of codes and documents without a common one, over columns with
// one code a document and with several, with and without gaps between the docids.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { type CodesOfDocids, twinCounts, twinDistinct } from "../twins/columncounts.ts";
import { ColumnViews } from "./columnviews.ts";

const core = new Core();
const kernels = core.exports;
const CODES = 20;
const VALUES = 17;
const DOCID_MAX = 400;
const ROOM_BYTES = 1 << 14;
const [input, output, spare] = Array.from({ length: 3 }, () => core.reserve(ROOM_BYTES));
const views = new ColumnViews(core);

interface Case {
  documents: CodesOfDocids;
  isSingle: boolean;
  docids: number[];
}

const get = (address: number, count: number) => [...core.u32.slice(address / 4, address / 4 + count)];
const ascending = (most: number, top: number) =>
  fc.uniqueArray(fc.nat(top), { maxLength: most, size: "max" }).map((list) => list.sort((a, b) => a - b));

const cases: fc.Arbitrary<Case> = fc
  .record({ isSingle: fc.boolean(), isGapless: fc.boolean(), own: ascending(80, DOCID_MAX) })
  .chain(({ isSingle, isGapless, own }) => {
    const docids = isGapless ? own.map((_, i) => (own[0] ?? 0) + i) : own;
    const lists = fc.array(ascending(isSingle ? 1 : 4, CODES - 1), {
      minLength: docids.length,
      maxLength: docids.length,
    });
    return fc.record({
      documents: lists.map((all) => new Map(docids.map((docid, i) => [docid, all[i]]))),
      isSingle: fc.constant(isSingle),
      docids: ascending(200, DOCID_MAX + 100),
    });
  });

test("codes are counted over the documents that are asked for", () => {
  fc.assert(
    fc.property(cases, (one) => {
      const view = views.lay(one.documents, CODES, one.isSingle);
      core.fill(output, 0, 4 * (CODES + 1));
      core.u32.set(one.docids, input / 4);
      kernels.columnCount(view, input, one.docids.length, output);
      assert.deepEqual(get(output, CODES), twinCounts(one.documents, one.docids, CODES));
    }),
  );
});

test("documents are kept that share no value with one before them, in as many calls as it takes", () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 1, max: 30 }), fc.nat(200), (one, step, most) => {
      const view = views.lay(one.documents, CODES, one.isSingle);
      const seen = new Set<number>();
      const expected = twinDistinct(one.documents, one.docids, VALUES, seen);
      core.fill(output, 0, (CODES >> 3) + 1);
      const kept: number[] = [];
      for (let at = 0; at < one.docids.length; at += step) {
        const part = one.docids.slice(at, at + step);
        core.u32.set(part, input / 4);
        const count = kernels.columnDistinct(view, input, part.length, VALUES, output, input, part.length);
        kept.push(...get(input, count));
      }
      assert.deepEqual(kept, expected);
      for (let code = 0; code < CODES; code++) {
        const isSeen = (core.u8[output + (code >> 3)] >> (code & 7)) & 1;
        assert.equal(isSeen === 1, seen.has(code));
      }
      core.fill(output, 0, (CODES >> 3) + 1);
      core.u32.set(one.docids, input / 4);
      const first = kernels.columnDistinct(view, input, one.docids.length, VALUES, output, input, most);
      assert.deepEqual(get(input, first), expected.slice(0, most));
    }),
  );
});

test("the first docid of a list inside and outside a bitmap", () => {
  const lists = ascending(300, 2000).filter((list) => list.length > 0);
  fc.assert(
    fc.property(lists, ascending(300, 2000), (list, set) => {
      const words = 20;
      core.u32.set(list, input / 4);
      const length = kernels.postingsEncode(input, list.length, 0, 0, spare, ROOM_BYTES);
      core.fill(output, 0, words * 8);
      for (const docid of set) if (docid < words * 64) kernels.bitmapSet(output, docid);
      const has = (docid: number) => docid < words * 64 && set.includes(docid);
      const first = (isIn: number) => kernels.postingsFirst(spare, length, output, words, isIn);
      assert.equal(first(1), list.find(has) ?? -1);
      assert.equal(first(0), list.find((docid) => !has(docid)) ?? -1);
    }),
  );
});
