// Documents as templates are given them: in their order, with all digits of their integers.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../../src/core/core.ts";
import { JsonScanner } from "../../../src/core/json.ts";
import { TextPrompts } from "../../../src/embedders/prompts.ts";
import { documentFields } from "../../../src/engine/vectors/documentfields.ts";

const scanner = new JsonScanner(new Core());
const fieldsOf = (json: string) => documentFields(scanner, Buffer.from(json));

function render(json: string, documentTemplate?: string): string {
  const prompts = new TextPrompts("e", { source: "openAi", ...(documentTemplate && { documentTemplate }) });
  return prompts.of({ id: "1", fields: fieldsOf(json), isSearchable: () => true })[0].text;
}

test("fields are those that JSON.parse gives", () => {
  const json = fc.json({ maxDepth: 4 });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (members) => {
      const pairs = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}: ${value}`);
      // Either may be read by itself, or in the way of unusual documents.
      for (const more of [[], ['"7": [0.1234567890123456, "\\u00e9", {"1": null}]']]) {
        const text = `{${[...pairs, ...more].join(",")}}`;
        deepEqual(rounded(fieldsOf(text)), JSON.parse(text));
      }
    }),
  );
});

test("names that look like numbers stay where they are, inside of objects, too", () => {
  const json = '{"b": 1, "10": 2, "a": {"z": 0, "2": "two", "1": "one"}, "2": [3]}';
  deepEqual(Object.keys(fieldsOf(json)), ["b", "10", "a", "2"]);
  deepEqual(Object.keys(fieldsOf('{"b":1,"\\u0031":2}')), ["b", "1"]);
  equal(render(json), "b: 1\n10: 2\na: z02two1one\n2: 3\n");
  equal(render(json, "{{ doc }} {{ doc.a['2'] }}{{ doc['10'] }}"), "b1102az02two1one23 two2");
  equal(render(json, "{% for pair in doc.a %}{{ pair[0] }}={{ pair[1] }},{% endfor %}"), "z=0,2=two,1=one,");
});

test("numbers are written out, integers of 64 bits with all their digits", () => {
  const integers = ["9007199254740993", "-9223372036854775808", "18446744073709551615", "-9007199254740993"];
  for (const text of integers) equal(render(`{"v": [${text}]}`, "{{ doc.v }}"), text);
  const others: [json: string, text: string][] = [
    ["18446744073709551616", "18446744073709552000"],
    ["1e23", "100000000000000000000000"],
    ["1.5e-9", "0.0000000015"],
    ["1.0", "1"],
  ];
  for (const [json, text] of others) {
    equal(render(`{"v": ${json}}`), `v: ${text}\n`);
    equal(render(`{"v": ${json}}`, "{{ doc.v }}"), text);
  }
});

function rounded(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rounded(inner)]));
}
