// Documents laid over each other inside linear memory, compared with mergeDocuments.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { mergeDocuments } from "../../../src/engine/documents/merge.ts";
import { Overlay } from "../../../src/engine/documents/overlay.ts";
import { parseJson } from "../../twins/json.ts";
import { jsonDocument } from "../../twins/jsontext.ts";
import { decode, encode, scanner } from "./raw.ts";

const { core } = scanner;
const OUT_BYTES = 1 << 20;
const out = core.reserve(OUT_BYTES);
const overlay = new Overlay(core);

const merge = (older: string, newer: string) => decode(mergeDocuments(scanner, encode(older), encode(newer)));

/** Null when it must be made otherwise. */
function lay(older: string, newer: string): string | null {
  const documents = [encode(older), encode(newer)];
  const [first, second] = scanner.lend(...documents);
  const length = overlay.lay(
    { pointer: first, length: documents[0].length },
    { pointer: second, length: documents[1].length },
    out,
  );
  return length < 0 ? null : decode(core.read(out, length));
}

const namesOf = (json: string) => parseJson(json).children.map(({ name }) => name.toString());
const repeatsNone = (json: string) => new Set(namesOf(json)).size === namesOf(json).length;

describe("a document laid over another one", () => {
  it("replaces values in their place and adds the others at the end", () => {
    assert.equal(
      lay('{"id":1, "a":{"x":1}, "b":[2]}', '{"c":3,"a":{"y": 2},"id":1}'),
      '{"id":1,"a":{"y": 2},"b":[2],"c":3}',
    );
    assert.equal(lay("{}", " { } "), "{}");
    assert.equal(lay("{}", '{"a" : 1}'), '{"a":1}');
    assert.equal(
      lay('{"ab":1,"cd":2,"":3}', '{"":4,"cd":5,"ac":6,"cdc":7}'),
      '{"ab":1,"cd":5,"":4,"ac":6,"cdc":7}',
    );
  });

  it("has nothing of a longer document that was laid from the same place before", () => {
    for (const older of ['{"a":1,"b":2,"c":3}', '{"a":1,"b":2}', '{"a":1}', "{}"]) {
      assert.equal(lay(older, "{}"), older);
    }
  });

  it("is what the general way makes of them", () => {
    let laid = 0;
    const unique = jsonDocument.filter(repeatsNone);
    fc.assert(
      fc.property(unique, unique, (older, newer) => {
        const found = lay(older, newer);
        if (found === null) return;
        laid++;
        assert.equal(found, merge(older, newer));
      }),
      { numRuns: 1000 },
    );
    assert.ok(laid > 100, `${laid} documents were laid over others`);
  });

  it("of the most members keeps within its own memory", () => {
    const documentOf = (letter: string) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 128 }, (_, i) => [`${letter}${i}`, i])));
    const [older, newer] = [documentOf("a"), documentOf("b")];
    const other = new Overlay(core);
    const texts = [encode(older), encode(newer)];
    const [first, second] = scanner.lend(...texts);
    const located = [
      { pointer: first, length: texts[0].length },
      { pointer: second, length: texts[1].length },
    ] as const;
    other.lay(located[0], located[0], out);
    const beside = core.reserve(1 << 16);
    core.u8.fill(0x55, beside, beside + (1 << 16));
    const length = other.lay(...located, out);
    assert.equal(decode(core.read(out, length)), merge(older, newer));
    assert.ok(core.read(beside, 1 << 16).every((byte) => byte === 0x55));
    other.free();
  });

  it("is left to the general way when names have escapes, are many, or the text is damaged", () => {
    assert.equal(lay('{"\\u0061":1}', '{"b":1}'), null);
    assert.equal(lay('{"a":1}', '{"\\u0061":1}'), null);
    const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"m${i}":${i}`)}}`;
    const few = `{${Array.from({ length: 128 }, (_, i) => `"n${i}":${i}`)}}`;
    assert.equal(lay(members(128), few), merge(members(128), few));
    assert.equal(lay(members(129), '{"a":1}'), null);
    assert.equal(lay('{"a":1}', members(129)), null);
    assert.equal(lay('{"a":1', '{"b":1}'), null);
  });
});
