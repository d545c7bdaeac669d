// The tables of ids: of a batch and of a segment, compared with a Map.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import {
  buildIdSection,
  ID_BYTES_MAX,
  IDENTIFIERS_FULL,
  IDENTIFIERS_NONE,
  identifiersBytes,
} from "../../src/core/identifiers.ts";
import { Region } from "../../src/core/region.ts";
import { Table } from "../../src/core/table.ts";
import { crc32c } from "../../src/storage/crc32c.ts";

const MANY = 100_000;
/** Answer of idSectionBuild for an id that is longer than ID_BYTES_MAX. */
const ID_TOO_LONG = -2;

const core = new Core();
const { exports } = core;
const buffer = core.reserve(4096);
const region = new Region(core);
const answers = core.reserve(MANY * 4);

const idText = fc.string({ unit: fc.constantFrom(..."abcdefXYZ0189-_"), minLength: 1, maxLength: 511 });

function write(id: string): [number, number] {
  core.write(buffer, new TextEncoder().encode(id));
  return [buffer, id.length];
}

function newTable(count: number, idBytes: number): number {
  const bytes = identifiersBytes(count, idBytes);
  const table = core.take(bytes);
  assert.ok(exports.identifiersStart(table, bytes));
  return table;
}

const put = (table: number, id: string) => exports.identifiersPut(table, ...write(id));

function textOf(table: number, entry: number): string {
  const bytes = core.read(exports.identifiersText(table, entry), exports.identifiersTextLength(table, entry));
  return Buffer.from(bytes).toString();
}

function section(ids: readonly string[]): { pointer: number; length: number } {
  const texts = core.take(ids.join("").length + 1);
  const rows = new Table(core, 2);
  let idBytes = 0;
  for (const id of ids) {
    core.write(texts + idBytes, Buffer.from(id));
    const at = rows.push();
    core.u32[at] = texts + idBytes;
    core.u32[at + 1] = id.length;
    idBytes += id.length;
  }
  const built = buildIdSection(core, (bytes) => region.ensure(bytes), rows, idBytes);
  rows.free();
  core.give(texts, ids.join("").length + 1);
  return built;
}

describe("the ids of a batch", () => {
  it("are numbered in the order in which they come, each once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(idText, fc.constantFrom("a", "b", "ab", "a-long-id-that-returns"))),
        (ids) => {
          const table = newTable(ids.length, ids.join("").length);
          const numbers = new Map<string, number>();
          for (const id of ids) {
            const known = numbers.get(id);
            const entry = put(table, id);
            assert.equal(entry, known ?? numbers.size);
            numbers.set(id, entry);
          }
          assert.equal(exports.identifiersCount(table), numbers.size);
          for (const [id, entry] of numbers) {
            assert.equal(put(table, id), entry);
            assert.equal(textOf(table, entry), id);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("may be a hundred thousand", () => {
    const ids = Array.from({ length: MANY }, (_, i) => `${i * 7}`);
    const table = newTable(MANY, ids.join("").length);
    for (let i = 0; i < MANY; i++) assert.equal(put(table, ids[i]), i);
    for (let i = 0; i < MANY; i++) assert.equal(put(table, ids[i]), i);
  });

  it("fit into the bytes that are promised for them, and are refused beyond", () => {
    for (const [count, length] of [
      [1, 511],
      [800, 4],
      [5000, 4],
      [5000, 60],
      [70_000, 6],
    ]) {
      const bytes = identifiersBytes(count, count * length);
      const table = core.take(bytes + 64);
      core.u8.fill(0xee, table + bytes, table + bytes + 64);
      exports.identifiersStart(table, bytes);
      const id = (i: number) => `${i}`.padStart(length, "x");
      for (let i = 0; i < count; i++) assert.equal(put(table, id(i)), i);
      let more = count;
      while (put(table, id(more)) >= 0) more++;
      assert.equal(put(table, id(more)), IDENTIFIERS_FULL);
      assert.equal(exports.identifiersCount(table), more);
      assert.equal(put(table, id(0)), 0);
      assert.ok(core.read(table + bytes, 64).every((byte) => byte === 0xee));
    }
  });

  it("stay whole where the last of them leaves hardly any room", () => {
    const length = 100;
    for (let more = 0; more < length + 20; more += 4) {
      const bytes = identifiersBytes(100, 100 * length) + more;
      const table = core.take(bytes);
      exports.identifiersStart(table, bytes);
      const id = (i: number) => `${i}`.padStart(length, "x");
      let count = 0;
      while (put(table, id(count)) >= 0) count++;
      for (let i = 0; i < count; i++) assert.equal(textOf(table, i), id(i));
      core.give(table, bytes);
    }
  });

  it("can be put in as rows of a payload", () => {
    const payload = ['{"id":"b"}', '{"x":1}', '{"id":"a"}', '{"id":"b"}', '{"id":null}', '{"id":12}'].join(
      "\n",
    );
    const text = core.reserve(payload.length);
    core.write(text, new TextEncoder().encode(payload));
    const rows = core.reserve(exports.jsonIdsBytes(10));
    const count = exports.jsonIds(text, payload.length, ...write("id"), rows, 10);
    const table = newTable(10, 100);
    assert.equal(exports.identifiersPutRows(table, rows, count, answers), 6);
    assert.deepEqual([...core.i32.subarray(answers >>> 2, (answers >>> 2) + 6)], [0, -1, 1, 0, -1, 2]);
    assert.deepEqual(
      [0, 1, 2].map((entry) => textOf(table, entry)),
      ["b", "a", "12"],
    );
  });
});

describe("the ids section", () => {
  it("finds each id's ordinal and each ordinal's id, and nothing else", () => {
    fc.assert(
      fc.property(fc.uniqueArray(idText, { maxLength: 200 }), idText, (ids, other) => {
        const { pointer, length } = section(ids);
        assert.equal(exports.idSectionCheck(pointer, length), 1);
        assert.equal(exports.idSectionCheck(pointer, length - 1), 0);
        assert.equal(exports.idSectionCount(pointer), ids.length);
        ids.forEach((id, ordinal) => {
          assert.equal(exports.idSectionFind(pointer, ...write(id)), ordinal);
          assert.equal(exports.idSectionText(pointer, ordinal, buffer), id.length);
          assert.equal(Buffer.from(core.read(buffer, id.length)).toString(), id);
        });
        assert.equal(exports.idSectionFind(pointer, ...write(other)), ids.indexOf(other));
        assert.equal(exports.idSectionText(pointer, ids.length, buffer), IDENTIFIERS_NONE);
      }),
      { numRuns: 300 },
    );
  });

  it("answers a whole batch at once, and takes less than 12 bytes beside an id", () => {
    const ids = Array.from({ length: MANY }, (_, i) => `id-${i}`);
    const { pointer, length } = section(ids.filter((_, i) => i % 3 === 0));
    const kept = Math.ceil(MANY / 3);
    const idBytes = ids.filter((_, i) => i % 3 === 0).join("").length;
    assert.ok((length - idBytes) / kept < 12);
    const table = newTable(MANY, ids.join("").length);
    for (const id of ids) put(table, id);
    exports.identifiersLookup(table, 10, MANY - 10, pointer, answers);
    for (let i = 10; i < MANY; i++) {
      assert.equal(core.i32[(answers >>> 2) + i - 10], i % 3 === 0 ? i / 3 : IDENTIFIERS_NONE);
    }
  });

  it("of ascending numbers finds each of them, and nothing else", () => {
    const gaps = fc.array(fc.oneof(fc.constant(1n), fc.bigInt(1n, 300n), fc.bigInt(1n, 2n ** 57n)), {
      minLength: 1,
      maxLength: 600,
    });
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 12n), gaps, (first, steps) => {
        const numbers = [first];
        for (const step of steps) numbers.push(numbers[numbers.length - 1] + step);
        const ids = numbers.filter((number) => number < 2n ** 63n).map(String);
        const known = new Map(ids.map((id, ordinal) => [id, ordinal]));
        const { pointer, length } = section(ids);
        assert.equal(exports.idSectionCheck(pointer, length), 1);
        assert.equal(exports.idSectionCheck(pointer, length - 1), 0);
        assert.equal(exports.idSectionCount(pointer), ids.length);
        ids.forEach((id, ordinal) => {
          assert.equal(exports.idSectionText(pointer, ordinal, buffer), id.length);
          assert.equal(Buffer.from(core.read(buffer, id.length)).toString(), id);
          for (const asked of [id, `${BigInt(id) + 1n}`, `${BigInt(id) - 1n}`, `0${id}`, `${id}x`])
            assert.equal(
              exports.idSectionFind(pointer, ...write(asked)),
              known.get(asked) ?? IDENTIFIERS_NONE,
            );
        });
        assert.equal(exports.idSectionText(pointer, ids.length, buffer), IDENTIFIERS_NONE);
      }),
      { numRuns: 100 },
    );
  });

  it("takes a fifth of a byte for an id without gaps, and no more than texts for the others", () => {
    const dense = Array.from({ length: MANY }, (_, i) => `${i + 5}`);
    assert.ok(section(dense).length / MANY < 0.2);
    const [lone, pair] = [["7"], ["0", "9999999999999999"]].map((ids) => section(ids).length);
    assert.ok(lone <= 41 && pair <= 16 + 8 + 16 + 4 + 4 + 17);
  });

  it("of numbers has the bytes that files keep", () => {
    // One block with gaps: rests 0, 2, 3, 3, ... of two bits; one without.
    const numbers = [250, 253, ...Array.from({ length: 126 }, (_, i) => 255 + i), 1000, 1001];
    const { pointer, length } = section(numbers.map(String));
    const words = [130, 2, 32, 1, 250, 0, 1000, 0, 0, 32, 32];
    const rests = [0b11_11_10_00, ...Array.from({ length: 31 }, () => 0xff)];
    const expected = [...new Uint8Array(Uint32Array.from(words).buffer), ...rests, ...new Uint8Array(8)];
    assert.deepEqual([...core.read(pointer, length)], expected);
  });

  it("of numbers as far apart as its rests can tell has each of them", () => {
    for (let bits = 50n; bits < 63n; bits++) {
      const far = Array.from({ length: 128 }, (_, i) => `${BigInt(i) + (i < 60 ? 0n : 2n ** bits - 1n)}`);
      const { pointer } = section(far);
      far.forEach((id, ordinal) => {
        assert.equal(exports.idSectionFind(pointer, ...write(id)), ordinal);
        const length = exports.idSectionText(pointer, ordinal, buffer);
        assert.equal(Buffer.from(core.read(buffer, length)).toString(), id);
      });
    }
  });

  it("of numbers does not take longer ones for those that they are modulo 2 ** 64", () => {
    const { pointer } = section(["5", "7"]);
    for (const id of ["18446744073709551621", "36893488147419103237", "18446744073709551623"])
      assert.equal(exports.idSectionFind(pointer, ...write(id)), IDENTIFIERS_NONE);
    const long = ["18446744073709551621", "18446744073709551622"];
    const found = section(long).pointer;
    assert.deepEqual(
      long.map((id) => exports.idSectionFind(found, ...write(id))),
      [0, 1],
    );
    assert.equal(exports.idSectionText(found, 0, buffer), 20);
  });

  it("keeps numbers in any other order, or beside other ids, as texts", () => {
    for (const ids of [["3", "2"], ["1", "2", "2a"], ["01"], ["-1", "5"], ["18446744073709551615"], []]) {
      const { pointer } = section(ids);
      const found = ids.map((id) => exports.idSectionFind(pointer, ...write(id)));
      assert.deepEqual(found, [...ids.keys()]);
      assert.equal(exports.idSectionFind(pointer, ...write("1")), ids.indexOf("1"));
    }
  });

  it("has the same bytes for the same ids, whatever was in its place", () => {
    for (const ids of [
      ["a", "bc", "def"],
      ["7", "9", "30"],
      ["x".repeat(511), "y"],
      ["1", "5", "4"],
    ]) {
      const [first, second] = [0xaa, 0x55].map((before) => {
        core.fill(region.ensure(4096), before, 4096);
        const { pointer, length } = section(ids);
        return [...core.read(pointer, length)];
      });
      assert.deepEqual(first, second);
    }
  });

  it("holds ids of 511 bytes, and is not made of longer ones", () => {
    const longest = Array.from({ length: 40 }, (_, i) => `${i}`.padStart(ID_BYTES_MAX, "x"));
    const { pointer } = section(longest);
    longest.forEach((id, ordinal) => {
      assert.equal(exports.idSectionFind(pointer, ...write(id)), ordinal);
      assert.equal(exports.idSectionText(pointer, ordinal, buffer), ID_BYTES_MAX);
      assert.equal(Buffer.from(core.read(buffer, ID_BYTES_MAX)).toString(), id);
    });
    const rows = core.take(8);
    core.u32.set(write("x".repeat(ID_BYTES_MAX + 1)), rows / 4);
    assert.equal(exports.idSectionBuild(region.ensure(4096), rows, 1), ID_TOO_LONG);
  });

  it("has the same bytes in every version that reads it", () => {
    const ids = Array.from({ length: 40 }, (_, i) =>
      "the identifier of a document, or longer"[i % 39].repeat(i + 1),
    );
    const { pointer, length } = section(ids);
    assert.equal(crc32c(core.read(pointer, length)), 2_830_793_951);
  });

  it("that is damaged in any byte is refused, or answers without reading outside", () => {
    const texts = Array.from({ length: 40 }, (_, i) => `id-${i}`);
    const numbers = Array.from({ length: 140 }, (_, i) => `${i * 3 + (i % 2)}`);
    for (const ids of [texts, numbers]) {
      const { pointer, length } = section(ids);
      for (let place = 0; place < length; place++) {
        const before = core.u8[pointer + place];
        for (const byte of [0, 1, 0x7f, 0xff]) {
          core.u8[pointer + place] = byte;
          if (!exports.idSectionCheck(pointer, length)) continue;
          for (let ordinal = 0; ordinal < ids.length; ordinal += 3) {
            const found = exports.idSectionFind(pointer, ...write(ids[ordinal]));
            assert.ok(found >= -1 && found < exports.idSectionCount(pointer));
            assert.ok(exports.idSectionText(pointer, ordinal, buffer) <= ID_BYTES_MAX);
            assert.equal(exports.idSectionFind(pointer, ...write(`x${ordinal}`)), IDENTIFIERS_NONE);
          }
        }
        core.u8[pointer + place] = before;
      }
    }
  });

  it("of numbers whose rests end behind it has none of them", () => {
    const { pointer, length } = section(Array.from({ length: 100 }, (_, i) => `${i * 3 + (i % 2)}`));
    // The start of the second block: where the rests of the only one end.
    const end = (pointer + 16 + 8) / 4 + 1;
    const restBytes = core.u32[pointer / 4 + 2];
    assert.equal(core.u32[end], restBytes);
    for (const bytes of [restBytes + 1, restBytes + 16, restBytes + 160, 16 * 56]) {
      core.u32[end] = bytes;
      assert.ok(exports.idSectionCheck(pointer, length));
      for (const ordinal of [0, 1, 50, 99]) {
        assert.equal(exports.idSectionText(pointer, ordinal, buffer), IDENTIFIERS_NONE);
        assert.equal(exports.idSectionFind(pointer, ...write(`${ordinal * 3}`)), IDENTIFIERS_NONE);
      }
    }
  });

  it("that is damaged gives wrong answers at worst", () => {
    const texts = Array.from({ length: 100 }, (_, i) => `id-${i}`);
    const numbers = Array.from({ length: 300 }, (_, i) => `${i * 3 + (i % 2)}`);
    const either = fc.constantFrom(texts, numbers);
    fc.assert(
      fc.property(either, fc.nat(), fc.nat(255), fc.nat(99), (ids, where, byte, ordinal) => {
        const { pointer, length } = section(ids);
        core.u8[pointer + (where % length)] = byte;
        if (!exports.idSectionCheck(pointer, length)) return;
        const found = exports.idSectionFind(pointer, ...write(ids[ordinal]));
        assert.ok(found >= -1 && found < ids.length);
        const behind = buffer + ID_BYTES_MAX;
        core.u8.fill(0xee, behind, behind + 64);
        assert.ok(exports.idSectionText(pointer, ordinal, buffer) <= ID_BYTES_MAX);
        assert.ok(core.u8.subarray(behind, behind + 64).every((byte) => byte === 0xee));
      }),
      { numRuns: 2000 },
    );
  });
});
