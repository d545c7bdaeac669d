// What settings that speak of `_geo` mean to documents that are there already.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SettingsPatch } from "../../src/schemas/settings.ts";
import { addition, listed, TestIndex } from "./index.ts";

const places = ['{"id":1,"_geo":{"lat":50,"lng":8}}', '{"id":2}', '{"id":3,"_geo":{"lat":"10","lng":"8"}}'];
const near = "_geoRadius(50, 8, 1000)";
const byDistance = ["_geoPoint(10, 8):asc"];
const refused = { code: "invalid_document_filter" };
const features = { facetSearch: true, filter: { equality: true, comparison: true } };

function indexOf(documents: string[]): TestIndex {
  const index = new TestIndex();
  index.run([addition(documents)]);
  return index;
}
const change = (index: TestIndex, patch: SettingsPatch) => index.run([{ kind: "settings", patch }]);

describe("a condition about `_geo`", () => {
  it("has no comma behind its last part, unless it is a polygon", () => {
    const index = indexOf(places);
    change(index, { filterableAttributes: ["_geo", "_geojson"] });
    const box = "_geoBoundingBox([51, 9], [49, 7]";
    const polygon = "_geoPolygon([49, 7], [51, 7], [51, 9], [49, 9]";
    for (const filter of [near, `${box})`, "_geoRadius(50, 8, 1000, 3)"])
      assert.deepEqual(listed(index, { filter }), [1], filter);
    for (const filter of [`${polygon})`, `${polygon}, )`]) assert.deepEqual(listed(index, { filter }), []);
    const wrong = [`${box},)`, `${polygon},,)`, "_geoRadius(50, 8, 1000,)", "_geoRadius(50, 8, 1000, 3 , )"];
    for (const filter of [...wrong, "_geoRadius()", "_geoRadius(50 8, 1000)", "_geoRadius(50, 8, 1000"])
      assert.throws(() => listed(index, { filter }), refused, filter);
    index.close();
  });
});

describe("a listing by distance", () => {
  const unplaced = { code: "invalid_document_sort", message: /`_geo` is not sortable/ };
  const sort = byDistance;

  it("is refused as long as no document ever had a place", () => {
    const index = new TestIndex();
    change(index, { sortableAttributes: ["_geo", "id"] });
    assert.throws(() => listed(index, { sort }), unplaced);
    index.run([addition(['{"id":1}', '{"id":2,"a":{"_geo":{"lat":1,"lng":1}},"_geographic":1}'])]);
    assert.throws(() => listed(index, { sort }), unplaced);
    assert.throws(() => listed(index, { sort: ["id:asc", ...sort] }), unplaced);
    assert.deepEqual(listed(index, { sort: ["id:desc"] }), [2, 1]);
    // Another server of a network may have places.
    assert.deepEqual(listed(index, { sort, isPart: true }), [1, 2]);
    index.close();
  });

  it("is answered from the first place on, also when nobody has one any more", () => {
    const index = indexOf(['{"id":1}', '{"id":2}']);
    change(index, { sortableAttributes: ["_geo"] });
    index.run([addition(['{"id":3,"_geo":{"lat":10,"lng":8}}'])]);
    assert.deepEqual(listed(index, { sort }), [3, 1, 2]);
    index.run([{ kind: "deleteIds", ids: ["3"] }]);
    assert.deepEqual(listed(index, { sort }), [1, 2]);
    index.mergeAll("whole");
    index.reopen();
    assert.deepEqual(listed(index, { sort }), [1, 2]);
    index.close();
  });

  it("is told to be wrong by the settings first, then by its places", () => {
    const index = indexOf(['{"id":1}']);
    const message = /does not have configured sortable attributes/;
    assert.throws(() => listed(index, { sort }), { code: "invalid_document_sort", message });
    change(index, { sortableAttributes: ["_geo"] });
    assert.throws(() => listed(index, { sort, filter: near }), refused);
    index.close();
  });
});

describe("settings that speak of `_geo`", () => {
  it("find the locations of documents that are there", () => {
    const index = indexOf(places);
    change(index, { sortableAttributes: ["_geo"] });
    assert.deepEqual(listed(index, { sort: byDistance }), [3, 1, 2]);
    assert.throws(() => listed(index, { filter: near }), refused);
    change(index, { filterableAttributes: ["id"] });
    assert.deepEqual(listed(index, { sort: byDistance }), [3, 1, 2]);
    change(index, { sortableAttributes: [], filterableAttributes: ["_geo"] });
    assert.deepEqual(listed(index, { filter: near }), [1]);
    change(index, { filterableAttributes: [] });
    change(index, { filterableAttributes: ["_geo"], stopWords: ["a"] });
    assert.deepEqual(listed(index, { filter: near }), [1]);
    index.close();
  });

  it("make numbers of degrees that are written as texts", () => {
    const texts = ['{"id":1,"_geo":{"lat":"10.5","lng":"-20"}}', '{"id":2,"_geo":{"lat":9,"lng":"3e0"}}'];
    const lat = { filterableAttributes: ["_geo.lat"], sortableAttributes: [] };
    const located = { filterableAttributes: ["_geo"], sortableAttributes: ["_geo"] };
    const index = indexOf([...texts, '{"id":3,"_geo":null}', '{"id":4,"a":{"_geo":{"lat":"12"}}}']);
    for (const patch of [lat, located, lat, located]) {
      change(index, patch);
      // Without locations `_geo.lat` is a field like any other.
      assert.deepEqual(
        listed(index, { filter: "_geo.lat < 10.6 AND _geo.lat > 9.5" }),
        patch === lat ? [] : [1],
      );
      assert.deepEqual(listed(index, { filter: "_geo.lat = 10.5" }), [1]);
      if (patch === lat) continue;
      assert.deepEqual(listed(index, { filter: "_geo.lng = 3" }), [2]);
      assert.deepEqual(listed(index, { sort: ["_geo.lat:desc"] }), [1, 2, 3, 4]);
    }
    index.run([addition(['{"id":5,"_geo":{"lat":"\\u0031\\u0031","lng":0}}'])]);
    assert.deepEqual(listed(index, { sort: ["_geo.lat:desc"] }), [5, 1, 2, 3, 4]);
    index.close();
  });

  it("mean locations by the plain name only, not by a pattern", () => {
    const index = indexOf([...places, '{"id":4,"_geo":"nowhere"}']);
    change(index, { filterableAttributes: [{ attributePatterns: ["_geo*"], features }] });
    assert.throws(() => listed(index, { filter: near }), refused);
    assert.deepEqual(listed(index, { filter: "_geo.lat = 50" }), [1]);
    index.run([{ kind: "deleteIds", ids: ["4"] }]);
    change(index, { sortableAttributes: ["_geo"] });
    assert.deepEqual(listed(index, { sort: byDistance }), [3, 1, 2]);
    assert.throws(() => listed(index, { filter: near }), refused);
    index.close();
  });

  it("are refused while a document has something else there", () => {
    for (const more of [{}, { stopWords: ["a"] }]) {
      const index = indexOf([...places, '{"id":4,"_geo":"nowhere"}']);
      const before = index.state;
      const geo = { sortableAttributes: ["_geo"], ...more };
      assert.throws(() => change(index, geo), { code: "invalid_document_geo_field", message: /"?4"?/ });
      assert.deepEqual(index.state, before);
      // What the same batch replaces does not count.
      index.run([addition(['{"id":4,"_geo":null}']), { kind: "settings", patch: geo }]);
      assert.deepEqual(listed(index, { sort: byDistance }), [3, 1, 2, 4]);
      index.close();
    }
  });

  it("refuse texts that are no decimal numbers, and name every one", () => {
    const index = indexOf(places);
    change(index, { sortableAttributes: ["_geo"] });
    for (const text of [" 1", "0x10", "", "inf", "1_0"]) {
      const document = JSON.stringify({ id: 4, _geo: { lat: text, lng: "+.5E1" } });
      assert.throws(() => index.run([addition([document])]), { code: "invalid_document_geo_field" }, text);
    }
    const both = () => index.run([addition(['{"id":4,"_geo":{"lat":"north","lng":true}}'])]);
    assert.throws(both, { message: /`lat` is "north" and `lng` is true, which are not finite numbers/ });
    index.run([addition(['{"id":4,"_geo":{"lat":"1.","lng":"-.5e1"}}'])]);
  });
});
