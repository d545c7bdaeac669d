// Raw documents laid over each other, compared with spreading parsed ones.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { mergeDocuments, withoutRepeats } from "../../../src/engine/documents/merge.ts";
import { parseJson } from "../../twins/json.ts";
import { jsonDocument } from "../../twins/jsontext.ts";
import { decode, encode, scanner, withDocument } from "./raw.ts";

const merge = (older: string, newer: string) => decode(mergeDocuments(scanner, encode(older), encode(newer)));

/** Top-level fields by name, last value at first place. */
function fields(...documents: string[]): [string, string][] {
  const found = new Map<string, string>();
  for (const json of documents) {
    for (const { name, value } of parseJson(json).children) found.set(name.toString(), value.source);
  }
  return [...found];
}

describe("a partial update", () => {
  it("replaces top-level values in their place and adds the others at the end", () => {
    assert.equal(
      merge('{"id":1, "a":{"x":1}, "b":[2]}', '{"c":3,"a":{"y": 2},"id":1}'),
      '{"id":1,"a":{"y": 2},"b":[2],"c":3}',
    );
    assert.equal(merge('{"a":1}', '{"a":null}'), '{"a":null}');
    assert.equal(merge("{}", " { } "), "{}");
    assert.equal(merge('{"a":1}', '{"\\u0061":2}'), '{"\\u0061":2}');
  });

  it("has the fields of both documents, with the values as they came in", () => {
    fc.assert(
      fc.property(jsonDocument, jsonDocument, (older, newer) => {
        assert.deepEqual(fields(merge(older, newer)), fields(older, newer));
      }),
      { numRuns: 500 },
    );
  });
});

describe("a document with repeated names", () => {
  it("keeps each name once, with its last value", () => {
    const clean = (json: string) =>
      withDocument(json, (at, length) => decode(withoutRepeats(scanner, at, length)));
    assert.equal(clean('{"a":1,"b":2,"a":3,"\\u0062":4}'), '{"a":3,"\\u0062":4}');
    fc.assert(
      fc.property(jsonDocument, (json) => {
        assert.deepEqual(JSON.parse(clean(json)), JSON.parse(json));
      }),
      { numRuns: 500 },
    );
  });
});
