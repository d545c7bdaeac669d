// Methods of texts, lists, maps and numbers that edit functions know from Rhai. What they give was compared
// with the interpreter of that language.
import { before, test } from "node:test";
import { loadInterpreter } from "../../../src/engine/edit/editfunction.ts";
import { changes, fails, values } from "./editfixture.ts";

before(loadInterpreter);

test("whether something is empty or odd is asked with and without ()", () => {
  changes([
    ["if doc.name.is_empty { doc = () } else { doc.x = 1 }", { x: 1 }],
    ["if doc.tags.is_empty || doc.size.is_empty() { doc = () } else { doc.x = 1 }", { x: 1 }],
    ["if ''.is_empty && [].is_empty && ''.is_empty() && [].is_empty() { doc.x = 1 }", { x: 1 }],
    ["if doc.id.is_even { doc.x = 1 } else if doc.id.is_odd() { doc.x = 2 }", { x: 2 }],
  ]);
  values([
    ["[(-3).is_odd, doc.id.is_odd, doc.id.is_zero, #{is_empty: 5}.is_empty]", [true, true, false, 5]],
    [
      "[5.is_odd(), 1_000.is_zero(), 0.5.is_zero(), 5.type_of(), 5.to_string()]",
      [true, false, false, "i64", "5"],
    ],
  ]);
});

test("what has no length and can be neither empty nor odd is not asked for it", () => {
  for (const call of ["name.is_odd", "size.is_even", "tags.is_zero", "id.is_empty", "id.len"])
    fails(`if doc.${call}() { doc.x = 1 }`, new RegExp(`not a function: ${call.split(".")[1]}\\(\\)`));
});

test("texts are as long as they have characters, and none is cut in two", () => {
  values([
    ["[doc.smile.len(), doc.smile.len, doc.smile.length, doc.smile[-1]]", [3, 3, 4, "é"]],
    ["[doc.smile.sub_string(0, 2), doc.smile.sub_string(-2, 1), doc.smile[-2]]", ["a😀", "😀", "😀"]],
    ["[doc.smile.index_of('é'), doc.smile.index_of('a', 1), doc.smile.index_of('é', -1)]", [2, -1, 2]],
    [
      "[doc.smile.split(2), doc.smile.chars()]",
      [
        ["a😀", "é"],
        ["a", "😀", "é"],
      ],
    ],
    ["[doc.name.sub_string(0, -1), doc.name.sub_string(9), doc.name.index_of('y', 2)]", ["", "", 3]],
    ["[doc.name.sub_string(1), doc.name.sub_string(-9, 2), doc.nums.extract(-9, 1)]", ["ysy", "Ry", [3]]],
  ]);
  changes([
    ["doc.smile.truncate(2)", { smile: "a😀" }],
    ["doc.smile.crop(1, 1); doc.name.pad(6, '*')", { smile: "😀", name: "Rysy**" }],
    ["doc.name.pad(7, 'ab'); doc.pad.pad(9, '')", { name: "Rysyaba" }],
  ]);
});

test("texts are split at blanks, at a place and at a text", () => {
  values([
    ["[' a  b '.split(), ''.split(), ' '.split()]", [["a", "b"], [""], []]],
    [
      "['abc'.split(1), 'abc'.split(-1)]",
      [
        ["a", "bc"],
        ["ab", "c"],
      ],
    ],
    [
      "['a,b'.split(','), 'a1b'.split(/\\d/), 'a,b,c'.split(',', 2)]",
      [
        ["a", "b"],
        ["a", "b"],
        ["a", "b"],
      ],
    ],
  ]);
});

test("what is no number is not read as one, and can be caught", () => {
  values([
    ["[parse_int(' -7 '), parse_int('ff', 16), '12'.parse_int(), parse_float('1E3')]", [-7, 255, 12, 1000]],
  ]);
  for (const text of ["", "x", "12abc", "3.5", "1_000", "9999999999999999999"]) {
    fails(`doc.x = parse_int('${text}')`, /no number/);
    changes([[`try { doc.x = parse_int('${text}') } catch { doc.x = 0 }`, { x: 0 }]]);
  }
  for (const call of ["'19', 8", "'12', 1", "'ff', 99", "doc.none", "true", "[1]"])
    fails(`if parse_int(${call}) { doc.x = 1 }`, /no number/);
  values([["[parse_int(7.5), parse_float(7.5)]", [7, 7.5]]]);
  for (const text of ["", "x", "1,5", "1.5x"]) fails(`doc.x = '${text}'.parse_float()`, /no number/);
  values([
    ["[floor(1.5), ceiling(1.5), round(-2.5), abs(-2), to_int(2.9), to_float(2)]", [1, 2, -3, 2, 2, 2]],
  ]);
});

test("numbers are sorted as numbers, and orders may tell yes or no", () => {
  values([
    ["[10, 9, 1].sort()", [1, 9, 10]],
    ["['b', 'a', 'B'].sort()", ["B", "a", "b"]],
    ["[10, 9, 1].sort(|a, b| a > b)", [10, 9, 1]],
    [
      "[#{n: 1, k: 1}, #{n: 0}, #{n: 1, k: 2}].sort(|a, b| a.n < b.n)",
      [{ n: 0 }, { n: 1, k: 1 }, { n: 1, k: 2 }],
    ],
    ["[10, 9, 1].sort((a, b) => b - a)", [10, 9, 1]],
  ]);
});

test("lists are looked through from a place, and lose what is not wanted", () => {
  values([
    ["[doc.nums.index_of(3, 1), doc.nums.index_of(2, -1), doc.nums.all(|n| n > 0)]", [-1, 2, true]],
    ["[[1, 2, 3].drain(|n| n > 1), [1, 2, 3].retain(|n| n > 1), [1, 2].extract(0, -1)]", [[2, 3], [1], []]],
  ]);
  changes([
    ["doc.tags.remove(-3); doc.tags.remove(2); doc.nums.remove(-3)", { nums: [1, 2] }],
    ["doc.nums.drain(|n| n > 1); doc.tags.retain(|t| t != 'a')", { nums: [1], tags: ["b"] }],
    ["doc.tags += doc.tags; doc.tags.sort(); doc.tags.dedup(); doc.nums.chop(2)", { nums: [1, 2] }],
    ["doc.x = []; doc.x.pad(2, #{a: 1}); doc.x[0].a = 2", { x: [{ a: 2 }, { a: 1 }] }],
    ["doc.nums.truncate(-1); doc.tags.chop(-1)", { nums: [], tags: [] }],
    ["doc.nums.pad(4, 0); doc.x = 0; doc.tags.for_each(|t| doc.x += 1)", { nums: [3, 1, 2, 0], x: 2 }],
  ]);
});

test("maps give their members in the order of the names", () => {
  values([
    [
      "[#{b: 1, a: 2}.keys(), #{b: 1, a: 2}.values()]",
      [
        ["a", "b"],
        [2, 1],
      ],
    ],
    ["[doc.size.get('h'), doc.size.get('to_string'), parse_json('[1]')]", [2501, null, [1]]],
    ["[[...new Map([[1, 2]]).keys()], new Map([[1, 2]]).get(1)]", [[1], 2]],
  ]);
  for (const call of ["mixin(m)", "fill_with(m)", "set('__proto__', 1)"])
    values([
      [
        `(m => { const x = {}; x.${call}; return JSON.stringify(x); })(parse_json('{"__proto__": 1}'))`,
        '{"__proto__":1}',
      ],
    ]);
  changes([["doc.size.fill_with(#{h: 1, w: 2}); doc.size.set('d', 3)", { size: { h: 2501, w: 2, d: 3 } }]]);
});
