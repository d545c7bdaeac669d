// Reads that nothing else ends are ended by the deadline of their request, and say so.
import { equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { SearchThread } from "../../src/engine/searchthread.ts";
import { addition, TestIndex } from "./index.ts";

const CACHE_BYTES = 4 * 2 ** 20;
const LISTING = { offset: 0, limit: 10, fields: null, ids: null, retrieveVectors: false };

test("a listing, with a filter or in an order, ends at the deadline of its request", () => {
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
  // Dumps and exports take as long as they take.
  equal(late.lines(handle, { from: 0, filter: null, bytesMax: 1000 }).length > 0, true);
  for (const thread of [late, inTime]) thread.close();
});
