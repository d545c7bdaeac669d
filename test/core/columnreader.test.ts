// What the kernels read from the codes of a column: documents by ranges and sets of codes, codes of
// documents, keys of sorts; over columns with one code a document and with several, with and without gaps
// between docids.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { ascending, bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import type { CodesOfDocids } from "../twins/columncounts.ts";
import { ColumnViews } from "./columnviews.ts";

const CODES = 20;
/** Codes of numbers, then texts up to here, then kinds without a value. */
const NUMBERS = 8;
const VALUES = 17;
const NO_KEY = 0xffffffff;
const DOCID_MAX = 400;
const GUARD_BYTES = 64;
const ROOM_BYTES = 1 << 14;
const core = new Core();
const kernels = core.exports;
const [input, output, set] = Array.from({ length: 3 }, () => core.reserve(ROOM_BYTES));
const views = new ColumnViews(core);

interface Case {
  documents: CodesOfDocids;
  isSingle: boolean;
}

const some = (most: number, top: number) =>
  fc.uniqueArray(fc.nat(top), { maxLength: most, size: "max" }).map(ascending);

const cases: fc.Arbitrary<Case> = fc
  .record({ isSingle: fc.boolean(), isGapless: fc.boolean(), own: some(90, DOCID_MAX) })
  .chain(({ isSingle, isGapless, own }) => {
    const docids = isGapless ? own.map((_, i) => (own[0] ?? 0) + i) : own;
    const range = { minLength: docids.length, maxLength: docids.length };
    return fc.array(some(isSingle ? 1 : 4, CODES - 1), range).map((all) => ({
      documents: new Map(docids.map((docid, i) => [docid, all[i]])),
      isSingle,
    }));
  });

const codes = some(CODES, CODES);
const runs = { seed: 1, numRuns: 150 };

const lay = ({ documents, isSingle }: Case) => views.lay(documents, CODES, isSingle);

/** Runs a kernel into a bitmap of so many words: it gets the documents with these codes, and ends there. */
function assertFinds(documents: CodesOfDocids, words: number, codes: number[], find: () => void): void {
  core.fill(output, 0, words * 8);
  core.fill(output + words * 8, 0xee, GUARD_BYTES);
  find();
  const has = (own: readonly number[]) => own.some((code) => codes.includes(code));
  const docids = [...documents].filter(([, own]) => has(own)).map(([docid]) => docid);
  assert.deepEqual(core.read(output, words * 8), bitmapBytes(docids, words));
  assert.ok(core.read(output + words * 8, GUARD_BYTES).every((byte) => byte === 0xee));
}

test("documents are found by a range or a set of codes, in a bitmap that may end before them", () => {
  const words = fc.integer({ min: 1, max: bitmapWords(DOCID_MAX + 1) });
  fc.assert(
    fc.property(cases, codes, fc.nat(CODES), fc.nat(CODES), words, (one, chosen, from, to, words) => {
      const view = lay(one);
      const range = Array.from({ length: CODES }, (_, code) => code).slice(from, to);
      assertFinds(one.documents, words, range, () => kernels.columnScan(view, from, to, output, words));
      core.write(set, bitmapBytes(chosen, 1));
      const isNone = (own: readonly number[]) => one.isSingle && own.length === 0;
      // No code is a code as well where there is a place for just one.
      const all = new Map([...one.documents].map(([docid, own]) => [docid, isNone(own) ? [CODES] : own]));
      assertFinds(all, words, chosen, () => kernels.columnScanSet(view, set, output, words));
    }),
    runs,
  );
});

test("the codes of a document are told whole, and written as far as there is room", () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 1, max: 5 }), (one, most) => {
      const view = lay(one);
      [...one.documents.values()].forEach((own, ordinal) => {
        core.u32.fill(7777, output / 4, output / 4 + 8);
        assert.equal(kernels.columnCodes(view, ordinal, CODES, output, most), own.length);
        const written = own.slice(0, most);
        const expected = [...written, ...Array(8 - written.length).fill(7777)];
        assert.deepEqual([...core.u32.subarray(output / 4, output / 4 + 8)], expected);
      });
    }),
    runs,
  );
});

test("a document is sorted by its best value, and last of all when it has none or is elsewhere", () => {
  fc.assert(
    fc.property(cases, some(200, DOCID_MAX + 100), fc.boolean(), (one, docids, isDown) => {
      const view = lay(one);
      const asked = ascending([...new Set([...docids, ...[...one.documents.keys()].flatMap(around)])]);
      core.u32.set(asked, input / 4);
      kernels.columnKeys(view, input, asked.length, NUMBERS, VALUES, Number(isDown), output);
      const expected = asked.map((docid) => keyOf(one.documents.get(docid) ?? [], isDown));
      assert.deepEqual([...core.u32.subarray(output / 4, output / 4 + asked.length)], expected);
    }),
    runs,
  );
});

const around = (docid: number) => (docid > 0 ? [docid - 1, docid, docid + 1] : [docid, docid + 1]);

/** Numbers before texts whatever the direction. */
function keyOf(codes: readonly number[], isDown: boolean): number {
  const down = (code: number) => (code < NUMBERS ? NUMBERS - 1 - code : NUMBERS + VALUES - 1 - code);
  return Math.min(NO_KEY, ...codes.filter((code) => code < VALUES).map((c) => (isDown ? down(c) : c)));
}
