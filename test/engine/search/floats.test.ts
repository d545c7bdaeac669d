// Scores, sort values and statistics of facets are floats in the text of an answer, counts are integers, and
// documents stay as they were sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SearchIndex } from "./searchindex.ts";

test("whole floats have a decimal point", () => {
  const index = new SearchIndex({
    filterableAttributes: ["year", "_geo"],
    sortableAttributes: ["year", "_geo"],
  });
  index.add([
    '{"id":1,"title":"red","year":1990,"weight":2,"_geo":{"lat":3,"lng":4}}',
    '{"id":2,"title":"sun"}',
  ]);
  const { text } = index.answer({
    q: "red",
    sort: ["year:desc", "_geoPoint(3,4):asc"],
    facets: ["year"],
    showRankingScoreDetails: true,
  });
  const parts = [
    '"year":1990,"weight":2,"_geo":{"lat":3,"lng":4}',
    '"_rankingScore":1.0',
    '"words":{"order":0,"matchingWords":1,"maxMatchingWords":1,"score":1.0}',
    '"value":1990.0}',
    '"value":{"lat":3.0,"lng":4.0},"distance":0.0}',
    '"_geoDistance":0',
    '"facetStats":{"year":{"min":1990.0,"max":1990.0}}',
  ];
  for (const part of parts) assert.ok(text.includes(part), `${part} in ${text}`);
  index.close();
});
