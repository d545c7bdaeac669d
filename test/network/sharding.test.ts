// Documents spread over three servers: each keeps its own, tasks tell of the others, searches cover all.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, test } from "node:test";
import { ORIGIN_HEADER } from "../../src/network/sharedwrites.ts";
import { type House, openHouse } from "./house.ts";

interface Task {
  taskUid: number;
  uid: number;
  details: Record<string, unknown>;
  network?: { origin?: { remoteName: string; taskUid: number }; remotes?: Record<string, unknown> };
}

const COUNT = 60;
const documents = Array.from({ length: COUNT }, (_, i) => ({ ref: `d${i}`, id: i, n: i % 5 }));
const NAMES = ["a", "b", "c"];

let houses: House[];
before(async () => {
  houses = await Promise.all(NAMES.map(() => openHouse()));
  const urls = await Promise.all(houses.map((house) => house.listen()));
  const remotes = Object.fromEntries(NAMES.map((name, i) => [name, { url: `${urls[i]}/` }]));
  for (const [i, house] of houses.entries()) {
    await house.ask("PATCH /experimental-features", { network: true });
    await house.ask("PATCH /network", { self: NAMES[i], remotes, sharding: true });
    await house.ask("PATCH /indexes/things/settings", { filterableAttributes: ["n"] }, 202);
  }
});
after(() => Promise.all(houses.map((house) => house.close())));

const settled = () => Promise.all(houses.map(({ instance }) => instance.idle()));

async function write(line: string, json?: unknown): Promise<Task[]> {
  const [origin, ...others] = houses;
  const { taskUid } = await origin.ask<Task>(line, json, 202);
  await settled();
  const task = await origin.ask<Task>(`GET /tasks/${taskUid}`);
  const uids = Object.values(task.network?.remotes ?? {}).map(
    (one) => (one as { task_uid: number }).task_uid,
  );
  return [task, ...(await Promise.all(others.map((house, i) => house.ask<Task>(`GET /tasks/${uids[i]}`))))];
}

async function kept(): Promise<number[][]> {
  const lists = houses.map(async (house) => {
    const { results } = await house.ask<{ results: { id: number }[] }>(
      `GET /indexes/things/documents?limit=${COUNT}`,
    );
    return results.map(({ id }) => id);
  });
  return Promise.all(lists);
}

test("documents that one server gets are kept by their owners, and tasks tell of each other", async () => {
  const [task, ...others] = await write("POST /indexes/things/documents?primaryKey=id", documents);
  deepEqual(Object.keys(task.network?.remotes ?? {}), ["b", "c"]);
  for (const other of others) {
    deepEqual(other.network, { origin: { remoteName: "a", taskUid: task.uid } });
    equal(other.details.receivedDocuments, COUNT);
  }
  const lists = await kept();
  for (const ids of lists) ok(ids.length > COUNT / 6, `${ids.length}`);
  deepEqual(
    lists.flat().sort((x, y) => x - y),
    documents.map(({ id }) => id),
  );
  const indexed = [task, ...others].map(({ details }) => details.indexedDocuments as number);
  deepEqual(
    indexed,
    lists.map((ids) => ids.length),
  );
});

test("any server finds all documents, unless asked for its own", async () => {
  for (const house of houses) {
    const all = await house.ask<{ hits: object[]; estimatedTotalHits: number }>(
      "POST /indexes/things/search",
      {
        ...{ limit: COUNT, filter: "n = 2" },
      },
    );
    deepEqual([all.hits.length, all.estimatedTotalHits], [COUNT / 5, COUNT / 5]);
    const own = await house.ask<{ estimatedTotalHits: number; hits: { _federation?: object }[] }>(
      ...(["POST /indexes/things/search", { useNetwork: false }] as const),
    );
    ok(own.estimatedTotalHits < COUNT);
    equal(own.hits[0]._federation, undefined);
  }
});

test("a document that is replaced or updated stays with its owner", async () => {
  const lists = await kept();
  await write(
    "PUT /indexes/things/documents",
    documents.map(({ id }) => ({ id, more: "updated" })),
  );
  deepEqual(await kept(), lists);
  const { hits } = await houses[1].ask<{ hits: { n: number; more: string }[] }>("POST /multi-search", {
    ...{ federation: { limit: COUNT }, queries: [{ indexUid: "things", q: "updated" }] },
  });
  equal(hits.filter(({ n, more }) => n !== undefined && more === "updated").length, COUNT);
});

test("deletions reach every server", async () => {
  await write("POST /indexes/things/documents/delete-batch", [0, 1, 2, 3, 4]);
  await write("DELETE /indexes/things/documents/5");
  await write("POST /indexes/things/documents/delete", { filter: "n = 1" });
  const left = documents.filter(({ id, n }) => id > 5 && n !== 1).map(({ id }) => id);
  deepEqual(
    (await kept()).flat().sort((x, y) => x - y),
    left,
  );
  await write("DELETE /indexes/things/documents");
  deepEqual((await kept()).flat(), []);
});

test("a server that cannot be reached is told of in the task", async () => {
  const [origin] = houses;
  await origin.ask("PATCH /network", { remotes: { b: { url: "http://127.0.0.1:1" } } });
  const { taskUid } = await origin.ask<Task>("POST /indexes/things/documents", documents.slice(0, 3), 202);
  await settled();
  const { network } = await origin.ask<Task>(`GET /tasks/${taskUid}`);
  deepEqual(network?.remotes?.b, { error: "error sending request" });
  match(JSON.stringify(network?.remotes?.c), /^\{"task_uid":\d+\}$/);
});

test("a mark that no server has made is refused", async () => {
  const [origin] = houses;
  const ask = (mark: string) =>
    origin.ask<{ code: string }>("DELETE /indexes/things/documents", undefined, 400, {
      [ORIGIN_HEADER]: mark,
    });
  equal((await ask("{}")).code, "bad_request");
  equal((await ask("%")).code, "bad_request");
});
