// Everything that the columns of an index say, read back document by document; on the way, what each column
// says of itself is compared: codes with lists, ranges with codes.
import assert from "node:assert/strict";
import { KIND_BARE, KIND_EMPTY, KIND_NULL } from "../../src/core/columns.ts";
import type { IndexReader, OpenSegment } from "../../src/engine/reader.ts";
import type { Column } from "../../src/segment/column.ts";
import { compareValues, type TwinValue } from "../twins/columns.ts";

/** Values by column, by docid. */
export type ColumnContents = Map<number, Map<string, TwinValue[]>>;

/** Of the living documents of all segments. */
export function readColumns(reader: IndexReader): ColumnContents {
  const contents: ColumnContents = new Map();
  for (const open of reader.segments) {
    const { meta } = open.segment;
    for (const { name } of meta.columns) {
      reader.share.cache.beginTurn();
      reader.share.scratch.reset();
      const column = open.segment.column(name)!;
      const values = valuesOf(column);
      const codes = Array.from({ length: meta.documents }, (_, ordinal) => [...column.codes(ordinal)]);
      codes.forEach((own, ordinal) => {
        const docid = open.segment.docidOf(ordinal);
        if (own.length === 0 || !reader.livesIn(open, docid)) return;
        if (!contents.has(docid)) contents.set(docid, new Map());
        contents.get(docid)!.set(
          name,
          own.map((code) => values[code]),
        );
      });
      compareWithCodes(reader, open, column, codes);
    }
  }
  return contents;
}

function valuesOf(column: Column): TwinValue[] {
  const values = Array.from({ length: column.values }, (_, code) => {
    const value = column.value(code)!;
    assert.equal(column.find(column.term(code)), code);
    assert.equal(column.seek(column.term(code)), code);
    assert.equal(column.seek(column.term(code), true), code + 1);
    return typeof value === "number" ? `n${value}` : `t${value}`;
  });
  const kinds = { bare: KIND_BARE, null: KIND_NULL, empty: KIND_EMPTY };
  for (const [name, kind] of Object.entries(kinds)) {
    const code = column.codeOf(kind);
    if (code >= 0) values[code] = name;
  }
  assert.equal(values.length, column.count);
  assert.deepEqual(values, [...values].sort(compareValues));
  return values;
}

/** Lists and bitmaps, which tell the docids of ranges of codes. */
function compareWithCodes(
  { share, words }: IndexReader,
  { segment }: OpenSegment,
  column: Column,
  codes: readonly number[][],
): void {
  const { core, scratch } = share;
  const docidsWith = (holds: (code: number) => boolean) =>
    codes.flatMap((own, ordinal) => (own.some(holds) ? [segment.docidOf(ordinal)] : []));
  const docidsOf = (fill: (bitmap: number) => void) => {
    const mark = scratch.mark();
    const bitmap = scratch.allocZeroed(words * 8);
    fill(bitmap);
    const out = scratch.alloc(4 * codes.length + 64);
    const count = core.exports.bitmapToList(bitmap, words, 0, out, codes.length);
    const docids = [...core.u32.subarray(out / 4, out / 4 + count)];
    scratch.release(mark);
    return docids;
  };
  for (let code = 0; code < column.count; code += Math.max(1, column.count >> 4)) {
    const expected = docidsWith((one) => one === code);
    assert.ok(expected.length > 0);
    if (column.meta.isListed) {
      const { pointer, length } = column.list(code);
      assert.deepEqual(
        docidsOf((bitmap) => core.exports.postingsIntoBitmap(pointer, length, bitmap, words)),
        expected,
      );
    }
    for (const to of [code + 1, code + 2, column.count]) {
      const range = docidsWith((one) => one >= code && one < Math.min(to, column.count));
      assert.deepEqual(
        docidsOf((bitmap) => column.into(code, Math.min(to, column.count), bitmap, words)),
        range,
      );
    }
    const set = scratch.allocZeroed((column.count >> 3) + 1);
    core.u8[set + (code >> 3)] |= 1 << (code & 7);
    assert.deepEqual(
      docidsOf((bitmap) => column.setInto(set, bitmap, words)),
      expected,
    );
  }
  if (column.isGapless) compareWithKeys(words, column, docidsWith, docidsOf);
}

/** Ranges of sort keys, in both directions. */
function compareWithKeys(
  words: number,
  column: Column,
  docidsWith: (holds: (code: number) => boolean) => number[],
  docidsOf: (fill: (bitmap: number) => void) => number[],
): void {
  const { numbers, values } = column;
  for (const isDown of [false, true]) {
    const turned = turnedCodes(column, isDown);
    for (let from = 0; from < values; from += Math.max(1, values >> 3)) {
      for (const to of [from + 1, numbers, values]) {
        const keyed = docidsWith((code) => turned[code] >= from && turned[code] < to);
        const found = docidsOf((bitmap) => column.keysInto(from, to, isDown, bitmap, words));
        assert.deepEqual(found, keyed, `${from} to ${to} of ${numbers} + ${values - numbers}, ${isDown}`);
      }
    }
  }
}

/** The sort key of each value: downwards, numbers and texts are each turned round. */
function turnedCodes({ numbers, values }: Column, isDown: boolean): number[] {
  const codes = Array.from({ length: values }, (_, code) => code);
  if (!isDown) return codes;
  return [...codes.slice(0, numbers).reverse(), ...codes.slice(numbers).reverse()];
}
