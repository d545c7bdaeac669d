// The id of a raw document, in every spelling of its primary key.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { findDocumentId } from "../../../src/engine/documents/identifier.ts";
import { inferPrimaryKey } from "../../../src/engine/documents/primarykey.ts";
import { TarsierError } from "../../../src/errors.ts";
import { twinId } from "../../twins/json.ts";
import { jsonDocument } from "../../twins/jsontext.ts";
import { scanner, withDocument } from "./raw.ts";

const find = (json: string, key: string) =>
  withDocument(json, (at, length) => findDocumentId(scanner, at, length, key));
const infer = (json: string) =>
  withDocument(json, (at, length) => inferPrimaryKey(scanner, at, length, "movies"));

describe("the id of a document", () => {
  it("is what the kernel finds, where the kernel can tell", () => {
    fc.assert(
      fc.property(jsonDocument, fc.constantFrom("id", "a", "b", "naïve"), (json, key) => {
        const outcome = twinId(json, key);
        if (outcome === "unclear") return;
        if (outcome === "missing") assert.throws(() => find(json, key), { code: "missing_document_id" });
        else if (outcome === "unacceptable")
          assert.throws(() => find(json, key), { code: "invalid_document_id" });
        else assert.equal(find(json, key), outcome.id);
      }),
      { numRuns: 1000 },
    );
  });

  it("is found below a dotted key in every spelling", () => {
    for (const json of [
      '{"a":{"b":{"c":1}}}',
      '{"a.b":{"c":1}}',
      '{"a":{"b.c":1}}',
      '{"a.b.c":1}',
      '{"\\u0061":{"b.c":1}}',
    ]) {
      assert.equal(find(json, "a.b.c"), "1");
    }
  });

  it("is missing where the way to it is no object", () => {
    for (const json of ['{"a":1}', '{"a":[{"b":1}]}', '{"a":{}}', '{"b":1}', "{}"]) {
      assert.throws(() => find(json, "a.b"), { code: "missing_document_id" });
    }
  });

  it("must be one", () => {
    for (const json of ['{"a.b":1,"a":{"b":2}}', '{"a":{"b":1},"a.b":2}']) {
      assert.throws(() => find(json, "a.b"), { code: "invalid_document_id", message: /`1` and `2`/ });
    }
  });

  it("is the last of repeated names", () => {
    assert.equal(find('{"id":1,"id":"x"}', "id"), "x");
    assert.equal(find('{"a":{"b":1,"b":2}}', "a.b"), "2");
  });

  it("may be written with escapes, and keeps every digit", () => {
    assert.equal(find('{"id":"\\u0061b"}', "id"), "ab");
    assert.equal(find('{"a":{"id":18446744073709551615}}', "a.id"), "18446744073709551615");
    for (const id of [
      '"\\n"',
      '""',
      "1.0",
      "-0",
      "18446744073709551616",
      "1e300",
      "1e5",
      "1e-7",
      "true",
      '"é"',
      `"${"x".repeat(512)}"`,
    ]) {
      assert.throws(() => find(`{"id":${id}}`, "id"), { code: "invalid_document_id" });
    }
  });

  it("that is missing is told with the key and the document", () => {
    const error = { code: "missing_document_id", message: /`id`.*\{"x":1\}/ };
    assert.throws(() => find('{"x":1}', "id"), error);
    const shown = (length: number) => `{"x":"${"y".repeat(length - 8)}"}`;
    assert.throws(() => find(shown(1000), "id"), { message: /y"\}(?!\.\.\.)/ });
    assert.throws(() => find(shown(1001), "id"), { message: /y"\.\.\./ });
  });
});

describe("the primary key of an index that has none", () => {
  it("is the only name that ends with id, in capitals or not", () => {
    assert.equal(infer('{"name":1,"movieId":2}'), "movieId");
    assert.equal(infer('{"paid":1}'), "paid");
    assert.equal(infer('{"ID":1,"x":{"id":2}}'), "ID");
    assert.equal(infer('{"id":1,"id":2}'), "id");
  });

  it("is not guessed among none or several", () => {
    assert.throws(() => infer('{"identity":1,"x":{"id":1}}'), {
      code: "index_primary_key_no_candidate_found",
    });
    const code = "index_primary_key_multiple_candidates_found";
    assert.throws(
      () => infer('{"id":1,"\\ud83d\\ude00id":3,"\\uff5eid":2,"Zid":1}'),
      (error: unknown) => {
        assert.ok(error instanceof TarsierError && error.code === code);
        assert.match(error.message, /4 .*`Zid` and `id`/);
        return true;
      },
    );
    assert.throws(() => infer('{"😀id":1,"～id":2}'), { code, message: /`～id` and `😀id`/ });
  });
});
