// Fields of raw documents that are replaced, added or taken out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withMembers } from "../../../src/engine/documents/members.ts";
import { replaceMember } from "../../../src/engine/documents/replacement.ts";
import { decode, scanner, withDocument } from "./raw.ts";

const replaced = (json: string, value: string | null) =>
  withDocument(json, (at, length) => decode(replaceMember(scanner, at, length, "v", value)));

test("a field is replaced in its place, or taken out", () => {
  for (const [json, other, without] of [
    ['{"a":1,"v":{"x":[1]},"b":2}', '{"a":1,"v":[7],"b":2}', '{"a":1,"b":2}'],
    ['{"v":1,"a":{"v":2}}', '{"v":[7],"a":{"v":2}}', '{"a":{"v":2}}'],
    [' { "a" : 1.0 , "\\u0076" : 1 } ', '{"a":1.0,"v":[7]}', '{"a":1.0}'],
    ['{"v":1}', '{"v":[7]}', "{}"],
  ]) {
    assert.equal(replaced(json, "[7]"), other);
    assert.equal(replaced(json, null), without);
  }
});

test("a field that was not there comes after all others", () => {
  const long = `[${"1,".repeat(5000)}1]`;
  for (const [json, start] of [
    ['{"a":1}', '{"a":1,'],
    ['{"vv":1,"":2}', '{"vv":1,"":2,'],
    ["{}", "{"],
  ]) {
    assert.equal(replaced(json, long), `${start}"v":${long}}`);
    assert.equal(replaced(json, null), json);
  }
});

test("members are added behind those of an object, whatever blanks and objects it has", () => {
  assert.equal(withMembers('{"a":{"b":{}}}', '"c":1'), '{"a":{"b":{}},"c":1}');
  assert.equal(withMembers("{}", '"c":1'), '{"c":1}');
  assert.deepEqual(JSON.parse(withMembers("{ \n}\n", '"c":{"d":2}')), { c: { d: 2 } });
  assert.deepEqual(JSON.parse(withMembers('{ "a": "{" } ', '"c":1')), { a: "{", c: 1 });
});
