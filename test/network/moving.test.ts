// Servers that come and go: documents move to their owners, those whose owner has changed and no others.
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, test } from "node:test";
import { ownerOf } from "../../src/engine/shard.ts";
import { ORIGIN_HEADER } from "../../src/network/sharedwrites.ts";
import { type Executor, succeeded } from "../../src/tasks/execution.ts";
import type { MoreExecutors } from "../../src/tasks/executors.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { join, settled } from "./ring.ts";

interface Kept {
  id: number;
  n: number;
}

interface Task {
  status: string;
  details: Record<string, unknown>;
  error: { message: string } | null;
}

/** A move that waits in vain does so for a quarter of an hour. */
const SOON = { timeout: 60_000 };
const COUNT = 300;
const documents = Array.from({ length: COUNT }, (_, id): Kept => ({ id, n: id % 7 }));

const fixtures: Fixture[] = [];
after(() => Promise.all(fixtures.map((fixture) => fixture.close())));

async function open(count: number, executors: MoreExecutors = {}): Promise<Fixture[]> {
  const opening = Array.from({ length: count }, () => openFixture({}, undefined, undefined, executors));
  const opened = await Promise.all(opening);
  fixtures.push(...opened);
  return opened;
}

/** A server whose tasks wait behind one of this kind until they are released. */
async function openHeld(
  type: "indexCreation" | "dumpCreation",
): Promise<{ fixture: Fixture; release: () => void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting: Executor = async (tasks) => {
    await released;
    return { ends: tasks.map((task) => succeeded(task)) };
  };
  const [fixture] = await open(1, { [type]: waiting });
  return { fixture, release };
}

async function kept(fixture: Fixture): Promise<Kept[]> {
  const { results } = await fixture.ask<{ results: Kept[] }>(
    `GET /indexes/things/documents?useNetwork=false&limit=${COUNT}`,
  );
  return results.sort((a, b) => a.id - b.id);
}

function owned(names: readonly string[], name: string): Kept[] {
  const owner = ownerOf(names);
  return documents.filter(({ id }) => owner(Buffer.from(String(id))) === name);
}

const tasks = async (fixture: Fixture, type: string) =>
  (await fixture.ask<{ results: Task[] }>(`GET /tasks?types=${type}&reverse=true`)).results;
const moves = (fixture: Fixture) => tasks(fixture, "networkTopologyChange");

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

test("a server that comes gets its documents and the settings, one that leaves gives them back", async () => {
  const [a, b, c] = await open(3);
  await join([a, b], ["a", "b"]);
  await a.ask("PATCH /indexes/things/settings", { filterableAttributes: ["n"] }, 202);
  await a.ask("POST /indexes/things/documents", documents, 202);
  await settled([a, b]);
  deepEqual(await kept(a), owned(["a", "b"], "a"));
  const names = ["a", "b", "c"];
  await join([a, b, c], names);
  await settled([a, b, c]);
  for (const [i, fixture] of [a, b, c].entries()) deepEqual(await kept(fixture), owned(names, names[i]));
  const found = await c.ask("POST /indexes/things/search", { filter: "n = 3" });
  equal(found.estimatedTotalHits, documents.filter(({ n }) => n === 3).length);
  const all = [...(await moves(a)), ...(await moves(b))];
  const moved = all.reduce((sum, { details }) => sum + (details.movedDocuments as number), 0);
  equal(moved, owned(names, "c").length, "only what the new server owns has moved");
  await c.ask("PATCH /network", { remotes: { c: null } });
  await settled([a, b, c]);
  for (const fixture of [a, b]) await fixture.ask("PATCH /network", { remotes: { c: null } });
  await settled([a, b, c]);
  deepEqual(await kept(c), []);
  for (const [fixture, name] of [
    [a, "a"],
    [b, "b"],
  ] as const)
    deepEqual(await kept(fixture), owned(["a", "b"], name));
});

test("documents from before there was sharding are spread, those of waiting tasks, too", async () => {
  const [a, b] = await open(2);
  await a.fill("things", documents.slice(0, 100), { filterableAttributes: ["n"] });
  for (let i = 100; i < COUNT; i += 100)
    await a.ask("POST /indexes/things/documents", documents.slice(i, i + 100), 202);
  await join([a, b], ["a", "b"]);
  await settled([a, b]);
  deepEqual(await kept(a), owned(["a", "b"], "a"));
  deepEqual(await kept(b), owned(["a", "b"], "b"));
});

test("a move begins behind additions that came before it, though its kind is more urgent", async () => {
  const { fixture: a, release } = await openHeld("indexCreation");
  const [b] = await open(1);
  // Its turn is long enough for all documents where the index need not be made there.
  await b.fill("things", []);
  await a.fill("things", documents.slice(0, 100));
  await a.ask("POST /indexes", { uid: "held" }, 202);
  await a.ask("POST /indexes/things/documents", documents.slice(100), 202);
  await join([a, b], ["a", "b"]);
  release();
  await settled([a, b]);
  deepEqual(await kept(a), owned(["a", "b"], "a"));
  deepEqual(await kept(b), owned(["a", "b"], "b"));
});

test("what is moved comes behind the older writes that the new owner has not got", async () => {
  const [b, c] = await open(2);
  let isStuck = false;
  b.app.addHook("onRequest", async ({ headers }, reply) => {
    if (isStuck && `${headers[ORIGIN_HEADER]}`.includes("writeId")) return reply.code(503).send();
  });
  await join([b, c], ["b", "c"]);
  await c.ask("POST /indexes/things/documents", documents.slice(0, 100), 202);
  await settled([b, c]);
  isStuck = true;
  await c.ask("DELETE /indexes/things/documents", undefined, 202);
  await c.ask("POST /indexes/things/documents", documents.slice(100), 202);
  await c.instance.idle();
  await c.ask("PATCH /network", { remotes: { c: null } });
  await putOff(c);
  isStuck = false;
  await settled([b, c]);
  deepEqual([await kept(b), await kept(c)], [documents.slice(100), []]);
});

test("a server that leaves moves its documents though a write of it has run before", SOON, async () => {
  const [b, c] = await open(2);
  let isAway = false;
  b.app.addHook("onRequest", async (_, reply) => {
    if (isAway) return reply.code(503).send();
  });
  await join([b, c], ["b", "c"]);
  await c.ask("POST /indexes/things/documents?primaryKey=id", documents, 202);
  await settled([b, c]);
  isAway = true;
  await c.ask("PATCH /network", { remotes: { c: null } });
  const { taskUid } = await c.ask<{ taskUid: number }>("POST /indexes", { uid: "others" }, 202);
  // As when it has been waited for.
  await c.instance.hold(null);
  await ended(c, taskUid);
  isAway = false;
  await settled([b, c]);
  deepEqual([await kept(b), await kept(c)], [documents, []]);
});

test("a move waits for no document that was deleted here and there meanwhile", SOON, async () => {
  const [a] = await open(1);
  const { fixture: b, release } = await openHeld("dumpCreation");
  await a.fill("things", documents);
  await b.ask("POST /dumps", undefined, 202);
  await join([a, b], ["a", "b"]);
  const gone = owned(["a", "b"], "b")[0];
  while ((await tasks(b, "documentAdditionOrUpdate")).length === 0) await pause();
  const deletion = `DELETE /indexes/things/documents/${gone.id}`;
  // Writes wait no more where moves do not get on.
  await ended(a, (await a.ask<{ taskUid: number }>(deletion, undefined, 202)).taskUid);
  release();
  await settled([a, b]);
  const left = owned(["a", "b"], "b").filter(({ id }) => id !== gone.id);
  deepEqual([await kept(a), await kept(b)], [owned(["a", "b"], "a"), left]);
  const [{ status }] = await moves(a);
  equal(status, "succeeded");
});

test("while the new owner is away, documents stay, other tasks run, and nothing is lost", async () => {
  const [a, b] = await open(2);
  await a.fill("things", documents);
  for (const fixture of [a, b]) await fixture.ask("PATCH /experimental-features", { network: true });
  const [here, there] = [await a.listen(), await b.listen()];
  const away = { url: "http://127.0.0.1:1" };
  await a.ask("PATCH /network", { self: "a", sharding: true, remotes: { b: away } });
  // An update of a document that is to move reaches it here, too.
  await a.ask(
    "PUT /indexes/things/documents",
    documents.map(({ id }) => ({ id, more: id })),
    202,
  );
  for (let updated = false; !updated; ) {
    const { results } = await a.ask<{ results: object[] }>(
      "GET /indexes/things/documents?useNetwork=false&limit=1000",
    );
    equal(results.length, COUNT);
    updated = results.every((one) => "more" in one);
    if (!updated) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  ok((await moves(a)).every(({ status }) => status === "enqueued" || status === "processing"));
  await b.ask("PATCH /network", { self: "b", sharding: true, remotes: { a: { url: here } } });
  await a.ask("PATCH /network", { remotes: { b: { url: there } } });
  await settled([a, b]);
  const all = [...(await kept(a)), ...(await kept(b))].sort((x, y) => x.id - y.id);
  deepEqual(
    all,
    documents.map((one) => ({ ...one, more: one.id })),
  );
  deepEqual(
    (await kept(b)).map(({ id }) => id),
    owned(["a", "b"], "b").map(({ id }) => id),
  );
});

test("who leaves and stays after all keeps its documents, though another server was away", async () => {
  const names = ["a", "b", "c"];
  const [a, b, c] = await open(3);
  await join([a, b, c], names);
  await a.ask("POST /indexes/things/documents?primaryKey=id", documents, 202);
  await settled([a, b, c]);
  await c.ask("PATCH /network", { remotes: { c: null, b: { url: "http://127.0.0.1:1" } } });
  await putOff(c);
  await c.ask("PATCH /network", { remotes: { c: { url: c.url } } });
  await c.ask("PATCH /network", { remotes: { b: { url: b.url } } });
  await settled([a, b, c]);
  for (const [i, fixture] of [a, b, c].entries()) deepEqual(await kept(fixture), owned(names, names[i]));
  const all = await moves(c);
  ok(all.every(({ status, details }) => status === "succeeded" && details.movedDocuments === 0));
});

test("a move to a server that is away ends when documents are not shared any more", async () => {
  const [a] = await open(1);
  await a.fill("things", documents);
  await a.ask("PATCH /experimental-features", { network: true });
  await a.ask("PATCH /network", { self: "a", sharding: true, remotes: { b: { url: "http://127.0.0.1:1" } } });
  await putOff(a);
  await a.ask("PATCH /network", { sharding: false });
  await settled([a]);
  equal((await kept(a)).length, COUNT);
  const [{ status, details }] = await moves(a);
  deepEqual([status, details.movedDocuments], ["succeeded", 0]);
});

test("a move that was canceled begins again with the next change of the network", async () => {
  const [a, b] = await open(2);
  await join([b], ["b"]);
  await a.fill("things", documents);
  await a.ask("PATCH /experimental-features", { network: true });
  await a.ask("PATCH /network", { self: "a", sharding: true, remotes: { b: { url: "http://127.0.0.1:1" } } });
  await b.ask("PATCH /network", { remotes: { a: { url: await a.listen() } } });
  await putOff(a);
  await a.ask("POST /tasks/cancel?types=networkTopologyChange");
  await settled([a]);
  await a.ask("PATCH /network", { remotes: { b: { url: b.url } } });
  await settled([a, b]);
  for (const [fixture, name] of [
    [a, "a"],
    [b, "b"],
  ] as const)
    deepEqual(await kept(fixture), owned(["a", "b"], name));
  deepEqual(
    (await moves(a)).map(({ status }) => status),
    ["canceled", "succeeded"],
  );
});

async function ended(fixture: Fixture, uid: number): Promise<void> {
  while ((await fixture.ask<Task>(`GET /tasks/${uid}`)).status !== "succeeded") await pause();
}

/** Fulfilled when the last move has begun, and waits. */
async function putOff(fixture: Fixture): Promise<void> {
  for (let begun = false; ; ) {
    const { status } = (await moves(fixture)).at(-1)!;
    if (begun && status === "enqueued") return;
    begun ||= status === "processing";
    await pause();
  }
}
