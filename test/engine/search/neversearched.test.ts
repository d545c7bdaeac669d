// Fields that no word is found in, whatever the settings say: places and vectors.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { SearchIndex } from "./searchindex.ts";

const PLACED = { id: "a", name: "cafe 7", _geo: { lat: 48.85, lng: 2.35 } };
const SHAPED = { id: "b", name: "bar", _geojson: { type: "Point", coordinates: [47, 9] } };

const SETTINGS: SettingsPatch[] = [
  {},
  { filterableAttributes: ["_geo", "_geojson"], sortableAttributes: ["_geo"] },
  { searchableAttributes: ["name", "_geo", "_geojson", "_geo.lat"] },
];

for (const settings of SETTINGS) {
  test(`words do not find places with ${JSON.stringify(settings)}`, () => {
    const index = new SearchIndex(settings);
    index.add([PLACED, SHAPED]);
    const found = (q: string) => index.search({ q }).hits.map(({ id }) => id as unknown);
    for (const q of ["4", "48", "2.35", "point", "9"]) deepEqual(found(q), [], q);
    deepEqual([found("7"), found("bar")], [["a"], ["b"]]);
    index.close();
  });
}
