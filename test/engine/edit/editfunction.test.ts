// Edit functions in their sandbox: what they can do, and what they are kept from.
import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { before, test } from "node:test";
import {
  checkEditFunction,
  EditFailure,
  EditFunction,
  loadInterpreter,
  SANDBOX_BOUNDS,
} from "../../../src/engine/edit/editfunction.ts";
import { TarsierError } from "../../../src/errors.ts";

before(loadInterpreter);

const DOCUMENT = '{"id":1,"name":"Rysy","tags":["a","b"],"size":{"h":2501}}';

function run(source: string, documents = [DOCUMENT], context: unknown = null, bounds = {}) {
  const edit = EditFunction.compile(source, context, { ...SANDBOX_BOUNDS, ...bounds });
  try {
    return edit.run(documents);
  } finally {
    edit.close();
  }
}

/** The document after the function. */
function after(source: string, document = DOCUMENT, context: unknown = null): unknown {
  const [edit] = run(source, [document], context);
  if (typeof edit === "string") return edit;
  const old = JSON.parse(document);
  return Object.fromEntries(edit.map(([name, ...value]) => [name, value.length > 0 ? value[0] : old[name]]));
}

const failing =
  (pattern: RegExp, at: number | null = 0) =>
  (error: unknown) => {
    equal(error instanceof EditFailure && error.at, at, String(error));
    match(String(error), pattern);
    return true;
  };

test("fields are changed, added and removed; the others are told to be as they were", () => {
  deepEqual(run("doc.name = doc.name + '!'; delete doc.tags; doc.more = [1, null]"), [
    [["id"], ["name", "Rysy!"], ["size"], ["more", [1, null]]],
  ]);
  deepEqual(after("doc.size.h += 1"), { id: 1, name: "Rysy", tags: ["a", "b"], size: { h: 2502 } });
  deepEqual(after("doc = {id: 1}"), { id: 1 });
  deepEqual(after("doc.u = undefined; doc.n = null", '{"id":1}'), { id: 1, n: null });
});

test("a method that is not called fails, and its source takes no place", () => {
  for (const source of [
    "doc.name = doc.name.to_upper",
    "doc.name = `<${doc.name.to_upper}>`",
    "doc.name += doc.name.trim",
    "doc.name = String(doc.name.trim)",
    "doc.size.h = (5).to_string",
    "doc.tags = [doc.tags.keys]",
    "doc.new = () => 1",
  ])
    throws(() => run(source), failing(/TypeError: a function is no value: \(\) may be missing/), source);
  deepEqual(run("const f = doc.name.to_upper; if (typeof f !== 'function') doc.x = 1"), ["kept"]);
});

test("a call of what is no function is named, with its line", () => {
  const calls: [source: string, reason: string][] = [
    ["doc.name.to_uper()", ": to_uper() in line 1"],
    ["// 😀\ndoc.x = '😀' + doc.size.kées(1).keys()", ": kées() in line 2"],
    ["doc.x = 1\n\ndoc.id.trim();", ": trim() in line 3"],
    ["doc.x = doc.id.is_empty()", ": is_empty() in line 1"],
    ["fn f(t) { t.up() + 1 }\nf(doc.name)", ": up() in line 1"],
    ["doc.tags.map(1)", ": what map() was given in line 1"],
    ["doc.tags.all(1)", ": what all() was given in line 1"],
    ["\n(doc.a ?? doc.b)()", " in line 2"],
    ["const e = new TypeError('not a function'); e.stack = '(<input>:'; throw e", ""],
  ];
  for (const [source, reason] of calls)
    throws(() => run(source), { message: `TypeError: not a function${reason}` }, source);
});

test("a number that JSON cannot hold fails, and takes no place", () => {
  const sources = ["doc.id += doc.none", "doc.x = doc.name * 2", "doc.x = doc.id / 0", "doc.x = -Infinity"];
  for (const source of sources) throws(() => run(source), failing(/RangeError: doc\.\w+ would be/), source);
  throws(() => run("doc.size.h = doc.id % 0"), failing(/doc\.size\.h would be NaN/));
  throws(() => run("doc.list = [[1], [{a: 1 / 0}]]"), failing(/doc\.list\.1\.0\.a would be Infinity/));
  // Also where null stood.
  throws(() => run("doc.n += doc.none", ['{"n":null}']), failing(/doc\.n would be NaN/));
  throws(() => run("doc.l[0] = 1 / 0", ['{"l":[null]}']), failing(/doc\.l\.0 would be Infinity/));
  throws(() => run("doc.at = new Date(doc.name)"), failing(/doc\.at would be null/));
  deepEqual(after("doc = {a: {toJSON() { return 1 }, n: NaN}, b: 'null'}"), { a: 1, b: "null" });
});

test("a field name with half of a surrogate pair fails; in a text it becomes U+FFFD", () => {
  const half = "'\\ud83d'";
  const converted = `doc.a = {toJSON: () => ({[${half}]: 1})}`;
  for (const source of [`doc[${half}] = 1`, `doc.a = [{b: {[${half}]: 1}}]`, converted])
    throws(() => run(source), failing(/RangeError: a field name holds half of a surrogate pair/), source);
  // What is stored so stays.
  const old = '{"id":1,"\\ud800":1,"deep":{"\\udfff":2}}';
  deepEqual(after("doc.id = 2", old), { ...JSON.parse(old), id: 2 });
  const named = { "\u{1f600}": 1, "\\ud800": "\ud83d" };
  const whole = { ...named, "\\ud800": "\ufffd" };
  deepEqual(after(`doc = ${JSON.stringify({ id: 1, ...named, deep: [named] })}`), {
    id: 1,
    ...whole,
    deep: [whole],
  });
});

test("lists and objects are no part of sums, no numbers, equal to nothing, and texts", () => {
  for (const source of [
    "doc.x = doc.tags + 'c'",
    "doc.x = doc.size + ''",
    "doc.x = Symbol('k') + 'x'",
    "doc.x = doc.tags + 1",
  ])
    throws(() => run(source), failing(/TypeError: lists, objects and symbols are no part of sums/), source);
  for (const source of ["doc.x = 1 - doc.tags", "doc.x = +doc.size", "doc.x = doc.tags * 1"])
    throws(() => run(source), failing(/doc\.x would be NaN/), source);
  const texts = "doc = {list: `${doc.tags}`, object: `${doc.size}`, sum: doc.tags.concat('c')}";
  deepEqual(after(texts), { list: "a,b", object: "[object Object]", sum: ["a", "b", "c"] });
  const orders = "doc = {a: doc.tags > 1, b: doc.size <= 'a', c: doc.tags == 'a,b', d: doc.size != 1}";
  deepEqual(after(orders), { a: false, b: false, c: false, d: true });
});

test("what is no list and no plain object is part of sums as ever", () => {
  const sources: [string, unknown][] = [
    ["new Date(5) - 0", 5],
    ["'is ' + new Error('x')", "is Error: x"],
    ["new String('y') + 1", "y1"],
    ["{valueOf() { return 5 }} + 1", 6],
    ["{toString() { return 'z' }} + 1", "z1"],
    ["{[Symbol.toPrimitive]() { return 7 }} + 1", 8],
  ];
  for (const [source, value] of sources) deepEqual(after(`doc = {x: ${source}}`), { x: value }, source);
  deepEqual(after("const o = {}; o[Symbol.toPrimitive] = () => 9; doc = {x: o + 1}"), { x: 10 });
});

test("a document that comes out as it went in is kept", () => {
  for (const source of ["", "doc.name", "doc.name = 'Rysy'", "let doc2 = doc", "doc = {...doc}", "return 5"])
    deepEqual(run(source), ["kept"], source);
  deepEqual(run("doc.tags.push('c'); doc.tags.pop(); return;"), ["kept"]);
});

test("null and () delete", () => {
  deepEqual(run("doc = null"), ["deleted"]);
  deepEqual(run("if doc.id == 2 { doc = () }", ['{"id":1}', '{"id":2}']), ["kept", "deleted"]);
  deepEqual(run("if (doc.id === 1) { doc = (); return } doc.a = 1"), ["deleted"]);
});

test("the context is there, and cannot be changed", () => {
  deepEqual(after("doc = {id: 1, by: context.who[0]}", DOCUMENT, { who: ["me"] }), { id: 1, by: "me" });
  throws(() => after("doc.none = context.who"), failing(/TypeError/));
  deepEqual(after("doc = {id: 1, none: typeof context, who: context?.who ?? 'me'}"), {
    id: 1,
    none: "undefined",
    who: "me",
  });
  throws(() => after("context.who.push(1)", DOCUMENT, { who: [] }), failing(/TypeError/));
});

test("the methods of another language are there", () => {
  const sources: [string, unknown][] = [
    ["doc.name.to_upper() + doc.name.to_lower()", "RYSYrysy"],
    ["[doc.name.len, doc.name.len(), doc.tags.len, doc.tags.len(), doc.size.len()]", [4, 4, 2, 2, 1]],
    ["[doc.name.contains('ys'), doc.tags.contains('c'), doc.name.starts_with('R')]", [true, false, true]],
    ["['12'.to_int() + 1, '1.5'.parse_float(), (7.9).to_int(), (5).to_string()]", [13, 1.5, 7, "5"]],
    ["['a' in #{a: 1}, [].is_empty(), ''.is_empty()]", [true, true, true]],
    ["[doc.name.index_of('s'), doc.name.sub_string(1, 2), doc.name.sub_string(2)]", [2, "ys", "sy"]],
    ["[(1.5).floor(), (1.5).ceiling(), (1.5).round(), (-2).abs()]", [1, 2, 2, 2]],
    ["[parse_int(' 7'), parse_float('1.5'), max(1, 2), min(1, 2)]", [7, 1.5, 2, 1]],
    ["[[1, 2].remove(0), #{a: 3}.remove('a'), #{remove(a, b) { return b }}.remove(1, 2)]", [1, 3, 2]],
    [
      "['abc'.sub_string(-2, 2), (-2.5).round(), Object.keys(#{a: 1}), [...['a'].keys()]]",
      ["bc", -3, ["a"], [0]],
    ],
  ];
  for (const [source, value] of sources) deepEqual(after(`doc = {x: ${source}}`), { x: value }, source);
  deepEqual(after("doc.l = doc.len", '{"len":3}'), { len: 3, l: 3 });
  deepEqual(after("doc.remove('a'); doc.o?.remove('b')", '{"a":1,"o":{"b":1}}'), { o: {} });
  deepEqual(after("for n in doc.l { doc.s += n }", '{"l":[1,2],"s":0}'), { l: [1, 2], s: 3 });
});

test("each document has its own scope, and one that fails is named", () => {
  const documents = ['{"id":1}', '{"id":2}', '{"id":3}'];
  throws(() => run("if (doc.id > 1) throw new Error('no')", documents), failing(/no/, 1));
  throws(() => run("if (doc.id > 2) leak; else var leak = 1; seen = 1", documents), failing(/seen/, 0));
  throws(() => run("doc = 5"), failing(/object/));
  for (const source of ["doc = [1]", "doc = 'x'", "doc = undefined", "doc = new Map()"])
    throws(() => run(source), failing(/object/), source);
  throws(() => run("throw 'text'"), failing(/text/));
  throws(() => run("doc.big = 1n"), failing(/BigInt/));
  throws(() => run("const self = doc; doc.self = self"), failing(/circular/i));
});

test("memory and stack have bounds, and the next function is not harmed", () => {
  throws(() => run("function f() { f() } f()"), failing(/stack/));
  const memory = { memoryBytes: 2 ** 20 };
  throws(() => run("doc.x = 'x'.repeat(2 ** 24)", undefined, null, memory), /memory/);
  deepEqual(run("doc = null"), ["deleted"]);
});

test("a field is as it was when its JSON is, however the function came to it", () => {
  const document =
    '{"id":1,"text":"abc","zero":0,"yes":true,"none":null,"list":[1,null],"map":{"a":{"b":1}},"__proto__":5}';
  const kept = [
    "doc.text += ''",
    "doc.text = new String('abc')",
    "doc.text = {toJSON() { return 'abc' }}",
    "doc.zero = -0",
    "doc.yes = new Boolean(true)",
    "doc.list = [1, null]",
    "doc.map = {a: {b: 1}}",
    "doc = {...doc, ['__proto__']: 5}",
  ];
  for (const source of kept) deepEqual(run(source, [document]), ["kept"], source);
  const changed: [source: string, name: string, value: unknown][] = [
    ["doc.zero = '0'", "zero", "0"],
    ["doc.text = null", "text", null],
    ["doc.yes = 'true'", "yes", "true"],
    ["doc.none = 'null'", "none", "null"],
    ["doc.list.push('c')", "list", [1, null, "c"]],
    ["doc.map.a.b = 2", "map", { a: { b: 2 } }],
  ];
  for (const [source, name, value] of changed) {
    const [fields] = run(source, [document]);
    const names = ["id", "text", "zero", "yes", "none", "list", "map", "__proto__"];
    deepEqual(
      fields,
      names.map((one) => (one === name ? [one, value] : [one])),
      source,
    );
  }
  // What is no number in JSON is told even where the function left it alone.
  throws(() => run("doc.x = 1", ['{"id":1,"n":1e999}']), failing(/doc\.n would be Infinity/));
});

test("a loop without an end is left by itself, and the function runs again", () => {
  const edit = EditFunction.compile("while (doc.id === 1); doc.n = 1", null, {
    ...SANDBOX_BOUNDS,
    timeMs: 50,
  });
  throws(() => edit.run(['{"id":1}']), failing(/longer than 50 ms/, null));
  deepEqual(edit.run(['{"id":2}']), [[["id"], ["n", 1]]]);
  edit.close();
});

test("there is nothing to reach outside", () => {
  const names = ["process", "require", "fetch", "setTimeout", "console", "WebAssembly", "std", "os", "print"];
  deepEqual(after(`doc = {found: ${JSON.stringify(names)}.filter((name) => name in globalThis)}`), {
    found: [],
  });
});

test("tampering with built-ins makes no broken documents", () => {
  deepEqual(after("JSON.stringify = () => 'garbage'; Object.keys = () => []; doc.a = 1", '{"id":1}'), {
    id: 1,
    a: 1,
  });
});

test("what does not compile is refused before it becomes a task", async () => {
  for (const source of ["doc.x =", "}", "let doc = 1", "x".repeat(2 ** 20 + 1)])
    await rejects(
      checkEditFunction(source),
      (error) => error instanceof TarsierError && error.code === "bad_request",
      source.slice(0, 10),
    );
  await checkEditFunction("doc.x = 1");
});

test("a source that nests too deep does not compile, and the next one does", async () => {
  for (const source of ["(".repeat(50_000), `doc.x=${"-".repeat(60_000)}1`, `\`\${${"`${".repeat(20_000)}`])
    await rejects(checkEditFunction(source), { code: "bad_request" }, source.slice(0, 10));
  await checkEditFunction("doc.x = 1");
});

test("looking whether a source compiles runs nothing of it", async () => {
  await checkEditFunction("}); for (;;) {} (() => {");
});
