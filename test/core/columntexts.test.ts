// What the kernels find in the dictionary of a column: keys that contain a part, keys of more than plain
// ASCII, keys that another column has as well.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KIND_NUMBER, KIND_TEXT } from "../../src/core/columns.ts";
import { Core } from "../../src/core/core.ts";
import { DICTIONARY_CURSOR_BYTES, DICTIONARY_WRITER_BYTES } from "../../src/core/dictionary.ts";

const ROOM_BYTES = 1 << 14;
const core = new Core();
const kernels = core.exports;
const dictionaries = [core.reserve(ROOM_BYTES), core.reserve(ROOM_BYTES)];
const cursors = [core.reserve(DICTIONARY_CURSOR_BYTES), core.reserve(DICTIONARY_CURSOR_BYTES)];
const sets = [core.reserve(64), core.reserve(64)];
const writer = core.reserve(DICTIONARY_WRITER_BYTES);
const [text, part, out] = [core.reserve(1024), core.reserve(1024), core.reserve(1024)];

/** Writes keys, which are in order, as the dictionary of a column. */
function write(keys: readonly Buffer[], column = 0): void {
  kernels.dictionaryWriterStart(writer, dictionaries[column], ROOM_BYTES);
  for (const key of keys) {
    core.write(text, key);
    assert.ok(kernels.dictionaryWriterAdd(writer, text, key.length) >= 0);
  }
  assert.ok(kernels.dictionaryWriterFinish(writer) > 0);
}

const textKey = (value: string) => Buffer.from(String.fromCharCode(KIND_TEXT) + value, "latin1");
const textKeys = (values: readonly string[]) => [...values].sort().map(textKey);
const bitsIn = (set: number, count: number) =>
  Array.from({ length: count }, (_, code) => code).filter(
    (code) => (core.u8[set + (code >> 3)] >> (code & 7)) & 1,
  );

test("a text holds a part wherever that lies in it, and not where the text has ended", () => {
  for (const bytes of [0, 1, 2, 15, 16, 17, 33, 40]) {
    for (const length of [0, 1, 2, 3, 16, 17]) {
      for (let at = 0; at <= 48; at++) {
        core.fill(text, 46, 128);
        core.fill(part, 97, length);
        core.fill(text + at, 97, length);
        const isIn = length === 0 || at + length <= bytes;
        assert.equal(kernels.textHolds(text, bytes, part, length), Number(isIn), `${bytes} ${length} ${at}`);
      }
    }
  }
});

test("keys contain a part in their own bytes, their kind left out", () => {
  const values = ["ab", "abc", "b", "bc", "c", "cab"];
  write(textKeys(values));
  for (const wanted of ["a", "b", "c", "ab", "bc", "abc", String.fromCharCode(KIND_TEXT)]) {
    core.write(part, Buffer.from(wanted));
    for (const [from, to] of [
      [0, values.length],
      [1, 4],
      [3, 9],
    ]) {
      core.fill(sets[0], 0, 64);
      const [dictionary, cursor] = [dictionaries[0], cursors[0]];
      kernels.columnContaining(dictionary, from, to, cursor, part, wanted.length, sets[0]);
      const expected = values
        .map((_, i) => i)
        .filter((i) => i >= from && i < to && values[i].includes(wanted));
      assert.deepEqual(bitsIn(sets[0], 16), expected, `${wanted} ${from}`);
    }
  }
});

test("keys of other bytes than visible ASCII and spaces are told, as many as are asked for", () => {
  const values = ["\x1f", " ", "a b", "a\t", "a\x7f", "a\xe9", "plain", "~"];
  write(textKeys(values));
  const foreign = [...values].sort().flatMap((value, code) => (/^[ -~]*$/.test(value) ? [] : [code]));
  assert.equal(foreign.length, 4);
  for (let most = 0; most <= 6; most++) {
    core.u32.fill(7777, out / 4, out / 4 + 8);
    const expected = foreign.slice(0, most);
    assert.equal(
      kernels.columnForeign(dictionaries[0], 0, values.length, cursors[0], out, most),
      expected.length,
    );
    const rest = Array(8 - expected.length).fill(7777);
    assert.deepEqual([...core.u32.subarray(out / 4, out / 4 + 8)], [...expected, ...rest]);
  }
});

test("marked keys of one column are marked in another that has them, up to the last value", () => {
  const numberKey = (digit: number) => Buffer.from([KIND_NUMBER, digit]);
  const columns = [
    [numberKey(1), numberKey(3), ...textKeys(["a", "b", "d", "e"]), Buffer.from([4])],
    [numberKey(2), numberKey(3), ...textKeys(["b", "c", "d"]), Buffer.from([4])],
  ];
  columns.forEach(write);
  const keys = columns.map((column) => column.map((key) => key.toString("latin1")));
  for (const marked of [[], [1], [0, 3, 5, 6], [0, 1, 2, 3, 4, 5, 6]]) {
    for (const [values, others] of [
      [7, 6],
      [6, 5],
      [4, 5],
      [6, 2],
      [0, 5],
    ]) {
      for (const set of sets) core.fill(set, 0, 64);
      for (const code of marked) core.u8[sets[0]] |= 1 << code;
      kernels.columnShare(
        ...([dictionaries[0], cursors[0], sets[0], values] as const),
        ...([dictionaries[1], cursors[1], sets[1], others] as const),
      );
      const shared = marked.filter((code) => code < values).map((code) => keys[0][code]);
      const expected = keys[1].slice(0, others).flatMap((key, code) => (shared.includes(key) ? [code] : []));
      assert.deepEqual(bitsIn(sets[1], 16), expected, `${marked} ${values} ${others}`);
    }
  }
});
