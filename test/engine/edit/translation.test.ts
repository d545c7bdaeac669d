// What of another language is rewritten in edit functions, and what is left alone.
import { equal } from "node:assert/strict";
import { test } from "node:test";
import { translated } from "../../../src/engine/edit/translation.ts";

const REWRITTEN: [source: string, javascript: string][] = [
  ["doc = ()", "doc = null"],
  ["if (doc.a == ()) { doc = ( /* gone */ ); }", "if (doc.a == null) { doc = null /* gone */ ; }"],
  ["doc.a = #{b: 1, c: [(), 2]}", "doc.a = {b: 1, c: [null, 2]}"],
  ["function f() { return () }", "function f() { return null }"],
  ["fn f() { if a { return 1; }\n() }", "fn f() { if ( a ) { return 1; }\nnull }"],
  ["doc.n = doc.name.len()", 'doc.n = doc.name["len()"]()'],
  ["doc.n = 7.to_string() + 1.5.to_int() + 1.e5", "doc.n = 7 .to_string() + 1.5.to_int() + 1.e5"],
  [
    "doc.n = `${doc.name.len()} of #{} and ${`${()}`}`",
    'doc.n = `${doc.name["len()"]()} of #{} and ${`${null}`}`',
  ],
  ["if doc.a > 1 { doc.b = 2 }", "if ( doc.a > 1 ) { doc.b = 2 }"],
  ["if (doc.a) > 1 && doc.b { doc.c = 1 }", "if ( (doc.a) > 1 && doc.b ) { doc.c = 1 }"],
  ["if doc.a == #{} { doc.b = 1 }", "if ( doc.a == {} ) { doc.b = 1 }"],
  ["if [1, 2].contains(doc.a) { doc.b = 1 }", "if ( [1, 2].contains(doc.a) ) { doc.b = 1 }"],
  ["for x in doc.list { doc.n += x }", "for (let x of doc.list ) { doc.n += x }"],
  ["doc.remove('a'); doc.o?.remove('b')", "doc[\"remove()\"]('a'); doc.o?.[\"remove()\"]('b')"],
  ["while doc.a < 3 { doc.a += 1 }", "while ( doc.a < 3 ) { doc.a += 1 }"],
];

const KEPT = [
  "doc.f = () => 1; doc.g = f(); (() => {})()",
  "(function () { doc.a = 1 }()); doc.b = [...(function* () { yield 1 })()]",
  "doc['()'] = \"#{}\"; // doc = ()\n/* if a { } */",
  "if (doc.a > 1) { doc.b = 2 } else if (doc.c) doc.d = 3; else { doc.e = 4 }",
  "if (doc.a) { return; }",
  "while (doc.a < 3) doc.a++;",
  "doc.if = 1; doc.r = /[()]#{1}\\//g.test(doc.t); doc.h = doc.a / 2 / doc.b",
  "function f() { return 1 } class A { get() { return 2 } static() {} }",
  "for (const x in doc) doc[x] = 1; for (const [k] of m) { } doc.for = 1; doc.remove = doc.keys",
  "doc.k = Object.keys(doc.o); doc.l = [...remove()]; class A extends B { f() { super.remove() } }",
  "doc.l = doc.name.length + doc.len + doc.list.len",
  "doc.u = 'unfinished",
  "doc.u = `unfinished ${doc.a",
  "",
];

test("what differs in small things becomes JavaScript", () => {
  for (const [source, javascript] of REWRITTEN) {
    const squeezed = (text: string) => text.replace(/\s+/g, " ");
    equal(squeezed(translated(source)), squeezed(javascript));
  }
});

test("JavaScript stays as it is, and so do texts and comments", () => {
  for (const source of KEPT) equal(translated(source), source);
});

test("long sources that close nothing are left as they are", () => {
  for (const part of ["if ( ", "'\\", "/[", "/*x"]) {
    const source = part.repeat(12_000);
    equal(translated(source), source, part);
  }
});
