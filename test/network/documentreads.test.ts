// Documents that are spread over three servers are read on each of them as if they were all there.
import { deepEqual, equal, ok } from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type Fixture, openFixture } from "./fixture.ts";
import { join, settled } from "./ring.ts";

interface Item {
  id: number;
  n: number;
  name?: string;
  parts?: (number | string)[];
}

interface Listing {
  results: Item[];
  offset: number;
  limit: number;
  total: number;
  remoteErrors?: Record<string, { code: string }>;
}

const COUNT = 50;
const items: Item[] = Array.from({ length: COUNT }, (_, i) => ({
  id: i,
  n: (i * 7) % 10,
  ...(i % 3 > 0 && { name: `Name ${(i * 13) % 17}` }),
  ...(i % 4 > 0 && { parts: i % 2 ? [i, 100 - i] : [`p${i}`] }),
}));
const NAMES = ["a", "b", "c"];

let fixtures: Fixture[];
/** The same documents in one place. */
let single: Fixture;
before(async () => {
  const settings = { filterableAttributes: ["n"] };
  single = await openFixture();
  await single.fill("items", items, settings);
  fixtures = await Promise.all(NAMES.map(() => openFixture()));
  await join(fixtures, NAMES);
  await fixtures[0].ask("PATCH /indexes/items/settings", settings, 202);
  await settled(fixtures);
  await fixtures[0].ask("POST /indexes/items/documents?primaryKey=id", items, 202);
  await settled(fixtures);
});
after(async () => {
  for (const fixture of [...fixtures, single]) await fixture.close();
});

const fetch = (fixture: Fixture, body: object): Promise<Listing> =>
  fixture.ask<Listing>("POST /indexes/items/documents/fetch", body);

const idsOf = ({ results }: Listing): number[] => results.map(({ id }) => id);

test("a listing of any server holds the documents of all, page by page and without holes", async () => {
  const orders: number[][] = [];
  for (const fixture of fixtures) {
    const ids: number[] = [];
    for (let offset = 0; offset < COUNT + 7; offset += 7) {
      const page = await fetch(fixture, { offset, limit: 7 });
      deepEqual([page.offset, page.limit, page.total, page.remoteErrors], [offset, 7, COUNT, {}]);
      for (const item of page.results) deepEqual(item, items[item.id]);
      ids.push(...idsOf(page));
    }
    orders.push(ids);
  }
  deepEqual(
    [...orders[0]].sort((x, y) => x - y),
    [...items.keys()],
  );
  deepEqual(orders[1], orders[0]);
  deepEqual(orders[2], orders[0]);
  const own = await fetch(fixtures[0], { useNetwork: false, limit: COUNT });
  ok(own.total > 0 && own.total < COUNT && own.remoteErrors === undefined);
});

test("a listing by distance is answered when any server has a place", async () => {
  const settings = { sortableAttributes: ["_geo", "id"] };
  const places = Array.from({ length: 6 }, (_, id) => ({
    id,
    ...(id === 4 && { _geo: { lat: 1, lng: 1 } }),
  }));
  await fixtures[0].ask("PATCH /indexes/places/settings", settings, 202);
  await settled(fixtures);
  await fixtures[0].ask("POST /indexes/places/documents?primaryKey=id", places, 202);
  await settled(fixtures);
  const own: boolean[] = [];
  for (const fixture of fixtures) {
    const url = "POST /indexes/places/documents/fetch";
    const query = { sort: ["_geoPoint(1,1):asc", "id:asc"] };
    deepEqual(idsOf(await fixture.ask<Listing>(url, query)), [4, 0, 1, 2, 3, 5]);
    const body = { sort: query.sort, useNetwork: false };
    const response = await fixture.app.inject({ method: "POST", url: url.slice(5), payload: body });
    own.push(response.statusCode === 200);
    if (response.statusCode !== 200) equal(response.json().code, "invalid_document_sort");
  }
  equal(own.filter(Boolean).length, 1);
});

test("a sorted listing is merged as one server sorts", async () => {
  const sorts = [["n:asc", "id:desc"], ["name:desc"], ["parts:asc", "n:desc"], ["parts:desc"], ["id:asc"]];
  await single.ask("PUT /indexes/items/settings/sortable-attributes", ["n", "name", "parts", "id"], 202);
  await single.instance.idle();
  await fixtures[1].ask("PUT /indexes/items/settings/sortable-attributes", ["n", "name", "parts", "id"], 202);
  await settled(fixtures);
  for (const sort of sorts) {
    for (const [offset, limit] of [
      [0, 5],
      [3, 20],
      [40, 2 ** 32 - 1],
    ]) {
      const query = { sort, offset, limit };
      const [merged, expected] = [await fetch(fixtures[2], query), await fetch(single, query)];
      // Of documents that are equal in what is sorted by, any may come first.
      const keys = (listing: Listing) =>
        listing.results.map((item) => sort.map((criterion) => bestOf(item, criterion)));
      deepEqual(keys(merged), keys(expected), `${sort} ${offset}`);
      equal(merged.total, COUNT);
    }
  }
});

/** What a document is sorted by. */
function bestOf(item: Item, criterion: string): unknown {
  const [name, direction] = criterion.split(":");
  const value = item[name as keyof Item];
  if (!Array.isArray(value) || value.length === 1) return value ?? null;
  return direction === "asc" ? Math.min(...(value as number[])) : Math.max(...(value as number[]));
}

test("filters, ids and fields hold for all servers", async () => {
  const some = await fetch(fixtures[1], { filter: "n = 3", fields: ["n"] });
  equal(some.total, items.filter(({ n }) => n === 3).length);
  equal(some.results.length, some.total);
  ok(some.results.every((item) => JSON.stringify(item) === '{"n":3}'));
  const chosen = await fetch(fixtures[1], { ids: [1, 2, 3, 4, 5, 999], filter: "n > 3" });
  deepEqual(
    idsOf(chosen).sort((x, y) => x - y),
    [1, 2, 3, 4, 5].filter((id) => items[id].n > 3),
  );
  const { total } = await fixtures[2].ask<Listing>("GET /indexes/items/documents?filter=n%3D3&limit=0");
  equal(total, some.total);
});

test("a document is found by its id wherever it is", async () => {
  for (const fixture of fixtures) {
    for (const { id } of items) deepEqual(await fixture.ask(`GET /indexes/items/documents/${id}`), items[id]);
    deepEqual(await fixture.ask("GET /indexes/items/documents/4?fields=n"), { n: items[4].n });
    await fixture.ask("GET /indexes/items/documents/999", undefined, 404);
    await fixture.ask("GET /indexes/items/documents/no%20id", undefined, 404);
  }
  const own = idsOf(await fetch(fixtures[0], { useNetwork: false, limit: COUNT }));
  const foreign = items.find(({ id }) => !own.includes(id))!.id;
  await fixtures[0].ask(`GET /indexes/items/documents/${foreign}?useNetwork=false`, undefined, 404);
});

test("numbers of documents elsewhere keep their digits", async () => {
  const text = '{"id":777,"n":12345678901234567890}';
  const type = { "content-type": "application/json" };
  await fixtures[0].app.inject({
    method: "POST",
    url: "/indexes/items/documents",
    headers: type,
    payload: text,
  });
  await settled(fixtures);
  for (const { app } of fixtures) {
    equal((await app.inject("/indexes/items/documents/777")).body, text);
    const url = "/indexes/items/documents?ids=777&sort=n:desc";
    ok((await app.inject(url)).body.startsWith(`{"results":[${text}],`));
  }
  await fixtures[1].ask("DELETE /indexes/items/documents/777", undefined, 202);
  await settled(fixtures);
});

test("vectors are read with the documents of all servers, in any order", async () => {
  const [fixture] = fixtures;
  const embedders = { e: { source: "userProvided", dimensions: 2 } };
  await fixture.ask("PATCH /indexes/vectors/settings", { embedders, sortableAttributes: ["id"] }, 202);
  const documents = Array.from({ length: 12 }, (_, id) => ({ id, _vectors: { e: [id, 1] } }));
  await fixture.ask("POST /indexes/vectors/documents?primaryKey=id", documents, 202);
  await settled(fixtures);
  const read = async (body: object) => {
    const query = { limit: 12, retrieveVectors: true, ...body };
    const { results } = await fixture.ask<Listing>("POST /indexes/vectors/documents/fetch", query);
    return results;
  };
  const expected = documents.map(({ id }) => {
    return { id, _vectors: { e: { embeddings: [[id, 1]], regenerate: false } } };
  });
  deepEqual(await read({ sort: ["id:asc"] }), expected);
  const unsorted = await read({ fields: ["id"] });
  deepEqual(
    unsorted.sort((a, b) => a.id - b.id),
    expected,
  );
});

test("a server that does not answer is told; its documents are not said to be nowhere", async () => {
  let answer = '{"results":[{}],"total":1}';
  let calls = Number.NEGATIVE_INFINITY;
  const broken = createServer((_request, response) => {
    if (++calls > 1) response.statusCode = 500;
    response.end(answer);
  });
  await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
  const [fixture] = fixtures;
  const { remotes } = await fixture.ask<{ remotes: Record<string, { url: string }> }>("GET /network");
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  try {
    await fixture.ask("PATCH /network", { remotes: { c: { url: "http://127.0.0.1:1" } } });
    const page = await fetch(fixture, { limit: COUNT });
    equal(page.remoteErrors?.c.code, "proxy_could_not_send_request");
    equal(page.results.length, page.total);
    ok(page.total > 0 && page.total < COUNT);
    await fixture.ask("GET /indexes/items/documents/999", undefined, 502);
    await fixture.ask("PATCH /network", { remotes: { c: { url } } });
    // Documents that are counted, but cannot be read, leave a hole that is told of.
    answer = '{"results":[],"total":3}';
    calls = 0;
    const holed = await fetch(fixture, { limit: COUNT });
    equal(holed.remoteErrors?.c.code, "proxy_remote_error");
    equal(holed.results.length, holed.total - 3);
    answer = '{"results":[{}],"total":1}';
    calls = Number.NEGATIVE_INFINITY;
    const sorted = await fetch(fixture, { sort: ["n:asc"] });
    equal(sorted.remoteErrors?.c.code, "proxy_bad_response");
    answer = '{"results":"[{","results":[],"total":0}';
    deepEqual((await fetch(fixture, { limit: COUNT })).remoteErrors, {});
    // A total that is not true costs nothing.
    answer = '{"results":[],"total":900000000000000}';
    const own = await fetch(fixture, { useNetwork: false, limit: 0 });
    ok((await fetch(fixture, { limit: 2 ** 32 - 1 })).results.length >= own.total);
  } finally {
    await fixture.ask("PATCH /network", { remotes: { c: { url: remotes.c.url } } });
    broken.closeAllConnections();
    broken.close();
  }
  await fixture.ask("POST /indexes/nothing/documents/fetch", {}, 404);
});
