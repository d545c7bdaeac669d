// Writes that come while documents move between servers: each takes effect once, in its place.
import { deepEqual, equal, match } from "node:assert/strict";
import { after, test } from "node:test";
import { ownerOf } from "../../src/engine/shard.ts";
import { ORIGIN_HEADER } from "../../src/network/sharedwrites.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { join, settled } from "./ring.ts";

interface Kept {
  id: number;
  n?: number;
  more?: number;
}

/** A move that waits in vain does so for a quarter of an hour. */
const SOON = { timeout: 60_000 };
const COUNT = 60;
const NAMES = ["a", "b", "c"];
const documents = Array.from({ length: COUNT }, (_, id): Kept => ({ id, n: id % 7, more: id }));

const fixtures: Fixture[] = [];
after(() => Promise.all(fixtures.map((fixture) => fixture.close())));

/** Servers that take no moved documents until `letMove` is called. */
async function open(): Promise<{ all: Fixture[]; letMove: () => void; sent: Promise<void> }> {
  let letMove = () => {};
  let note = () => {};
  const moving = new Promise<void>((resolve) => {
    letMove = resolve;
  });
  const sent = new Promise<void>((resolve) => {
    note = resolve;
  });
  const all = await Promise.all(NAMES.map(() => openFixture()));
  fixtures.push(...all);
  for (const { app } of all)
    app.addHook("onRequest", async ({ headers, method }) => {
      const origin = decodeURIComponent(`${headers[ORIGIN_HEADER] ?? ""}`);
      if (method !== "PUT" || origin === "" || origin.includes("writeId")) return;
      note();
      await moving;
    });
  return { all, letMove, sent };
}

const tell = (fixture: Fixture, self: string, all: readonly Fixture[]) => {
  const remotes = Object.fromEntries(all.map(({ url }, i) => [NAMES[i], { url }]));
  return fixture.ask("PATCH /network", { self, sharding: true, remotes });
};

async function fill(all: readonly Fixture[]): Promise<void> {
  const [a] = all;
  await a.ask("PATCH /experimental-features", { network: true, editDocumentsByFunction: true });
  await a.ask("PATCH /indexes/things/settings", { filterableAttributes: ["n", "id"] }, 202);
  await a.ask("POST /indexes/things/documents?primaryKey=id", documents, 202);
  await settled(all);
}

/** Changes of every kind to documents that move; returns what must come of them. */
async function change({ ask }: Fixture, ids: readonly number[]): Promise<Map<number, Kept | null>> {
  const [deleted, replaced, updated, filtered, edited] = ids;
  await ask("POST /indexes/things/documents/delete-batch", [deleted], 202);
  await ask("POST /indexes/things/documents", [{ id: replaced }], 202);
  await ask("PUT /indexes/things/documents", [{ id: updated, n: -1 }], 202);
  await ask("POST /indexes/things/documents/delete", { filter: `id = ${filtered}` }, 202);
  const edit = { filter: `id = ${edited}`, function: "doc.more += 1000" };
  await ask("POST /indexes/things/documents/edit", edit, 202);
  const { n } = documents[edited];
  return new Map<number, Kept | null>([
    [deleted, null],
    [replaced, { id: replaced }],
    [updated, { ...documents[updated], n: -1 }],
    [filtered, null],
    [edited, { id: edited, n, more: edited + 1000 }],
  ]);
}

/** Every server has its share of the documents after these changes, and nothing else. */
async function check(all: readonly Fixture[], names: readonly string[], changes: Map<number, Kept | null>) {
  const owner = ownerOf(names);
  const left = documents.flatMap((one) => {
    const changed = changes.get(one.id);
    return changed === undefined ? [one] : changed === null ? [] : [changed];
  });
  for (const [i, fixture] of all.entries()) {
    const path = "GET /indexes/things/documents?useNetwork=false&limit=1000";
    const { results } = await fixture.ask<{ results: Kept[] }>(path);
    results.sort((x, y) => x.id - y.id);
    deepEqual(
      results,
      left.filter(({ id }) => owner(Buffer.from(`${id}`)) === NAMES[i]),
      NAMES[i],
    );
  }
}

const ownedBy = (name: string) =>
  documents.map(({ id }) => id).filter((id) => ownerOf(NAMES)(Buffer.from(`${id}`)) === name);

const waitingWrites = async ({ ask }: Fixture) => {
  const { total } = await ask("GET /tasks?statuses=enqueued&types=documentDeletion,documentEdition");
  return total;
};

test("changes of documents that move to a server that joins are done there, once", SOON, async () => {
  const { all, letMove, sent } = await open();
  const [a, b, c] = all;
  await join([a, b], ["a", "b"]);
  for (const fixture of [b, c])
    await fixture.ask("PATCH /experimental-features", { network: true, editDocumentsByFunction: true });
  await fill([a, b]);
  await c.listen();
  for (const [i, fixture] of all.entries()) await tell(fixture, NAMES[i], all);
  await sent;
  const changes = await change(a, ownedBy("c"));
  await Promise.all(all.map(async (fixture) => equal(await waitingWrites(fixture), 3)));
  const shard = { self: "a", members: NAMES };
  const origin = JSON.stringify({ remoteName: "b", taskUid: 0, shard, needs: "given" });
  const headers = { [ORIGIN_HEADER]: encodeURIComponent(origin) };
  const { code } = await a.ask("POST /indexes/things/documents/fetch", {}, 409, headers);
  equal(code, "network_documents_moving");
  letMove();
  await settled(all);
  await check(all, NAMES, changes);
});

test("changes of documents of a server that leaves are done where they move, once", SOON, async () => {
  const { all, letMove, sent } = await open();
  const [a, b, c] = all;
  await join(all, NAMES);
  for (const fixture of [b, c])
    await fixture.ask("PATCH /experimental-features", { editDocumentsByFunction: true });
  await fill(all);
  await c.ask("PATCH /network", { remotes: { c: null } });
  await sent;
  const changes = await change(b, ownedBy("c"));
  letMove();
  await settled(all);
  await check(all, ["a", "b"], changes);
  for (const fixture of [a, b]) await fixture.ask("PATCH /network", { remotes: { c: null } });
  await settled(all);
  await check(all, ["a", "b"], changes);
});

test("a write for members that another server does not see yet waits until it does", SOON, async () => {
  const { all, letMove } = await open();
  const [a, b, c] = all;
  letMove();
  await join(all, NAMES);
  for (const fixture of [b, c])
    await fixture.ask("PATCH /experimental-features", { editDocumentsByFunction: true });
  await fill(all);
  await a.ask("PATCH /network", { remotes: { c: null } });
  const changes = await change(a, ownedBy("c"));
  const { results } = await a.ask<{ results: { network: object }[] }>("GET /tasks?limit=5");
  match(JSON.stringify(results[4].network), /waiting to be sent: status 400: .*the members `a`, `b`, `c`/);
  for (const fixture of [c, b]) await fixture.ask("PATCH /network", { remotes: { c: null } });
  await settled(all);
  await check(all, ["a", "b"], changes);
});
