// Parts of raw documents, compared with a selection over parsed ones.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FieldSelection, selectionOf } from "../../../src/engine/documents/selection.ts";
import { type JsonNode, parseJson } from "../../twins/json.ts";
import { jsonDocument } from "../../twins/jsontext.ts";
import { decode, scanner, withDocument } from "./raw.ts";

function select(json: string, fields: string[] | null, hidden: string[] = []): string {
  const selection = new FieldSelection(fields, hidden);
  return withDocument(json, (pointer, length) => decode(selection.select(scanner, pointer, length)));
}

/** The content of the selection, over parsed documents. */
function twin(node: JsonNode, fields: readonly string[]): string {
  const parts = node.children.flatMap(({ key, name, value }) => {
    const named = node.type === "object" ? `"${key}":` : "";
    if (named && fields.includes(name)) return [named + value.source];
    const below = named
      ? fields.filter((field) => field.startsWith(`${name}.`)).map((field) => field.slice(name.length + 1))
      : fields;
    if (below.length === 0) return [];
    if (!["array", "object"].includes(value.type)) return [named + value.source];
    const inner = twin(value, below);
    const [open, close] = value.type === "array" ? "[]" : "{}";
    return [`${named}${open}${inner}${close}`];
  });
  return parts.join(",");
}

describe("a selection of fields", () => {
  it("keeps what the same selection of a parsed document keeps", () => {
    const names = ["a", "b", "a.b", "b.a", "a.b.c", "naïve", "d.a.b", "", "a.", "x", "id", "a-", "a/b", "ab"];
    const field = fc.constantFrom(...names);
    fc.assert(
      fc.property(jsonDocument, fc.array(field, { maxLength: 6 }), (json, fields) => {
        assert.equal(select(json, fields), `{${twin(parseJson(json), fields)}}`);
      }),
      { numRuns: 1000 },
    );
  });

  it("leaves out what is hidden, also when it is asked for, and nothing whose name is only alike", () => {
    const json = '{"_v":1,"_vectors":{"e":[1]},"":2,"_vectors2":3,"a":{"_vectors":4}}';
    assert.equal(select(json, null, ["_vectors"]), '{"_v":1,"":2,"_vectors2":3,"a":{"_vectors":4}}');
    for (const fields of [
      ["_vectors", "_v"],
      ["_vectors", "_v", "b.c"],
    ])
      assert.equal(select(json, fields, ["_vectors"]), '{"_v":1}');
    const shown = selectionOf({ knows: () => true }, ["_vectors", "_v"]);
    const text = withDocument(json, (at, length) => decode(shown.select(scanner, at, length)));
    assert.equal(text, '{"_v":1}');
  });

  it("copies values as they came in", () => {
    assert.equal(
      select('{ "a" : 1.50 , "b":[ 1e3,\t2 ], "c":"\\u0061" }', ["b", "c", "a"]),
      '{"a":1.50,"b":[ 1e3,\t2 ],"c":"\\u0061"}',
    );
  });

  it("reaches into objects and arrays of objects, and keeps what is on the way", () => {
    const json = '{"a":{"b":{"c":1,"d":2},"e":3},"l":[{"x":1,"y":2},{"y":3},4,[{"x":5}],[6]],"s":7}';
    assert.equal(select(json, ["a.b.c"]), '{"a":{"b":{"c":1}}}');
    assert.equal(select(json, ["l.x"]), '{"l":[{"x":1},{},4,[{"x":5}],[6]]}');
    assert.equal(select(json, ["a.b", "a.b.c"]), '{"a":{"b":{"c":1,"d":2}}}');
    assert.equal(select(json, ["l.zz", "a.zz", "s.zz"]), '{"a":{},"l":[{},{},4,[{}],[6]],"s":7}');
  });

  it("keeps nothing of a dotted name that the index does not know, but what the document has of it", () => {
    const unknown = (json: string, fields: string[]) => {
      const selection = new FieldSelection(fields, [], (name) => name === "a.known");
      return withDocument(json, (pointer, length) => decode(selection.select(scanner, pointer, length)));
    };
    const json = '{"a":{"b":null,"c":{"d":[]}},"l":[{"x":1},[{"y":2}],3],"s":7,"o.p":{"q":1}}';
    for (const name of ["a.zz", "a.b.zz", "l.zz", "s.zz", "o.zz", "o.p.zz", "zz.a", "a.", "a.c.d.e"]) {
      assert.equal(unknown(json, [name]), "{}", name);
      assert.equal(unknown(json, [name, "s"]), '{"s":7}', name);
    }
    assert.equal(unknown(json, ["a.known"]), '{"a":{}}');
    assert.equal(unknown(json, ["a.b", "a.zz"]), '{"a":{"b":null}}');
    assert.equal(unknown(json, ["s", "a.b"]), '{"a":{"b":null},"s":7}');
    assert.equal(unknown(json, ["a.c.d"]), '{"a":{"c":{"d":[]}}}');
    assert.equal(unknown(json, ["l.y"]), '{"l":[{},[{"y":2}],3]}');
    assert.equal(unknown(json, ["o.p.q"]), '{"o.p":{"q":1}}');
  });

  it("finds names with dots and with escapes", () => {
    assert.equal(
      select('{"a.b":1,"a":{"b":2},"c.d":{"e":3}}', ["a.b", "c.d.e"]),
      '{"a.b":1,"a":{"b":2},"c.d":{"e":3}}',
    );
    assert.equal(
      select('{"\\u0061":1,"\\u00e9.x":{"\\"":2}}', ["a", 'é.x."']),
      '{"\\u0061":1,"\\u00e9.x":{"\\"":2}}',
    );
  });

  it("takes no name for another that begins with it, or for a part of one", () => {
    const json = '{"ti":1,"title":2,"titles":3,"":4,"t":5}';
    for (const names of [["title"], ["ti", "titles"], [""], ["titles", "t", ""], ["tit"]]) {
      const kept = Object.entries(JSON.parse(json)).filter(([name]) => names.includes(name));
      assert.deepEqual(JSON.parse(select(json, names)), Object.fromEntries(kept));
    }
  });

  it("of nothing is an empty object, and of all fields everything but the hidden ones", () => {
    assert.equal(select('{"a":1}', []), "{}");
    assert.equal(
      select('{"a":1, "_vectors":{}, "b":{"_vectors":2}}', null, ["_vectors"]),
      '{"a":1,"b":{"_vectors":2}}',
    );
    assert.equal(select('{"_vectors":{"e":null}}', ["_vectors", "_vectors.e"], ["_vectors"]), "{}");
  });
});
