// Documents spread over three servers: each keeps its own, tasks tell of the others, searches cover all.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, test } from "node:test";
import { facetText } from "../../src/engine/filter/facettext.ts";
import { ORIGIN_HEADER } from "../../src/network/sharedwrites.ts";
import { bearer, keyValue, MASTER_KEY, uidOf } from "../http/keyring.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { join, settled } from "./ring.ts";

interface Task {
  taskUid: number;
  uid: number;
  status: string;
  details: Record<string, unknown>;
  network?: { origin?: { remoteName: string; taskUid: number }; remotes?: Record<string, unknown> };
}

type Distribution = Record<string, Record<string, number>>;

const COUNT = 60;
const documents = Array.from({ length: COUNT }, (_, i) => ({ ref: `d${i}`, id: i, n: i % 5 }));
const NAMES = ["a", "b", "c"];

let fixtures: Fixture[];
before(async () => {
  fixtures = await Promise.all(NAMES.map(() => openFixture()));
  await join(fixtures, NAMES);
});
after(() => Promise.all(fixtures.map((fixture) => fixture.close())));

/** The task of the first server, then those of the others. */
async function write(line: string, json?: unknown): Promise<Task[]> {
  const [origin, ...others] = fixtures;
  const { taskUid } = await origin.ask<Task>(line, json, 202);
  await settled(fixtures);
  const task = await origin.ask<Task>(`GET /tasks/${taskUid}`);
  const uids = Object.values(task.network?.remotes ?? {}).map(
    (one) => (one as { task_uid: number }).task_uid,
  );
  return [
    task,
    ...(await Promise.all(others.map((fixture, i) => fixture.ask<Task>(`GET /tasks/${uids[i]}`)))),
  ];
}

async function kept(): Promise<number[][]> {
  const lists = fixtures.map(async (fixture) => {
    const { results } = await fixture.ask<{ results: { id: number }[] }>(
      `GET /indexes/things/documents?useNetwork=false&limit=${COUNT}`,
    );
    return results.map(({ id }) => id);
  });
  return Promise.all(lists);
}

test("settings that one server gets are those of all", async () => {
  const tasks = await write("PATCH /indexes/things/settings", { filterableAttributes: ["n"] });
  deepEqual(
    tasks.map(({ status }) => status),
    ["succeeded", "succeeded", "succeeded"],
  );
  await write("PUT /indexes/things/settings/stop-words", ["the"]);
  await write("PUT /indexes/things/settings/synonyms", { tea: ["chai"] });
  await write("DELETE /indexes/things/settings/synonyms");
  for (const fixture of fixtures) {
    const settings = await fixture.ask("GET /indexes/things/settings");
    deepEqual([settings.filterableAttributes, settings.stopWords, settings.synonyms], [["n"], ["the"], {}]);
  }
});

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
  for (const fixture of fixtures) {
    const all = await fixture.ask<{ hits: object[]; estimatedTotalHits: number }>(
      "POST /indexes/things/search",
      {
        limit: COUNT,
        filter: "n = 2",
      },
    );
    deepEqual([all.hits.length, all.estimatedTotalHits], [COUNT / 5, COUNT / 5]);
    const own = await fixture.ask<{ estimatedTotalHits: number; hits: { _federation?: object }[] }>(
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
  const { hits } = await fixtures[1].ask<{ hits: { n: number; more: string }[] }>("POST /multi-search", {
    federation: { limit: COUNT },
    queries: [{ indexUid: "things", q: "updated" }],
  });
  equal(hits.filter(({ n, more }) => n !== undefined && more === "updated").length, COUNT);
});

test("facets are those of one server, however documents spell their values", async () => {
  const settings = {
    filterableAttributes: ["color", "kind"],
    faceting: { sortFacetValuesBy: { color: "count" } },
  };
  const colors = ["Red", "red ", "RED", "Blue", "über", "ÜBER", "war", "Ash", "ash", 10.5, 2.5, -3.5, "!x"];
  const colorOf = (place: number) => colors[place % colors.length];
  const painted = documents.map(({ id }) => ({ id, color: colorOf(id), kind: colorOf(id + 1) }));
  const alone = await openFixture();
  await alone.ask("PATCH /experimental-features", { network: true });
  await alone.fill("colors", painted, settings);
  await write("PATCH /indexes/colors/settings", settings);
  await write("POST /indexes/colors/documents?primaryKey=id", painted);
  const federation = { facetsByIndex: { colors: ["color", "kind"] } };
  // Which spelling is shown depends on where documents are.
  const shown = (distribution: Distribution) =>
    Object.entries(distribution).map(([name, counts]): [string, [string, number][]] => [
      name,
      Object.entries(counts).map(([text, count]) => [facetText(text), count]),
    ]);
  const facets = async (fixture: Fixture, useNetwork: boolean) => {
    const body = { queries: [{ indexUid: "colors", useNetwork }], federation };
    const { facetsByIndex } = await fixture.ask<{
      facetsByIndex: { colors: { distribution: Distribution } };
    }>("POST /multi-search", body);
    const { facetDistribution } = await fixture.ask<{ facetDistribution: Distribution }>(
      "POST /indexes/colors/search",
      { facets: ["color", "kind"], useNetwork },
    );
    return [shown(facetsByIndex.colors.distribution), shown(facetDistribution)];
  };
  const expected = await facets(alone, false);
  await alone.close();
  equal(expected[0][0][1].length, 9);
  for (const fixture of fixtures) deepEqual(await facets(fixture, true), expected);
  await write("DELETE /indexes/colors");
});

test("a function edits the documents of every server", async () => {
  for (const fixture of fixtures)
    await fixture.ask("PATCH /experimental-features", { editDocumentsByFunction: true });
  const edit = { function: "doc.n += context.more", filter: "n = 2", context: { more: 40 } };
  const tasks = await write("POST /indexes/things/documents/edit", edit);
  const edited = tasks.map(({ details }) => details.editedDocuments as number);
  equal(
    edited.reduce((sum, count) => sum + count, 0),
    COUNT / 5,
  );
  const found = await fixtures[2].ask("POST /indexes/things/search", { filter: "n = 42" });
  equal(found.estimatedTotalHits, COUNT / 5);
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

test("indexes are made, changed, swapped and removed everywhere", async () => {
  await write("POST /indexes", { uid: "left" });
  await write("PATCH /indexes/left", { primaryKey: "sku" });
  await write("POST /indexes", { uid: "right" });
  await write("POST /swap-indexes", [{ indexes: ["left", "right"] }]);
  await write("DELETE /indexes/left");
  for (const fixture of fixtures) {
    const { results } = await fixture.ask<{ results: { uid: string; primaryKey: string }[] }>("GET /indexes");
    deepEqual(
      results.map(({ uid, primaryKey }) => [uid, primaryKey]),
      [
        ["right", "sku"],
        ["things", "id"],
      ],
    );
  }
});

test("a write that comes twice from another server is one task", async () => {
  const [receiver] = fixtures;
  const send = (writeId: string, remoteName = "b") =>
    receiver.ask<Task>("POST /indexes/things/documents", [{ id: 7 }], 202, {
      [ORIGIN_HEADER]: markOf({ remoteName, writeId }),
    });
  const first = await send("one");
  deepEqual(await Promise.all([send("one"), send("one")]), [first, first]);
  const second = await send("two");
  equal(second.taskUid, first.taskUid + 1);
  equal((await send("two", "c")).taskUid, second.taskUid + 1);
});

function markOf(changes: object, shard = { self: "a", members: NAMES }): string {
  const origin = { remoteName: "b", taskUid: 7, shard, ...changes };
  return encodeURIComponent(JSON.stringify(origin));
}

test("a mark that no member has made for this server is refused", async () => {
  const [origin] = fixtures;
  const ask = async (mark: string) => {
    const headers = { [ORIGIN_HEADER]: mark };
    const { code } = await origin.ask<{ code: string }>("DELETE /indexes/things", undefined, 400, headers);
    return code;
  };
  equal(await ask("{}"), "bad_request");
  equal(await ask("%"), "bad_request");
  equal(await ask(markOf({ remoteName: "stranger" })), "invalid_network_remotes");
  equal(await ask(markOf({ remoteName: "a" })), "invalid_network_remotes");
  equal(await ask(markOf({}, { self: "b", members: NAMES })), "invalid_network_self");
});

test("a key that may only add documents cannot say that it is a server", async () => {
  const fixture = await openFixture({ masterKey: MASTER_KEY });
  const master = bearer(MASTER_KEY);
  await fixture.ask("PATCH /experimental-features", { network: true }, 200, master);
  await fixture.ask("PATCH /network", { self: "a", remotes: { b: { url: "http://b" } } }, 200, master);
  const send = async (actions: string[], number: number, status: number) => {
    const key = { uid: uidOf(number), actions, indexes: ["*"], expiresAt: null };
    await fixture.ask("POST /keys", key, 201, master);
    const headers = { ...bearer(keyValue(uidOf(number))), [ORIGIN_HEADER]: markOf({ writeId: "one" }) };
    return fixture.ask<{ code: string }>("POST /indexes/things/documents", [{ id: 1 }], status, headers);
  };
  equal((await send(["documents.add"], 1, 403)).code, "invalid_api_key");
  await send(["documents.*"], 2, 202);
  await fixture.close();
});

test("a server that cannot be reached delays nothing, and the task tells of it", async () => {
  const [origin] = fixtures;
  await origin.ask("PATCH /network", { remotes: { b: { url: "http://127.0.0.1:1" } } });
  const tasks: Task[] = [];
  for (let i = 0; i < 3; i++)
    tasks.push(await origin.ask<Task>("POST /indexes/things/documents", documents.slice(i, i + 1), 202));
  const networks = async () => {
    await Promise.all(fixtures.map(({ instance }) => instance.idle()));
    const views = tasks.map(({ taskUid }) => origin.ask<Task>(`GET /tasks/${taskUid}`));
    return (await Promise.all(views)).map(({ network }) => network?.remotes ?? {});
  };
  const [first, , last] = await networks();
  deepEqual(first.b, { error: "waiting to be sent: error sending request" });
  deepEqual(last.b, { error: "waiting to be sent" });
  for (const { c } of [first, last]) match(JSON.stringify(c), /^\{"task_uid":\d+\}$/);
  // Its address was wrong: when that is mended, it gets all of them, in their order.
  await origin.ask("PATCH /network", { remotes: { b: { url: fixtures[1].url } } });
  await settled(fixtures);
  const uids = (await networks()).map(({ b }) => (b as { task_uid: number }).task_uid);
  deepEqual(uids, [uids[0], uids[0] + 1, uids[0] + 2]);
  await origin.ask("PATCH /network", { remotes: { b: { url: "http://127.0.0.1:1" } } });
  tasks.splice(0, 3, await origin.ask<Task>("POST /indexes/things/documents", documents.slice(0, 3), 202));
  // The documents of `a` are only moved to `c` when that one knows of it, too.
  for (const fixture of [origin, fixtures[2]]) await fixture.ask("PATCH /network", { remotes: { b: null } });
  deepEqual((await networks())[0].b, { error: "waiting to be sent: error sending request" });
});
