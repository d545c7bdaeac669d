// Reads that nothing else ends are ended by the deadline of their request, and say so.
import { equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { SearchThread } from "../../src/engine/searchthread.ts";
import { searchQueryOf } from "../../src/schemas/search.ts";
import { addition, TestIndex } from "./index.ts";

const CACHE_BYTES = 4 * 2 ** 20;
const LISTING = { offset: 0, limit: 10, fields: null, ids: null, retrieveVectors: false };

test("a listing, with a filter or in an order, and facets end at the deadline of its request", () => {
  const index = new TestIndex();
  const patch = { sortableAttributes: ["a"], filterableAttributes: ["a"] };
  index.run([{ kind: "settings", patch }]);
  index.run([addition(Array.from({ length: 50 }, (_, id) => JSON.stringify({ id, a: id % 7 })))]);
  const handle = { folder: index.folder, indexUid: "i", version: index.state.version };
  const queries = [
    { ...LISTING, filter: null, sort: null },
    { ...LISTING, filter: "a IN [1, 2, 3]", sort: null },
    { ...LISTING, filter: null, sort: ["a:desc"] },
  ];
  const late = new SearchThread(index.storage, CACHE_BYTES, 0);
  const inTime = new SearchThread(index.storage, CACHE_BYTES);
  for (const query of queries) {
    throws(() => late.documents(handle, query), { code: "request_timeout", status: 503 });
    equal(JSON.parse(Buffer.from(inTime.documents(handle, query)).toString()).results.length, 10);
  }
  const counting = searchQueryOf({ facets: ["a"] }, "request", null);
  throws(() => late.search(handle, counting), { code: "request_timeout", status: 503 });
  equal(typeof inTime.search(handle, counting), "object");
  // Dumps and exports take as long as they take.
  equal(late.lines(handle, { from: 0, filter: null, bytesMax: 1000 }).length > 0, true);
  for (const thread of [late, inTime]) thread.close();
});

test("a filter of very many values ends at the deadline, too, amid them", (context) => {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { filterableAttributes: ["a"] } }]);
  index.run([addition(['{"id":1,"a":1}'])]);
  const handle = { folder: index.folder, indexUid: "i", version: index.state.version };
  const thread = new SearchThread(index.storage, CACHE_BYTES, 500);
  // A millisecond passes between two looks at the clock.
  let now = 0;
  context.mock.method(performance, "now", () => now++);
  const listing = (values: number) => ({ ...LISTING, filter: `a IN [${"1,".repeat(values)}]`, sort: null });
  equal(JSON.parse(Buffer.from(thread.documents(handle, listing(100))).toString()).results.length, 1);
  throws(() => thread.documents(handle, listing(1000)), { code: "request_timeout" });
  thread.close();
});
