// Filters over random documents against a plain evaluator: in one segment and in many, with documents
// replaced and deleted, and after merges. FILTER_CASES: number of filters that are tried (default: a few
// seconds).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type PlainRing, shapeMeets } from "../twins/shapes.ts";
import { geojson, position, ring } from "./geojson.ts";
import { addition, found, TestIndex } from "./index.ts";
import { type Condition, type Document, filterOf, value } from "./naivefilters.ts";

const FILTERS_PER_INDEX = 12;
const CASES = Number(process.env.FILTER_CASES ?? 480);
const MILLISECONDS_MAX = process.env.FILTER_CASES ? undefined : 20_000;
const document: fc.Arbitrary<Document> = fc.record(
  { id: fc.nat(200), a: value, _geojson: fc.option(geojson) },
  { requiredKeys: ["id"] },
);

/** A filter on shapes, and the areas that it means. */
const meeting = (text: string, ...areas: PlainRing[][]): Condition => ({
  text,
  holds: ({ _geojson }) => areas.some((area) => shapeMeets(_geojson, area)),
});
const rectangle = (left: number, bottom: number, right: number, top: number): PlainRing[] => [
  [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
  ],
];
const shapeCondition: fc.Arbitrary<Condition> = fc.oneof(
  ring.map((area) => meeting(`_geoPolygon(${area.map(([lng, lat]) => `[${lat}, ${lng}]`)})`, [area])),
  fc.tuple(position, position).map(([[left, one], [right, other]]) => {
    const [bottom, top] = [Math.min(one, other), Math.max(one, other)];
    const text = `_geoBoundingBox([${top}, ${right}], [${bottom}, ${left}])`;
    if (left <= right) return meeting(text, rectangle(left, bottom, right, top));
    // Round the globe.
    const east = rectangle(left, bottom, right + 360, top);
    return meeting(text, east, rectangle(left - 360, bottom, right, top));
  }),
);

const filter = filterOf(shapeCondition);

/** So many documents that values have lists which are shorter than the column. */
const bulk = fc
  .array(value, { minLength: 100, maxLength: 150, size: "max" })
  .map((values) => values.map((a, id) => ({ id, a })));
const step = fc.oneof(
  fc.array(document, { minLength: 1, maxLength: 8 }),
  fc.array(fc.nat(200), { maxLength: 40 }).map((ids) => ({ ids })),
  bulk,
);

describe("filters", () => {
  it("let through what a plain evaluator does, over segments, deletions and merges", () => {
    const filters = fc.array(filter, { minLength: FILTERS_PER_INDEX, maxLength: FILTERS_PER_INDEX });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), filters, (steps, all) => {
        const index = new TestIndex();
        index.run([{ kind: "settings", patch: { filterableAttributes: ["a", "_geojson"] } }]);
        const known = new Map<number, Document>();
        for (const now of steps) {
          if (Array.isArray(now)) {
            index.run([addition(now.map((d) => JSON.stringify(d)))]);
            for (const d of now) known.set(d.id, d);
          } else {
            index.run([{ kind: "deleteIds", ids: now.ids.map(String) }]);
            for (const id of now.ids) known.delete(id);
          }
        }
        const check = () => {
          for (const { text, holds } of all) {
            const expected = [...known.values()].filter(holds).map(({ id }) => id);
            assert.deepEqual(
              found(index, text),
              expected.sort((a, b) => a - b),
              text,
            );
          }
        };
        check();
        if (index.mergeAll() > 0) check();
        index.close();
      }),
      { numRuns: Math.ceil(CASES / FILTERS_PER_INDEX), interruptAfterTimeLimit: MILLISECONDS_MAX },
    );
  });

  it("tell long texts apart that begin alike", () => {
    const index = new TestIndex();
    index.run([{ kind: "settings", patch: { filterableAttributes: ["a"] } }]);
    const long = "b".repeat(468);
    const texts = [
      long,
      `${long}b`,
      "b".repeat(300),
      "c",
      ` ${long.toUpperCase()}É `,
      `${long}É`,
      `${long}é!`,
    ];
    index.run([addition(texts.map((a, id) => JSON.stringify({ id, a })))]);
    assert.deepEqual(found(index, `a = "${texts[0]}"`), [0]);
    assert.deepEqual(found(index, `a = "${texts[1]}"`), [1]);
    assert.deepEqual(found(index, `a = "${texts[2]}"`), [2]);
    assert.deepEqual(found(index, `a = "${texts[5]}"`), [4, 5]);
    assert.deepEqual(found(index, `a IN ["${texts[1]}", "${texts[6]}"]`), [1, 6]);
    assert.deepEqual(found(index, `a != "${texts[1]}"`), [0, 2, 3, 4, 5, 6]);
    assert.deepEqual(found(index, `a > "${"b".repeat(450)}"`), [0, 1, 3, 4, 5, 6]);
    assert.deepEqual(found(index, `a STARTS WITH "${texts[2]}"`), [0, 1, 2, 4, 5, 6]);
    assert.deepEqual(found(index, `a STARTS WITH "${texts[1]}"`), [1]);
    const wide = "大".repeat(200);
    index.run([addition([JSON.stringify({ id: 7, a: wide })])]);
    assert.deepEqual(found(index, `a STARTS WITH "${wide}"`), [7]);
    index.close();
  });

  it("order long texts by their beginning, and find only what stands in it", () => {
    const index = new TestIndex();
    const patch = { filterableAttributes: ["a"], sortableAttributes: ["a"] };
    index.run([{ kind: "settings", patch }]);
    const z = (length: number, rest = "") => `${"z".repeat(length)}${rest}`;
    // The beginnings end in one byte, or before a character for which there is no room.
    const texts = [
      z(500),
      z(400),
      z(460),
      z(468),
      z(466, "éé"),
      z(465, "a"),
      z(466, "\u{10ffff}"),
      z(600, "a"),
    ];
    index.run([addition(texts.map((a, id) => JSON.stringify({ id, a })))]);
    const holding = (test: (text: string) => boolean) =>
      texts.flatMap((text, id) => (test(text.normalize("NFKD")) ? [id] : []));
    for (const part of [..."abcdefz0123456789\u0301", "\0", z(455), z(466), z(467), z(468)]) {
      const inBeginning = (text: string) => Buffer.from(text).subarray(0, 468).toString().includes(part);
      assert.deepEqual(found(index, `a CONTAINS "${part}"`), holding(inBeginning), part);
      assert.deepEqual(
        found(index, `a STARTS WITH "${part}"`),
        holding((text) => text.startsWith(part)),
        part,
      );
      const order = (text: string) => Buffer.compare(Buffer.from(text), Buffer.from(part));
      assert.deepEqual(
        found(index, `a > "${part}"`),
        holding((text) => order(text) > 0),
        part,
      );
      assert.deepEqual(
        found(index, `a <= "${part}"`),
        holding((text) => order(text) <= 0),
        part,
      );
    }
    // Those that begin as long alike count as equal.
    const alike = texts.flatMap((text, id) => (text.startsWith(z(469)) ? [id] : []));
    assert.deepEqual(found(index, `a ${z(500)} TO ${z(700)}`), alike);
    const behind = found(index, `a > ${z(500)}`);
    assert.deepEqual(found(index, `a >= ${z(500)}`), [...alike, ...behind].sort());
    index.close();
  });

  it("find a part wherever it stands in a text, however alike the rest is", () => {
    const letters = (lengths: { minLength: number; maxLength: number }) =>
      fc.string({ unit: fc.constantFrom("a", "b"), size: "max", ...lengths });
    const texts = fc.array(letters({ minLength: 0, maxLength: 70 }), { minLength: 40, maxLength: 40 });
    const parts = fc.array(letters({ minLength: 1, maxLength: 36 }), { minLength: 10, maxLength: 10 });
    const property = fc.property(texts, parts, fc.nat(30), (texts, parts, start) => {
      const index = new TestIndex();
      index.run([{ kind: "settings", patch: { filterableAttributes: ["a"] } }]);
      index.run([addition(texts.map((a, id) => JSON.stringify({ id, a })))]);
      for (const part of [...parts, ...texts.slice(0, 9).map((text) => text.slice(start) || "a")]) {
        const expected = texts.flatMap((text, id) => (text.includes(part) ? [id] : []));
        assert.deepEqual(found(index, `a CONTAINS "${part}"`), expected, part);
      }
      index.close();
    });
    fc.assert(property, { numRuns: 20 });
  });

  it("find nothing different from a value in a field that no document has", () => {
    const index = new TestIndex();
    index.run([{ kind: "settings", patch: { filterableAttributes: ["a", "b"] } }]);
    index.run([addition(['{"id":1,"a":1}', '{"id":2}'])]);
    assert.deepEqual(found(index, "b != 1"), []);
    assert.deepEqual(found(index, "NOT b = 1"), [1, 2]);
    assert.deepEqual(found(index, "a != 1"), [2]);
    index.close();
  });
});
