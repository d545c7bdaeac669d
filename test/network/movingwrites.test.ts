// Servers that come and go while documents are written: no write is lost or undone, and nothing is left where
// nobody looks for it.
import { deepEqual, equal, match } from "node:assert/strict";
import { after, test } from "node:test";
import { ownerOf } from "../../src/engine/shard.ts";
import { ORIGIN_HEADER } from "../../src/network/sharedwrites.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { join, settled } from "./ring.ts";

interface Kept {
  id: number;
  n: number;
}

/** A move that waits in vain does so for a quarter of an hour. */
const SOON = { timeout: 60_000 };
const COUNT = 300;
const NAMES = ["a", "b", "c"];
const documents = Array.from({ length: COUNT }, (_, id): Kept => ({ id, n: id % 7 }));

const fixtures: Fixture[] = [];
/** Servers that answer no other server. */
const away = new Set<Fixture>();
after(() => Promise.all(fixtures.map((fixture) => fixture.close())));

async function open(count: number): Promise<Fixture[]> {
  const opened = await Promise.all(Array.from({ length: count }, () => openFixture()));
  for (const fixture of opened)
    fixture.app.addHook("onRequest", async ({ headers }, reply) => {
      if (away.has(fixture) && headers[ORIGIN_HEADER]) return reply.code(503).send();
    });
  fixtures.push(...opened);
  return opened;
}

async function kept(fixture: Fixture): Promise<Kept[]> {
  const path = `GET /indexes/things/documents?useNetwork=false&limit=${2 * COUNT}`;
  const { results } = await fixture.ask<{ results: Kept[] }>(path);
  return results.sort((a, b) => a.id - b.id);
}

function owned(all: readonly Kept[], names: readonly string[], name: string): Kept[] {
  const owner = ownerOf(names);
  return all.filter(({ id }) => owner(Buffer.from(String(id))) === name);
}

/** Two servers with documents, and a third that knows them. */
async function openThree(settings = {}): Promise<Fixture[]> {
  const [a, b, c] = await open(3);
  await join([a, b], ["a", "b"]);
  await a.ask("PATCH /indexes/things/settings", settings, 202);
  await a.ask("POST /indexes/things/documents?primaryKey=id", documents, 202);
  await settled([a, b]);
  await c.listen();
  await c.ask("PATCH /experimental-features", { network: true });
  await tell(c, "c", [a, b, c]);
  return [a, b, c];
}

function tell(fixture: Fixture, self: string, all: readonly Fixture[]) {
  const remotes = Object.fromEntries(all.map(({ url }, i) => [NAMES[i], { url }]));
  return fixture.ask("PATCH /network", { self, sharding: true, remotes });
}

/** The same once the two know the third as well, and it has its documents. */
async function openJoined(): Promise<Fixture[]> {
  const all = await openThree();
  const [a, b] = all;
  for (const [i, fixture] of [a, b].entries()) await tell(fixture, NAMES[i], all);
  await settled(all);
  return all;
}

test("an index that a write has made on the new server gets the settings of the others", SOON, async () => {
  const [a, b, c] = await openThree({ filterableAttributes: ["n"], synonyms: { one: ["two"] } });
  await c.ask("PATCH /indexes/things/settings", { sortableAttributes: ["id"] }, 202);
  await c.instance.idle();
  for (const [i, fixture] of [a, b].entries()) await tell(fixture, NAMES[i], [a, b, c]);
  await settled([a, b, c]);
  const { filterableAttributes, synonyms, sortableAttributes } = await c.ask("GET /indexes/things/settings");
  deepEqual([filterableAttributes, synonyms], [["n"], { one: ["two"] }]);
  deepEqual(sortableAttributes, ["id"], "what was changed there stays");
});

test("documents of a server that has missed writes are not moved over newer ones", SOON, async () => {
  const [a, b, c] = await openThree();
  away.add(a);
  await tell(b, "b", [a, b, c]);
  const changed = documents.slice(0, 100).map(({ id }): Kept => ({ id, n: -1 }));
  await b.ask("PUT /indexes/things/documents", changed, 202);
  const gone = documents.slice(200).map(({ id }) => id);
  await b.ask("POST /indexes/things/documents/delete-batch", gone, 202);
  await c.instance.idle();
  await tell(a, "a", [a, b, c]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  away.clear();
  await settled([a, b, c]);
  const left = [...changed, ...documents.slice(100, 200)];
  for (const [i, fixture] of [a, b, c].entries())
    deepEqual(await kept(fixture), owned(left, NAMES, NAMES[i]), NAMES[i]);
});

test(
  "documents that move complete those that their new owner has by then, and change none",
  SOON,
  async () => {
    const [a, b, c] = await openThree();
    for (const [i, fixture] of [a, b].entries()) await tell(fixture, NAMES[i], [a, b, c]);
    await settled([a, b, c]);
    const [{ id, n }] = owned(documents, NAMES, "c");
    const origin = { remoteName: "a", taskUid: 1, shard: { self: "c", members: NAMES } };
    const headers = { [ORIGIN_HEADER]: encodeURIComponent(JSON.stringify(origin)) };
    await c.ask("PUT /indexes/things/documents", [{ id, n: n + 1, more: 1 }], 202, headers);
    await c.instance.idle();
    deepEqual(await c.ask(`GET /indexes/things/documents/${id}`), { id, n, more: 1 });
  },
);

test("a server that leaves takes no documents, and is taken some from when it is out", SOON, async () => {
  const [a, b, c] = await openJoined();
  const sent = (members: readonly string[], remoteName = "a") => {
    const origin = { remoteName, taskUid: 1, shard: { self: "c", members } };
    return { [ORIGIN_HEADER]: encodeURIComponent(JSON.stringify(origin)) };
  };
  const move = "PUT /indexes/things/documents";
  await c.ask(move, [], 400, sent(["a", "c"]));
  await c.ask(move, [], 400, sent([...NAMES, "d"]));
  await c.ask(move, [], 202, sent(["c"], "b"));
  await c.ask("PATCH /network", { remotes: { c: null } });
  const { message } = await c.ask<{ message: string }>(move, [], 400, sent(NAMES));
  match(message, /expected the members `a`, `b`, among which documents are moved here/);
  await settled([a, b, c]);
  // A write of a server that has not been told of it: its documents are nowhere else.
  const more: Kept[] = Array.from({ length: 50 }, (_, i) => ({ id: COUNT + i, n: 0 }));
  await a.ask("POST /indexes/things/documents", more, 202);
  for (const fixture of [a, b]) await fixture.ask("PATCH /network", { remotes: { c: null } });
  await settled([a, b, c]);
  deepEqual(await kept(c), []);
  for (const [i, fixture] of [a, b].entries())
    deepEqual(await kept(fixture), owned([...documents, ...more], ["a", "b"], NAMES[i]));
});

test("writes that wait for a server are sent when it is taken out, if it is there", SOON, async () => {
  const [a, b] = await open(2);
  await join([a, b], ["a", "b"]);
  away.add(b);
  await a.ask("POST /indexes/things/documents", documents, 202);
  away.clear();
  await a.ask("PATCH /network", { remotes: { b: null } });
  await settled([a, b]);
  deepEqual(await kept(b), owned(documents, ["a", "b"], "b"));
});

test("writes that wait are sent under the new name of their server", SOON, async () => {
  const [a, b] = await open(2);
  await join([a, b], ["a", "b"]);
  away.add(b);
  await a.ask("POST /indexes/things/documents", documents, 202);
  await a.ask("PATCH /network", { self: "z", remotes: { a: null, z: { url: a.url } } });
  away.clear();
  await b.ask("PATCH /network", { remotes: { a: null, z: { url: a.url } } });
  await a.ask("PATCH /network", {});
  await settled([a, b]);
  deepEqual(await kept(a), owned(documents, ["z", "b"], "z"));
  deepEqual(await kept(b), owned(documents, ["z", "b"], "b"));
});

test("what was written while the feature was off is spread when it is on again", SOON, async () => {
  const [a, b] = await open(2);
  await join([a, b], ["a", "b"]);
  await a.ask("POST /indexes/things/documents", documents.slice(0, 100), 202);
  await settled([a, b]);
  await a.ask("PATCH /experimental-features", { network: false });
  await a.ask("POST /indexes/things/documents", documents.slice(100), 202);
  await a.instance.idle();
  await a.ask("PATCH /experimental-features", { network: true });
  await settled([a, b]);
  deepEqual(await kept(a), owned(documents, ["a", "b"], "a"));
  deepEqual(await kept(b), owned(documents, ["a", "b"], "b"));
  const { results } = await a.ask<{ results: unknown[] }>("GET /tasks?types=networkTopologyChange");
  equal(results.length, 1);
});

test("a server that leaves and stays after all gets its documents again", SOON, async () => {
  const [a, b, c] = await openJoined();
  await c.ask("PATCH /network", { remotes: { c: null } });
  await settled([a, b, c]);
  deepEqual(await kept(c), []);
  await tell(c, "c", [a, b, c]);
  await settled([a, b, c]);
  for (const [i, fixture] of [a, b, c].entries())
    deepEqual(await kept(fixture), owned(documents, NAMES, NAMES[i]), NAMES[i]);
});

test("documents of a server that leaves reach one that has joined without its knowledge", SOON, async () => {
  const [a, b, c] = await openJoined();
  const [d] = await open(1);
  await d.listen();
  await d.ask("PATCH /experimental-features", { network: true });
  const remotes = { a: { url: a.url }, b: { url: b.url }, d: { url: d.url } };
  await d.ask("PATCH /network", { self: "d", sharding: true, remotes });
  for (const fixture of [a, b])
    await fixture.ask("PATCH /network", { remotes: { c: null, d: { url: d.url } } });
  await settled([a, b]);
  await c.ask("PATCH /network", { remotes: { c: null } });
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await c.ask("PATCH /network", { remotes: { d: { url: d.url } } });
  await settled([a, b, c, d]);
  const names = ["a", "b", "d"];
  for (const [i, fixture] of [a, b, d].entries())
    deepEqual(await kept(fixture), owned(documents, names, names[i]), names[i]);
});

test("what a leaving server has given stays when one that does not know of it writes", SOON, async () => {
  const [a, b, c] = await openJoined();
  await c.ask("PATCH /network", { remotes: { c: null } });
  await settled([a, b, c]);
  away.add(c);
  const changed = documents.map(({ id }): Kept => ({ id, n: -1 }));
  await a.ask("POST /indexes/things/documents", changed, 202);
  await b.instance.idle();
  deepEqual(await kept(b), owned(changed, ["a", "b"], "b"), "before the server that leaves gives them again");
  away.clear();
  await settled([a, b, c]);
  for (const fixture of [a, b]) await fixture.ask("PATCH /network", { remotes: { c: null } });
  await settled([a, b, c]);
  deepEqual(await kept(c), []);
  for (const [i, fixture] of [a, b].entries())
    deepEqual(await kept(fixture), owned(changed, ["a", "b"], NAMES[i]));
});
