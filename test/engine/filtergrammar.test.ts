// The corners of the grammar of filters: what is read, and what is refused.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseFilter } from "../../src/engine/filter/parse.ts";

const isRead = (filter: string): boolean => {
  try {
    parseFilter(filter, "invalid_search_filter");
    return true;
  } catch (error) {
    assert.equal((error as { code: string }).code, "invalid_search_filter", filter);
    return false;
  }
};

const nested = (depth: number) => `${"(".repeat(depth)}x = 1${")".repeat(depth)}`;

const accepted = [
  nested(36),
  `${"NOT ".repeat(147)}x = 1`,
  "_geoRadius(+0, -0.5, 1)",
  "_geoRadius(0,0,1E+2)",
  "_geoBoundingBox([+1, 1.], [.5, 0])",
  '"_geo" = 1',
  "x = '_geo'",
  "x = _geographic",
  "_vectors.'my emb' EXISTS",
  '_vectors."my emb".fragments."a b" EXISTS',
  "_vectors.e NOT EXISTS",
];
const refused = [
  nested(37),
  `${"NOT ".repeat(148)}x = 1`,
  "_geoRadius('0', 0, 1)",
  "_geoRadius(++0, 0, 1)",
  "_geoRadius(1e, 0, 1)",
  "_geoRadius(, 0, 1)",
  "_geo = 1",
  "x = _geo",
  "x IN [_geo]",
  "_geoPointless = 1",
  "_geoDistance > 1",
  "x = _geoPoint(1, 2)",
  '_vectors.e."userProvided" EXISTS',
  '_vectors."e"EXISTS',
  "_vectors.'e EXISTS",
];

describe("the grammar of filters", () => {
  for (const filter of accepted)
    it(`has ${filter.slice(0, 60)}`, () => assert.equal(isRead(filter), true, filter));
  for (const filter of refused)
    it(`has no ${filter.slice(0, 60)}`, () => assert.equal(isRead(filter), false, filter));
});

it("a circle has 125 corners for shapes, or as many as it says, from 3 to 1000", () => {
  const resolutionOf = (more: string) => {
    const filter = parseFilter(`_geoRadius(1, 2, 3${more})`, "invalid_search_filter");
    return filter?.kind === "radius" ? filter.resolution : null;
  };
  const read = ["", ", 3", ", 3.9", ", 1000"].map(resolutionOf);
  assert.deepEqual(read, [125, 3, 3, 1000]);
  assert.throws(() => resolutionOf(", 1000.1"), { message: /must be from 3 to 1000, but is `1000\.1`/ });
});
