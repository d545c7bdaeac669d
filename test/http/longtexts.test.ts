// Texts of requests and documents with long runs in them, which are gone through once. Once for each of
// their letters, they would take minutes of the thread that answers everybody: these tests would be out of
// time.
import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { facetText } from "../../src/engine/filter/facettext.ts";
import { shownUrl } from "../../src/http/failures.ts";
import { LEVELS, leastLevel, parseTarget } from "../../src/http/logtarget.ts";
import type { Access } from "../../src/operations/services.ts";
import { swapsOf } from "../../src/operations/swaps.ts";
import { splitCriteria } from "../../src/schemas/parameters.ts";
import { parseSize } from "../../src/sizes.ts";
import { isSlash, trimmed, withoutEnd } from "../../src/trimming.ts";

const MANY = 500_000;
const everything = { checkUse: () => {} } as unknown as Access;

describe("a text with a long run in it", { timeout: 20_000 }, () => {
  it("is trimmed at its ends only", () => {
    const inner = `a${"/".repeat(MANY)}b`;
    equal(trimmed(`//${inner}///`, isSlash), inner);
    equal(withoutEnd(`//${inner}///`, isSlash), `//${inner}`);
    deepEqual([trimmed("///", isSlash), trimmed("", isSlash), withoutEnd("///", isSlash)], ["", "", ""]);
  });

  it("is a value of a facet without the blanks around it", () => {
    const inner = `É${" \u3000\t".repeat(MANY)}b`;
    equal(facetText(`\u2028 ${inner}\u00a0\n`), inner.normalize("NFKD").toLowerCase());
    equal(facetText(" \t "), "");
  });

  it("is a URL that logs show without the values of keys", () => {
    const slashes = "/".repeat(MANY);
    equal(shownUrl(slashes), slashes.slice(0, 200));
    equal(shownUrl(`/keys${"/".repeat(50)}value/x`), `/keys${"/".repeat(50)}KEY/x`);
    equal(shownUrl(`/keys/keys/value${slashes}`).slice(0, 20), "/keys/KEY/KEY///////");
  });

  it("is no size", () => {
    equal(parseSize(`1${" ".repeat(MANY)}!`), undefined);
    equal(parseSize(` 1 ${" ".repeat(MANY)} kB `), 1000);
  });

  it("is a list of sort criteria", () => {
    const quotes = '"'.repeat(MANY);
    deepEqual(splitCriteria(`""a:asc, b${quotes}c:desc"`), ["a:asc", `b${quotes}c:desc`]);
    deepEqual(splitCriteria("_geoPoint(1, 2):asc,a:asc"), ["_geoPoint(1,2):asc", "a:asc"]);
    deepEqual(splitCriteria("a:asc,_geoPoint(1,b:desc"), ["a:asc", "_geoPoint(1,b:desc"]);
    deepEqual(splitCriteria("_geoPoint(1):asc,_geoPoint(1,2"), ["_geoPoint(1):asc", "_geoPoint(1,2"]);
    deepEqual(splitCriteria(`_geoPoint(${",".repeat(MANY)}`), [`_geoPoint(${",".repeat(MANY)}`]);
  });
});

describe("a long list", { timeout: 20_000 }, () => {
  it("of swaps names each index once", () => {
    const swaps = Array.from({ length: MANY }, (_, at) => ({ indexes: [`a${at}`, `b${at}`] }));
    equal(swapsOf(swaps, everything).length, MANY);
    throws(
      () => swapsOf([...swaps, { indexes: ["a7", "c"] }], everything),
      (error) => /`a7`/.test((error as Error).message),
    );
  });

  it("of parts of the log has a least level", () => {
    const parts = Array.from({ length: MANY }, (_, at) => `part${at}=warn`);
    equal(leastLevel(parseTarget(`error,${parts.join()}`)), LEVELS.warn);
  });
});
