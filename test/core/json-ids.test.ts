// The ids of NDJSON payloads, compared with JSON.parse.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import {
  ID_DAMAGED,
  ID_FINE,
  ID_MISSING,
  ID_ROW_FIELDS,
  ID_UNACCEPTABLE,
  ID_UNCLEAR,
} from "../../src/core/json.ts";
import { twinId } from "../twins/json.ts";
import { deepDocument, jsonDocument } from "../twins/jsontext.ts";

const TEXT_BYTES = 4 << 20;
const ROWS_MOST = 20_000;

const core = new Core();
const text = core.reserve(TEXT_BYTES);
const key = core.reserve(256);
const out = core.reserve(core.exports.jsonIdsBytes(ROWS_MOST));

interface Row {
  document: string;
  id: string | null;
  status: number;
}

/** All rows of a text, taken `most` at a time. */
function rows(payload: string, primaryKey: string, most = ROWS_MOST): Row[] {
  const bytes = new TextEncoder().encode(payload);
  const keyBytes = new TextEncoder().encode(primaryKey);
  core.u8.fill(0x22, text, text + bytes.length + 128);
  core.write(text, bytes);
  core.write(key, keyBytes);
  const string = (address: number, length: number) => Buffer.from(core.read(address, length)).toString();
  const found: Row[] = [];
  for (let at = 0, count = most; count === most; ) {
    count = core.exports.jsonIds(text + at, bytes.length - at, key, keyBytes.length, out, most);
    let end = 0;
    for (let i = 0; i < count; i++) {
      const row = (out >>> 2) + i * ID_ROW_FIELDS;
      const [offset, length, address, idLength, status] = core.u32.subarray(row, row + ID_ROW_FIELDS);
      const id = status === ID_FINE ? string(address, idLength) : null;
      if (status !== ID_FINE) assert.deepEqual([address, idLength], [0, 0]);
      found.push({ document: string(text + at + offset, length), id, status });
      end = offset + length;
    }
    at += end;
  }
  return found;
}

function expected(document: string, primaryKey: string): Row {
  const outcome = twinId(document, primaryKey);
  if (typeof outcome === "object") return { document, id: outcome.id, status: ID_FINE };
  const status = { missing: ID_MISSING, unacceptable: ID_UNACCEPTABLE, unclear: ID_UNCLEAR }[outcome];
  return { document, id: null, status };
}

const idOf = (value: string) => rows(`{"id":${value}}`, "id")[0];

describe("ids of a payload", () => {
  it("are those of a parser, document by document, however many are asked for at once", () => {
    const documents = fc.array(fc.oneof(jsonDocument, deepDocument), { maxLength: 12 });
    const between = fc.constantFrom("\n", "\r\n", "\n\n \n");
    fc.assert(
      fc.property(
        documents,
        between,
        fc.constantFrom("id", "a", "naïve", "a.b", "zz"),
        fc.integer({ min: 1, max: 13 }),
        (list, separator, primaryKey, most) => {
          const found = rows(list.join(separator), primaryKey, most);
          assert.deepEqual(
            found,
            list.map((document) => expected(document, primaryKey)),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("are integers of 64 bits as they stand", () => {
    for (const value of [
      "0",
      "7",
      "-7",
      "18446744073709551615",
      "-9223372036854775808",
      "1234567890123456789",
    ]) {
      assert.deepEqual([idOf(value).id, idOf(value).status], [value, ID_FINE]);
    }
    for (const value of [
      "-0",
      "1.0",
      "1e3",
      "18446744073709551616",
      "-9223372036854775809",
      "123456789012345678901",
    ]) {
      assert.equal(idOf(value).status, ID_UNACCEPTABLE, value);
    }
  });

  it("are strings of 1 to 511 letters, digits, hyphens and underscores", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."azAZ09-_azAZ09-_azAZ09-_@[`{/:é "), maxLength: 40 }),
        (id) => {
          assert.equal(idOf(JSON.stringify(id)).status === ID_FINE, /^[\w-]+$/.test(id));
        },
      ),
      { numRuns: 1000 },
    );
    assert.equal(idOf(`"${"x".repeat(511)}"`).id, "x".repeat(511));
    assert.equal(idOf(`"${"x".repeat(512)}"`).status, ID_UNACCEPTABLE);
    assert.equal(idOf('"\\u0061"').status, ID_UNCLEAR);
  });

  it("are not looked for in null, booleans, arrays and objects", () => {
    for (const value of ["null", "true", "false", "[1]", '{"id":1}']) {
      assert.equal(idOf(value).status, ID_UNACCEPTABLE);
      assert.equal(rows(`{"a":${value}}`, "id")[0].status, ID_MISSING);
    }
  });

  it("stay unclear where a name comes twice, also after many documents of the same shape", () => {
    const payload = [
      '{"id":1,"a":1}',
      '{"id":2,"a":1,"id":3}',
      '{"id":2,"a":1,"id":3}',
      '{"id":4,"a":1}',
      '{"id":5}',
      "{}",
    ];
    const statuses = rows(payload.join("\n"), "id").map(({ status }) => status);
    assert.deepEqual(statuses, [ID_FINE, ID_UNCLEAR, ID_UNCLEAR, ID_FINE, ID_FINE, ID_MISSING]);
  });

  it("stay unclear where a name comes twice, whatever names the documents before had", () => {
    const names = fc.array(fc.constantFrom("id", "a", "b", "c"), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 12 }), (all) => {
        const documents = all.map((own) => `{${own.map((name, i) => `"${name}":${i}`).join(",")}}`);
        assert.deepEqual(
          rows(documents.join("\n"), "id"),
          documents.map((document) => expected(document, "id")),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("stay unclear in a document with more names than are compared", () => {
    const wide = (count: number) =>
      `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(",")},"id":1}`;
    assert.deepEqual(
      rows([wide(2047), wide(2048), wide(2047)].join("\n"), "id").map(({ status }) => status),
      [ID_FINE, ID_UNCLEAR, ID_FINE],
    );
  });

  it("of damaged lines are marked, and the next line is read", () => {
    const found = rows('{"id":1}\n[1]\n{"id":2\n{"id":3}', "id");
    assert.deepEqual(
      found.map(({ document, status }) => [document, status]),
      [
        ['{"id":1}', ID_FINE],
        ["[1]", ID_DAMAGED],
        ['{"id":2', ID_DAMAGED],
        ['{"id":3}', ID_FINE],
      ],
    );
  });

  it("of a cut or overwritten text lie inside it", () => {
    fc.assert(
      fc.property(jsonDocument, fc.nat(200), fc.nat(255), (document, cut, byte) => {
        const bytes = Buffer.from(document);
        bytes[cut % bytes.length] = byte;
        const length = bytes.length - (cut % 3);
        core.write(text, bytes);
        core.write(key, new TextEncoder().encode("id"));
        const count = core.exports.jsonIds(text, length, key, 2, out, ROWS_MOST);
        for (let i = 0; i < count; i++) {
          const row = (out >>> 2) + i * ID_ROW_FIELDS;
          assert.ok(core.u32[row] + core.u32[row + 1] <= length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
