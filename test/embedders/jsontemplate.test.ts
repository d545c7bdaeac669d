// Request and response templates: where placeholders may be, and that what goes in comes out again.
import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { extractVectors } from "../../src/embedders/extraction.ts";
import { fillTemplate, parseJsonTemplate } from "../../src/embedders/jsontemplate.ts";

const request = (value: unknown) => parseJsonTemplate("request", value, "{{text}}");
const response = (value: unknown) => parseJsonTemplate("response", value, "{{embedding}}");

describe("a request", () => {
  test("has the input where the placeholder was, and all else as it was", () => {
    const template = request({ model: "m", opts: [1, { deep: "{{text}}" }], other: "a {{text}}" });
    deepEqual(fillTemplate(template, ["x"]), { model: "m", opts: [1, { deep: "x" }], other: "a {{text}}" });
  });

  test("may be the input alone, and takes any JSON for it", () => {
    deepEqual(fillTemplate(request("{{text}}"), [{ a: [1] }]), { a: [1] });
  });

  test("repeats the first element, and drops what stands behind the sign of repetition", () => {
    const template = request({ list: [{ t: "{{text}}", n: 1 }, "{{..}}", "dropped"], n: 2 });
    const list = [
      { t: "x", n: 1 },
      { t: "y", n: 1 },
    ];
    deepEqual(fillTemplate(template, ["x", "y"]), { list, n: 2 });
    deepEqual(fillTemplate(template, []), { list: [], n: 2 });
  });

  test("may repeat inside of arrays that do not", () => {
    const template = request([{ a: ["{{text}}", "{{..}}"] }, 3]);
    deepEqual(fillTemplate(template, ["x", "y"]), [{ a: ["x", "y"] }, 3]);
  });
});

describe("a template is refused", () => {
  const cases: [name: string, value: unknown, message: RegExp][] = [
    ["without a placeholder", { a: "text" }, /not found in `request`/],
    ["with two placeholders", { a: "{{text}}", b: ["{{text}}"] }, /`request.b\[0\]`.*already.*`request.a`/],
    [
      "with two in a unit",
      [["{{text}}", { a: "{{text}}" }], "{{..}}"],
      /already present at `request\[0\]\[0\]`/,
    ],
    [
      "with one beside a repeated one",
      { a: ["{{text}}", "{{..}}"], b: "{{text}}" },
      /\(repeated\) in `request.a`/,
    ],
    [
      "with one before a repeated one",
      { a: "{{text}}", b: ["{{text}}", "{{..}}"] },
      /already present at `request.a`/,
    ],
    [
      "that repeats outside of an array",
      { a: "{{..}}", b: "{{text}}" },
      /`request.a` is outside of an array/,
    ],
    ["that repeats first", ["{{..}}", "{{text}}"], /position #1, but found at #0/],
    ["that repeats too late", ["{{text}}", 1, "{{..}}"], /position #1, but found at #2/],
    ["that repeats twice", ["{{text}}", "{{..}}", "{{..}}"], /position #1, but found at #2/],
    ["that repeats in what is repeated", [["{{text}}", "{{..}}"], "{{..}}"], /inside of `request`/],
    [
      "with two repetitions",
      { a: ["{{text}}", "{{..}}"], b: ["{{text}}", "{{..}}"] },
      /present in `request.a`/,
    ],
    [
      "that repeats nothing",
      { a: [1, "{{..}}"], b: "{{text}}" },
      /inside of `request.a\[0\]`, which is repeated/,
    ],
  ];
  for (const [name, value, message] of cases) {
    test(name, () => throws(() => request(value), message));
  }
});

describe("an answer", () => {
  const list = response({ data: [{ v: "{{embedding}}" }, "{{..}}"] });
  const cases: [name: string, run: () => unknown, message: RegExp][] = [
    [
      "without a field",
      () => extractVectors(response({ a: { embed: "{{embedding}}" } }), { a: { embd: [1] } }, 1),
      /`response.a`.*field `embed`.*`embd`: is that it/,
    ],
    [
      "without an element",
      () => extractVectors(response([0, "{{embedding}}"]), [[1]], 1),
      /element #1.*size 1/,
    ],
    [
      "with an object for an array",
      () => extractVectors(response(["{{embedding}}"]), { a: 1, b: 2 }, 1),
      /an object with 2 fields/,
    ],
    ["with a number for an object", () => extractVectors(response({ a: "{{embedding}}" }), 7, 1), /`7`/],
    [
      "with a text for a vector",
      () => extractVectors(response("{{embedding}}"), "x", 1),
      /array of numbers.*"x"/,
    ],
    [
      "with a text in a vector",
      () => extractVectors(response("{{embedding}}"), [1, "x"], 1),
      /`response\[1\]`/,
    ],
    [
      "with a number that is too large",
      () => extractVectors(response("{{embedding}}"), [1e300], 1),
      /32-bit/,
    ],
    ["with an empty vector", () => extractVectors(response("{{embedding}}"), [], 1), /empty/],
    [
      "with too few vectors",
      () => extractVectors(list, { data: [{ v: [1] }] }, 2),
      /expected 2 vectors.*found 1/,
    ],
    [
      "with a bad item",
      () => extractVectors(list, { data: [{ v: [1] }, { w: [1] }] }, 2),
      /vector #1.*`response.data\[1\]`/,
    ],
    ["with no array of vectors", () => extractVectors(list, { data: { v: [1] } }, 1), /expected an array/],
  ];
  for (const [name, run, message] of cases) {
    test(`${name} is told from the settings`, () => throws(run, message));
  }
});

test("vectors come out of the place where the response has its placeholder, wherever that is", () => {
  const step = fc.oneof(fc.nat({ max: 3 }), fc.string({ minLength: 1 }));
  const path = fc.array(step, { maxLength: 5 });
  const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 4 });
  const vectors = fc.array(vector, { minLength: 1, maxLength: 4 });
  const property = fc.property(path, fc.option(path), vectors, (inner, outer, expected) => {
    const unit = (leaf: unknown) => wrapped(leaf, inner);
    const sent = outer === null ? expected.slice(0, 1) : expected;
    const template =
      outer === null ? unit("{{embedding}}") : wrapped([unit("{{embedding}}"), "{{..}}"], outer);
    const answer = outer === null ? unit(sent[0]) : wrapped(sent.map(unit), outer);
    const found = extractVectors(response(template), answer, sent.length);
    deepEqual(
      found.map((one) => [...one]),
      sent,
    );
    deepEqual(fillTemplate(response(template), sent), answer);
  });
  fc.assert(property);
  equal(wrapped(1, []), 1);
});

/** A value below objects and arrays, so that `path` leads to it. */
function wrapped(leaf: unknown, path: readonly (string | number)[]): unknown {
  return path.reduceRight<unknown>((value, step) => {
    if (typeof step === "number") return [...new Array(step).fill(0), value];
    return Object.fromEntries([
      ["other", 0],
      [step, value],
    ]);
  }, leaf);
}
