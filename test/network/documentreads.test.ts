// Documents that are spread over three servers are read on each of them as if they were all there.
import { deepEqual, equal, ok } from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type House, openHouse } from "./house.ts";
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

let houses: House[];
/** The same documents in one place. */
let single: House;
before(async () => {
  const settings = { filterableAttributes: ["n"] };
  single = await openHouse();
  await single.fill("items", items, settings);
  houses = await Promise.all(NAMES.map(() => openHouse()));
  await join(houses, NAMES);
  await houses[0].ask("PATCH /indexes/items/settings", settings, 202);
  await settled(houses);
  await houses[0].ask("POST /indexes/items/documents?primaryKey=id", items, 202);
  await settled(houses);
});
after(async () => {
  for (const house of [...houses, single]) await house.close();
});

const fetch = (house: House, body: object): Promise<Listing> =>
  house.ask<Listing>("POST /indexes/items/documents/fetch", body);

const idsOf = ({ results }: Listing): number[] => results.map(({ id }) => id);

test("a listing of any server holds the documents of all, page by page and without holes", async () => {
  const orders: number[][] = [];
  for (const house of houses) {
    const ids: number[] = [];
    for (let offset = 0; offset < COUNT + 7; offset += 7) {
      const page = await fetch(house, { offset, limit: 7 });
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
  const own = await fetch(houses[0], { useNetwork: false, limit: COUNT });
  ok(own.total > 0 && own.total < COUNT && own.remoteErrors === undefined);
});

test("a listing by distance is answered when any server has a place", async () => {
  const settings = { sortableAttributes: ["_geo", "id"] };
  const places = Array.from({ length: 6 }, (_, id) => ({
    id,
    ...(id === 4 && { _geo: { lat: 1, lng: 1 } }),
  }));
  await houses[0].ask("PATCH /indexes/places/settings", settings, 202);
  await settled(houses);
  await houses[0].ask("POST /indexes/places/documents?primaryKey=id", places, 202);
  await settled(houses);
  const own: boolean[] = [];
  for (const house of houses) {
    const url = "POST /indexes/places/documents/fetch";
    const query = { sort: ["_geoPoint(1,1):asc", "id:asc"] };
    deepEqual(idsOf(await house.ask<Listing>(url, query)), [4, 0, 1, 2, 3, 5]);
    const body = { sort: query.sort, useNetwork: false };
    const response = await house.app.inject({ method: "POST", url: url.slice(5), payload: body });
    own.push(response.statusCode === 200);
    if (response.statusCode !== 200) equal(response.json().code, "invalid_document_sort");
  }
  equal(own.filter(Boolean).length, 1);
});

test("a sorted listing is merged as one server sorts", async () => {
  const sorts = [["n:asc", "id:desc"], ["name:desc"], ["parts:asc", "n:desc"], ["parts:desc"], ["id:asc"]];
  await single.ask("PUT /indexes/items/settings/sortable-attributes", ["n", "name", "parts", "id"], 202);
  await single.instance.idle();
  await houses[1].ask("PUT /indexes/items/settings/sortable-attributes", ["n", "name", "parts", "id"], 202);
  await settled(houses);
  for (const sort of sorts) {
    for (const [offset, limit] of [
      [0, 5],
      [3, 20],
      [40, 2 ** 32 - 1],
    ]) {
      const query = { sort, offset, limit };
      const [merged, expected] = [await fetch(houses[2], query), await fetch(single, query)];
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
  const some = await fetch(houses[1], { filter: "n = 3", fields: ["n"] });
  equal(some.total, items.filter(({ n }) => n === 3).length);
  equal(some.results.length, some.total);
  ok(some.results.every((item) => JSON.stringify(item) === '{"n":3}'));
  const chosen = await fetch(houses[1], { ids: [1, 2, 3, 4, 5, 999], filter: "n > 3" });
  deepEqual(
    idsOf(chosen).sort((x, y) => x - y),
    [1, 2, 3, 4, 5].filter((id) => items[id].n > 3),
  );
  const { total } = await houses[2].ask<Listing>("GET /indexes/items/documents?filter=n%3D3&limit=0");
  equal(total, some.total);
});

test("a document is found by its id wherever it is", async () => {
  for (const house of houses) {
    for (const { id } of items) deepEqual(await house.ask(`GET /indexes/items/documents/${id}`), items[id]);
    deepEqual(await house.ask("GET /indexes/items/documents/4?fields=n"), { n: items[4].n });
    await house.ask("GET /indexes/items/documents/999", undefined, 404);
    await house.ask("GET /indexes/items/documents/no%20id", undefined, 404);
  }
  const own = idsOf(await fetch(houses[0], { useNetwork: false, limit: COUNT }));
  const foreign = items.find(({ id }) => !own.includes(id))!.id;
  await houses[0].ask(`GET /indexes/items/documents/${foreign}?useNetwork=false`, undefined, 404);
});

test("numbers of documents elsewhere keep their digits", async () => {
  const text = '{"id":777,"n":12345678901234567890}';
  const type = { "content-type": "application/json" };
  await houses[0].app.inject({
    method: "POST",
    url: "/indexes/items/documents",
    headers: type,
    payload: text,
  });
  await settled(houses);
  for (const { app } of houses) {
    equal((await app.inject("/indexes/items/documents/777")).body, text);
    const url = "/indexes/items/documents?ids=777&sort=n:desc";
    ok((await app.inject(url)).body.startsWith(`{"results":[${text}],`));
  }
  await houses[1].ask("DELETE /indexes/items/documents/777", undefined, 202);
  await settled(houses);
});

test("vectors are read with the documents of all servers, in any order", async () => {
  const [house] = houses;
  const embedders = { e: { source: "userProvided", dimensions: 2 } };
  await house.ask("PATCH /indexes/vectors/settings", { embedders, sortableAttributes: ["id"] }, 202);
  const documents = Array.from({ length: 12 }, (_, id) => ({ id, _vectors: { e: [id, 1] } }));
  await house.ask("POST /indexes/vectors/documents?primaryKey=id", documents, 202);
  await settled(houses);
  const read = async (body: object) => {
    const query = { limit: 12, retrieveVectors: true, ...body };
    const { results } = await house.ask<Listing>("POST /indexes/vectors/documents/fetch", query);
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
  const [house] = houses;
  const { remotes } = await house.ask<{ remotes: Record<string, { url: string }> }>("GET /network");
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  try {
    await house.ask("PATCH /network", { remotes: { c: { url: "http://127.0.0.1:1" } } });
    const page = await fetch(house, { limit: COUNT });
    equal(page.remoteErrors?.c.code, "proxy_could_not_send_request");
    equal(page.results.length, page.total);
    ok(page.total > 0 && page.total < COUNT);
    await house.ask("GET /indexes/items/documents/999", undefined, 502);
    await house.ask("PATCH /network", { remotes: { c: { url } } });
    // Documents that are counted, but cannot be read, leave a hole that is told of.
    answer = '{"results":[],"total":3}';
    calls = 0;
    const holed = await fetch(house, { limit: COUNT });
    equal(holed.remoteErrors?.c.code, "proxy_remote_error");
    equal(holed.results.length, holed.total - 3);
    answer = '{"results":[{}],"total":1}';
    calls = Number.NEGATIVE_INFINITY;
    const sorted = await fetch(house, { sort: ["n:asc"] });
    equal(sorted.remoteErrors?.c.code, "proxy_bad_response");
    answer = '{"results":"[{","results":[],"total":0}';
    deepEqual((await fetch(house, { limit: COUNT })).remoteErrors, {});
    // A total that is not true costs nothing.
    answer = '{"results":[],"total":900000000000000}';
    const own = await fetch(house, { useNetwork: false, limit: 0 });
    ok((await fetch(house, { limit: 2 ** 32 - 1 })).results.length >= own.total);
  } finally {
    await house.ask("PATCH /network", { remotes: { c: { url: remotes.c.url } } });
    broken.closeAllConnections();
    broken.close();
  }
  await house.ask("POST /indexes/nothing/documents/fetch", {}, 404);
});
