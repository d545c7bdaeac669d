// Sorted listings against a plain sort: numbers before texts, missing values last, ties by docid; over
// several segments, more documents than one stretch of a selection takes, and by the distance from a point.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { distanceBetween } from "../../src/engine/filter/geo.ts";
import { compareValues, twinColumns } from "../twins/columns.ts";
import { addition, TestIndex } from "./index.ts";

const LISTED_MOST = 100_000;
type Document = { id: number; [name: string]: unknown };

function openIndex(parts: readonly Document[][]): TestIndex {
  const index = new TestIndex();
  index.run([
    { kind: "settings", patch: { sortableAttributes: ["a", "b", "_geo"], filterableAttributes: ["b"] } },
  ]);
  for (const part of parts) {
    if (part.length > 0) index.run([addition(part.map((document) => JSON.stringify(document)))]);
  }
  return index;
}

/** Ids in the order of a listing. */
function listed(index: TestIndex, sort: string[], filter: string | null = null): number[] {
  const query = {
    offset: 0,
    limit: LISTED_MOST,
    fields: ["id"],
    ids: null,
    retrieveVectors: false,
    filter,
    sort,
  };
  const handle = { folder: index.folder, indexUid: "i", version: index.state.version };
  const answer = JSON.parse(Buffer.from(index.searcher.documents(handle, query)).toString()) as {
    results: Document[];
  };
  return answer.results.map(({ id }) => id);
}

/** Documents of the index in order of their docids. */
const documentsOf = ({ model }: TestIndex): Document[] =>
  model.docids.map((docid) => {
    const members = [...model.documents.get(docid)!.document];
    return JSON.parse(
      `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`,
    ) as Document;
  });

/** The value by which a document stands, or null. */
function bestValue(document: Document, name: string, isDown: boolean): string | null {
  const values = (twinColumns(JSON.stringify(document), (one) => one === name).get(name) ?? []).filter(
    (value) => !["bare", "null", "empty"].includes(value),
  );
  const best = values.filter((value) => value[0] === values[0][0]);
  return best.at(isDown ? -1 : 0) ?? null;
}

function compareBy(name: string, isDown: boolean) {
  return (one: Document, other: Document): number => {
    const [a, b] = [bestValue(one, name, isDown), bestValue(other, name, isDown)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = compareValues(a, b);
    return isDown && a[0] === b[0] ? -order : order;
  };
}

const scalar = fc.constantFrom<unknown>(0, 1, 2, 10, -3, 1.5, "x", "X", "é", "10", true, null, "");
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const document = fc.record(
  { id: fc.nat(60), a: value, b: value },
  { requiredKeys: ["id"] },
) as fc.Arbitrary<Document>;
const criterion = fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom("asc", "desc"));

describe("a sort", () => {
  it("gives the order of a plain one, over segments and after merges", () => {
    const parts = fc.array(fc.array(document, { maxLength: 20 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        parts,
        fc.uniqueArray(criterion, { minLength: 1, maxLength: 2, selector: ([name]) => name }),
        (all, criteria) => {
          const index = openIndex(all);
          const sort = criteria.map(([name, direction]) => `${name}:${direction}`);
          const compare = () => {
            const expected = documentsOf(index).sort((one, other) => {
              for (const [name, direction] of criteria) {
                const order = compareBy(name, direction === "desc")(one, other);
                if (order !== 0) return order;
              }
              return 0;
            });
            assert.deepEqual(
              listed(index, sort),
              expected.map(({ id }) => id),
            );
          };
          compare();
          if (index.mergeAll() > 0) compare();
          index.close();
        },
      ),
      { numRuns: 60, interruptAfterTimeLimit: 20_000 },
    );
  });

  it("goes through all stretches of many documents", () => {
    const documents = Array.from({ length: 4000 }, (_, id) => ({
      id,
      a: (id * 7919) % 1777,
      b: `n ${(id * 31) % 997}`,
    }));
    const index = openIndex([documents.slice(0, 2500), documents.slice(2500)]);
    index.run([
      { kind: "deleteIds", ids: documents.filter(({ id }) => id % 5 === 0).map(({ id }) => String(id)) },
    ]);
    for (const [name, direction] of [
      ["a", "asc"],
      ["a", "desc"],
      ["b", "asc"],
      ["b", "desc"],
    ] as const) {
      const expected = documentsOf(index).sort(compareBy(name, direction === "desc"));
      assert.deepEqual(
        listed(index, [`${name}:${direction}`]),
        expected.map(({ id }) => id),
      );
    }
    const few = documentsOf(index)
      .filter(({ b }) => String(b) < "n 2")
      .sort(compareBy("a", true));
    assert.deepEqual(
      listed(index, ["a:desc"], 'b < "n 2"'),
      few.map(({ id }) => id),
    );
    index.close();
  });

  it("by two fields goes to the end of many documents, nearly as many as values of the first field", () => {
    const length = 60_000;
    const documents = Array.from({ length }, (_, id) => {
      const b = id % 3 === 0 ? null : (id * 7919) % 997;
      return { id, a: ((id * 7919) % length) >> 1, b };
    });
    const index = openIndex([documents.slice(0, 40_000), documents.slice(40_000)]);
    index.run([{ kind: "deleteIds", ids: ["5", "17", "40004"] }]);
    const ids = [...documents]
      .filter(({ id }) => ![5, 17, 40_004].includes(id))
      .sort((one, other) => one.a - other.a || (other.b ?? -1) - (one.b ?? -1) || one.id - other.id)
      .map(({ id }) => id);
    assert.deepEqual(listed(index, ["a:asc", "b:desc"]), ids);
    index.close();
  });

  it("by a field, then by distance, is the sort by distance of each group", () => {
    const documents = Array.from({ length: 3000 }, (_, id) => {
      const _geo = id % 7 === 0 ? null : { lat: ((id * 7919) % 1800) / 10 - 90, lng: (id % 3600) / 10 - 180 };
      return { id, a: id % 2 === 0 ? 0 : id % 60, _geo };
    });
    const index = openIndex([documents.slice(0, 1200), documents.slice(1200, 2900), documents.slice(2900)]);
    index.run([addition(documents.slice(0, 50).map((document) => JSON.stringify(document)))]);
    const order = documentsOf(index) as typeof documents;
    const groups = [...new Set(order.map(({ a }) => a))].sort((one, other) => one - other);
    for (const isDown of [false, true]) {
      const expected = groups.flatMap((group) => {
        const members = order.filter(({ a }) => a === group);
        return expectedByDistance(members, [12, 34], isDown);
      });
      const sort = `_geoPoint(12,34):${isDown ? "desc" : "asc"}`;
      assert.deepEqual(listed(index, ["a:asc", sort]), expected);
    }
    index.close();
  });

  it("by distance orders what lies densely as one list, though it is picked in stretches", () => {
    // A document every 4 mm or so, in no order: a stretch ends in the middle of a metre.
    const all = Array.from({ length: 900 }, (_, id) => {
      return { id, _geo: { lat: 10 + ((id * 7919) % 900) * 4e-8, lng: 20 } };
    });
    const index = openIndex([all.slice(0, 400), all.slice(400)]);
    for (const isDown of [false, true]) {
      const sort = `_geoPoint(10,20):${isDown ? "desc" : "asc"}`;
      assert.deepEqual(listed(index, [sort]), expectedByDistance(all, [10, 20], isDown));
    }
    index.close();
  });

  it("by distance gives buckets of a metre, nearest or farthest first, missing locations last", () => {
    const degrees = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    const near = degrees.map(({ lat, lng }) => ({ lat: 10 + lat * 1e-7, lng: 179.9999 + lng * 1e-7 }));
    const place = fc.oneof(degrees, near, fc.constantFrom({ lat: -10, lng: 0 }, { lat: 90, lng: 0 }, null));
    const many = fc
      .constantFrom(20, 600, 1500)
      .chain((length) => fc.array(place, { minLength: length, maxLength: length, size: "max" }));
    fc.assert(
      fc.property(many, fc.oneof(degrees, near), fc.boolean(), (places, center, isDown) => {
        const all = places.map((_geo, id) => ({ id, _geo }));
        const index = openIndex([all.slice(0, places.length >> 1), all.slice(places.length >> 1)]);
        const degreesText = [center.lat.toFixed(12), center.lng.toFixed(12)];
        const sort = `_geoPoint(${degreesText.join()}):${isDown ? "desc" : "asc"}`;
        const from = [Number(degreesText[0]), Number(degreesText[1])] as const;
        assert.deepEqual(listed(index, [sort]), expectedByDistance(all, from, isDown));
        index.close();
      }),
      { numRuns: 12, interruptAfterTimeLimit: 20_000 },
    );
  });
});

it("a listing goes by the distance from a place on the globe only", () => {
  const index = openIndex([[{ id: 1, _geo: { lat: 1, lng: 2 } }]]);
  const refused = (degrees: string, message: RegExp) =>
    assert.throws(() => listed(index, [`_geoPoint(${degrees}):asc`]), { message }, degrees);
  refused("90.1, 0", /^Bad latitude `90\.1`.* Found in the sort parameter `_geoPoint\(90\.1, 0\)/);
  refused("0, -181", /^Bad longitude `-181`.*try using `179` instead/);
  refused("91, 181", /^Bad latitude `91`/);
  assert.deepEqual(listed(index, ["_geoPoint(-90, 180):asc"]), [1]);
  index.close();
});

function expectedByDistance(
  all: readonly { id: number; _geo: { lat: number; lng: number } | null }[],
  from: readonly [number, number],
  isDown: boolean,
): number[] {
  const measure = all.length < 1000 ? Math.trunc : (meters: number) => meters;
  const sign = isDown ? -1 : 1;
  const located = all
    .flatMap(({ id, _geo }) => (_geo ? [{ id, meters: distanceBetween(from, [_geo.lat, _geo.lng]) }] : []))
    .sort((a, b) => sign * (measure(a.meters) - measure(b.meters) || a.id - b.id));
  const ids: number[] = [];
  for (let i = 0; i < located.length; ) {
    const first = located[i];
    const bucket: number[] = [];
    for (; i < located.length && bucket.length < 1000; i++) {
      if (Math.abs(located[i].meters - first.meters) > 1) break;
      bucket.push(located[i].id);
    }
    ids.push(...bucket.sort((a, b) => a - b));
  }
  return [...ids, ...all.flatMap(({ id, _geo }) => (_geo ? [] : [id]))];
}
