// Sums of texts, lists and maps in edit functions, and copies: as in Rhai where the meaning in JavaScript
// is of no use, and as in JavaScript everywhere else.
import { equal, match } from "node:assert/strict";
import { before, test } from "node:test";
import { loadInterpreter } from "../../../src/engine/edit/editfunction.ts";
import { rewritten } from "../../../src/engine/edit/habits.ts";
import { changes, fails, values } from "./editfixture.ts";

before(loadInterpreter);

test("what is not there adds nothing to a text", () => {
  values([
    ["doc.name + ' ' + doc.last", "Rysy "],
    ["doc.first + doc.name + doc.none", "Rysy"],
    ["doc.name + doc.last + 1", "Rysy1"],
    ["null + 'a' + (doc.none + 'b')", "ab"],
    ["`${doc.name}|${doc.last}|${null}|${doc.id + 1}`", "Rysy|||2"],
    ["doc.tags.map(|t| t + doc.last)", ["a", "b"]],
    ["doc.id - 1 + 'a' + doc.none", "0a"],
    ["`${1, 2}`", "2"],
  ]);
  changes([
    ["doc.name += doc.last", {}],
    ["doc.name += ' (' + doc.last + ')'", { name: "Rysy ()" }],
    ["let s = ''; for t in doc.tags { s += t + doc.none; } doc.x = s", { x: "ab" }],
  ]);
  fails("doc.x = doc.last + 1", /doc\.x would be NaN/);
  fails("doc.id += doc.last", /doc\.id would be NaN/);
});

test("lists and maps have sums", () => {
  values([
    ["doc.tags + ['c'] + doc.nums", ["a", "b", "c", 3, 1, 2]],
    ["#{a: 1} + #{b: 2}", { a: 1, b: 2 }],
    ["[...doc.tags + ['c']]", ["a", "b", "c"]],
  ]);
  changes([
    ["doc.tags += 'c'", { tags: ["a", "b", "c"] }],
    ["doc.nums += 5; doc.nums[-1] += 2", { nums: [3, 1, 2, 7] }],
    ["doc.tags += context.list; doc.tags += doc.tags", { tags: ["a", "b", "c", "a", "b", "c"] }],
    ["fn f(m) { m.list += [1]; } f(doc.deep)", { deep: { keys: 1, list: [[1], { a: 2 }, 1] } }],
    ["doc.x = doc.tags + ['c']; doc.x.pop()", { x: ["a", "b"] }],
  ]);
  changes([["doc.x = doc.size + #{w: 1}", { x: { h: 2501, w: 1 } }]]);
  fails("doc.x = doc.tags + 'c'", /no part of sums/);
});

test("a list or map that becomes a second member is a copy", () => {
  changes([
    ["const tags = doc.tags; tags.push('c')", { tags: ["a", "b", "c"] }],
    ["doc.old = doc.size; doc.size.h = 1", { old: { h: 2501 }, size: { h: 1 } }],
    ["let old; old = doc.tags; old.push('c')", { tags: ["a", "b", "c"] }],
    [
      "doc.old = doc.deep; doc.deep.list.clear()",
      { old: { keys: 1, list: [[1], { a: 2 }] }, deep: { keys: 1, list: [] } },
    ],
    ["doc.x = new Date(0); doc.y = doc.x", { x: new Date(0).toJSON(), y: new Date(0).toJSON() }],
    [
      "const m = {t: doc.tags}; doc.size.mixin(m); m.t.clear()",
      { size: { h: 2501, t: ["a", "b"] }, tags: [] },
    ],
    [
      "const m = {t: doc.tags}; doc.size.fill_with(m); m.t.clear()",
      { size: { h: 2501, t: ["a", "b"] }, tags: [] },
    ],
    ["doc.x = doc.deep.list; doc.x[0].push(2)", { x: [[1, 2], { a: 2 }] }],
    ["doc.x = #{t: doc.tags, n: 1}; doc.x.t.push('c')", { x: { t: ["a", "b", "c"], n: 1 } }],
    ["doc.size.mixin(#{t: doc.tags}); doc.tags.clear()", { size: { h: 2501, t: ["a", "b"] }, tags: [] }],
    ["doc.x = context.list; doc.x.push('d'); let l = context.list; l.push('e')", { x: ["c", "d"] }],
    ["for k in context.keys() { doc[k] = context[k]; } doc.list.push('d')", { list: ["c", "d"] }],
  ]);
});

test("what is only looked up in the context is not copied, parts that are taken of it are", () => {
  for (const source of ["n[doc.id]", "n.a.len()", "doc.id in n", "n.contains(doc.id) || n['a'].get(1)"])
    equal(rewritten(`let n = context.names; f(${source})`).includes("$copy"), false, source);
  for (const change of [
    "n.push(1)",
    "n[0] = 1",
    "n.a += 1",
    "n[0]--",
    "delete n.a",
    "f(n)",
    "for x in n { }",
  ])
    match(rewritten(`let n = context.names; ${change}`), /\$copy\(context\.names\)/, change);
  changes([
    ["let c = context; let l = c.list; l.push('d'); doc.x = l", { x: ["c", "d"] }],
    ["let c = context; doc.x = c.list; doc.x.push('d')", { x: ["c", "d"] }],
  ]);
});

test("an index that changes what it reads is evaluated once", () => {
  changes([
    ["let i = 2; doc.nums[--i] += 4; doc.x = i", { nums: [3, 5, 2], x: 1 }],
    ["let i = 1; doc.tags[i--] += '!'; doc.x = i", { tags: ["a", "b!"], x: 0 }],
    ["let i = 1; doc.tags[--i].trim(); doc.x = i", { x: 0 }],
  ]);
});

test("a source with names like those of the helpers keeps them", () => {
  changes([
    ["const $text = 'a'; doc.x = `${$text}`", { x: "a" }],
    ["const $add = 1; doc.x = doc.name + doc.id + $add", { x: "Rysy11" }],
    ["let $sum = 1; $sum += doc.id; doc.x = $sum", { x: 2 }],
    ["doc.x = { $sum: doc.none + 'a' }", { x: { $sum: "a" } }],
  ]);
});

test("other sums are JavaScript's", () => {
  values([
    ["[1 + 2, '1' + 2, 1 + 2 + '3', '1' + 2 + 3, 2 - 1 + 3 * 2 - -1]", [3, "12", "33", "123", 8]],
    ["[doc.id + doc.nums[1] - 2 + doc.nums[0], -doc.id + +doc.id, doc.id + -1]", [3, 0, 0]],
    ["(n => n++ + n + ++n)(1)", 6],
    ["~doc.id + doc.id", -1],
    ["'a' + 'b' == 'ab' ? typeof doc.id + 'x' : 0", "numberx"],
    ["((a, b = a + a) => a + b + (() => a + b)())(1)", 6],
    ["String.raw`a${null}`", "anull"],
  ]);
  changes([
    ["let n = 0; for (let i = 0; i < 3; i += doc.id) n += i\ndoc.x = n", { x: 3 }],
    ["doc.id += 1\n+ 2", { id: 4 }],
    ["doc.id += 1, doc.id += 2", { id: 4 }],
    ["doc.id += doc.tags\ninstanceof Array", { id: 2 }],
  ]);
  fails("doc.x += ;", /SyntaxError/);
  const sources = ["n + 1", "n + .5", "i += 1", "a++\n+b", "a\n++b", "`a`", "x = +y", "{ a } + b + c"];
  sources.push("delete a.b + c", "await a + b", "for (;; i += j) f()");
  for (const source of sources) equal(rewritten(source), source);
});
