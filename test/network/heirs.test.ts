// Writes for a server that leaves the network before it got them: none of their documents is lost.
import { deepEqual, equal, match } from "node:assert/strict";
import { after, test } from "node:test";
import { type House, openHouse } from "./house.ts";
import { join, settled } from "./ring.ts";

interface Kept {
  id: number;
  v: number;
}

const NAMES = ["a", "b", "c"];
const COUNT = 90;
const documents = (v: number): Kept[] => Array.from({ length: COUNT }, (_, id) => ({ id, v }));

const houses: House[] = [];
after(() => Promise.all(houses.map((house) => house.close())));

async function kept(house: House): Promise<Kept[]> {
  const line = `GET /indexes/things/documents?useNetwork=false&limit=${COUNT}`;
  return (await house.ask<{ results: Kept[] }>(line)).results;
}

/** Three servers, the last of which is away, as the first two see it. */
async function open(): Promise<[House, House]> {
  const opened = await Promise.all(NAMES.map(() => openHouse()));
  houses.push(...opened);
  await join(opened, NAMES);
  const [a, b] = opened;
  for (const house of [a, b])
    await house.ask("PATCH /network", { remotes: { c: { url: "http://127.0.0.1:1" } } });
  return [a, b];
}

async function leave(a: House, b: House): Promise<Kept[]> {
  await Promise.all([a, b].map(({ instance }) => instance.idle()));
  for (const house of [b, a]) await house.ask("PATCH /network", { remotes: { c: null } });
  await settled([a, b]);
  return [...(await kept(a)), ...(await kept(b))].sort((x, y) => x.id - y.id);
}

test("its share of an addition is kept by the others, later changes too", async () => {
  const [a, b] = await open();
  const first = await a.ask("POST /indexes/things/documents?primaryKey=id", documents(1), 202);
  await a.ask("PUT /indexes/things/documents", documents(2).slice(0, 60), 202);
  const gone = Array.from({ length: 30 }, (_, i) => i);
  await a.ask("POST /indexes/things/documents/delete-batch", gone, 202);
  deepEqual(await leave(a, b), [...documents(2).slice(30, 60), ...documents(1).slice(60)]);
  const { network } = await a.ask<{ network: { remotes: { c: { error: string } } } }>(
    `GET /tasks/${first.taskUid}`,
  );
  match(network.remotes.c.error, /has left the network, task \d+ writes its share anew/);
});

test("what other servers keep is not written again", async () => {
  const [a, b] = await open();
  await a.ask("POST /indexes/things/documents?primaryKey=id", documents(1), 202);
  await settledBut(a, b);
  const held = await kept(b);
  // By another way than the first write came.
  await b.ask(
    "PUT /indexes/things/documents",
    held.map(({ id }) => ({ id, v: 2 })),
    202,
  );
  await settledBut(a, b);
  const all = await leave(a, b);
  equal(all.length, COUNT);
  deepEqual(
    all.filter(({ v }) => v === 2).map(({ id }) => id),
    held.map(({ id }) => id).sort((x, y) => x - y),
  );
});

test("documents that were all deleted do not come back", async () => {
  const [a, b] = await open();
  await a.ask("POST /indexes/things/documents?primaryKey=id", documents(1), 202);
  await a.ask("DELETE /indexes/things/documents", undefined, 202);
  deepEqual(await leave(a, b), []);
});

/** Waits until nothing is to be done, or sent to these two. */
async function settledBut(a: House, b: House): Promise<void> {
  const waits = (house: House, name: string) => house.instance.outgoing().nextFor(name) !== null;
  while (waits(a, "b") || waits(b, "a")) await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([a, b].map(({ instance }) => instance.idle()));
}
