// The public JavaScript client against a server process: what it offers for indexes, documents, searches,
// settings, tasks, batches, webhooks, keys and tenant tokens works unchanged, and keys outlive a kill -9.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Meilisearch } from "meilisearch";
import { generateTenantToken } from "meilisearch/token";
import { Server } from "../crash/server.ts";
import { keyValue, MASTER_KEY } from "./keyring.ts";

const folder = mkdtempSync(join(tmpdir(), "tarsier-client-"));
/** Webhooks of this test are on this machine. */
const OPTIONS = ["--master-key", MASTER_KEY, "--experimental-allowed-ip-networks", "127.0.0.0/8"];
let server: Server;

async function start(): Promise<void> {
  server = await Server.start(folder, undefined, OPTIONS);
  await server.ready();
}

/** On a busy machine a task takes longer than the few seconds that the client waits of its own accord. */
const defaultWaitOptions = { timeout: 120_000 };
const client = (apiKey = MASTER_KEY) => new Meilisearch({ host: server.url, apiKey, defaultWaitOptions });
const refused = (error: { cause?: { code?: string } }) => error.cause?.code === "invalid_api_key";

before(start);
after(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

test("indexes, settings, documents, searches and tasks", async () => {
  const master = client();
  assert.ok(await master.isHealthy());
  await master.createIndex("teas", { primaryKey: "id" }).waitTask();
  const teas = master.index("teas");
  await teas.updateFilterableAttributes(["owner"]).waitTask();
  await teas.updateSettings({ stopWords: ["the"] }).waitTask();
  assert.deepEqual(await teas.getStopWords(), ["the"]);
  const documents = [
    { id: 1, name: "sencha", owner: "ann" },
    { id: 2, name: "assam", owner: "bob" },
    { id: 3, name: "green sencha", owner: "bob" },
  ];
  const added = await teas.addDocuments(documents).waitTask();
  assert.equal(added.status, "succeeded");
  assert.deepEqual((await teas.getDocuments({ limit: 2 })).results, documents.slice(0, 2));
  assert.deepEqual(await teas.getDocument(2), documents[1]);
  const found = await teas.search("sencha", { filter: "owner = bob", facets: ["owner"] });
  assert.deepEqual(found.hits, [documents[2]]);
  assert.deepEqual(found.facetDistribution, { owner: { bob: 1 } });
  assert.deepEqual((await teas.searchGet("assam")).hits, [documents[1]]);
  await teas.updateDocuments([{ id: 2, name: "assam gold" }]).waitTask();
  assert.deepEqual(await teas.getDocument(2), { ...documents[1], name: "assam gold" });
  const failed = await teas.addDocuments([{ name: "without id" }]).waitTask();
  assert.deepEqual([failed.status, failed.error?.code], ["failed", "missing_document_id"]);
  const tasks = await master.tasks.getTasks({ indexUids: ["teas"], statuses: ["failed"] });
  assert.deepEqual(
    tasks.results.map(({ uid }) => uid),
    [failed.uid],
  );
  assert.equal((await teas.getStats()).numberOfDocuments, 3);
  assert.deepEqual(Object.keys((await master.getStats()).indexes), ["teas"]);
});

test("keys: the default ones, one of one's own, and what it may do", async () => {
  const master = client();
  const { results } = await master.getKeys();
  assert.deepEqual(
    results.map(({ name }) => name),
    ["Default Search API Key", "Default Admin API Key", "Default Read-Only Admin API Key"],
  );
  const [searching, administering] = results.map(({ key }) => client(key));
  assert.equal((await searching.index("teas").search("sencha")).hits.length, 2);
  await assert.rejects(searching.index("teas").getDocuments(), refused);
  await administering.createIndex("cups").waitTask();
  await assert.rejects(administering.getKeys(), refused);
  const { uid, key } = await master.createKey({
    name: "teas only",
    actions: ["search", "documents.*", "tasks.get"],
    indexes: ["te*"],
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  assert.equal(key, keyValue(uid));
  await client(key).index("teas").search("");
  await assert.rejects(client(key).index("cups").search(""), refused);
  const seen = await client(key).tasks.getTasks();
  assert.ok(seen.results.length > 0 && seen.results.every(({ indexUid }) => indexUid === "teas"));
  assert.equal((await master.updateKey(uid, { description: "for tests" })).description, "for tests");
  assert.equal((await master.getKey(key)).description, "for tests");
  await master.deleteKey(uid);
  await assert.rejects(client(key).index("teas").search(""), refused);
});

test("a tenant token narrows what the key of a search sees", async () => {
  const [{ uid, key }] = (await client().getKeys()).results;
  const searchRules = { teas: { filter: "owner = bob" } };
  const token = await generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules });
  const { hits } = await client(token).index("teas").search("sencha");
  assert.deepEqual(
    hits.map(({ id }) => id),
    [3],
  );
  const facets = await client(token).index("teas").searchForFacetValues({ facetName: "owner" });
  assert.deepEqual(
    facets.facetHits.map(({ value }) => value),
    ["bob"],
  );
  await assert.rejects(client(token).index("cups").search(""), refused);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const lasting = await generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules: ["*"], expiresAt });
  assert.equal((await client(lasting).index("teas").search("")).hits.length, 3);
});

test("keys outlive a kill -9", async () => {
  const { uid, key } = await client().createKey({ actions: ["version"], indexes: ["*"], expiresAt: null });
  const { results } = await client().getKeys();
  await server.kill();
  await start();
  assert.deepEqual((await client().getKeys()).results, results);
  await client(key).getVersion();
  await client().deleteKey(uid);
  await server.kill();
  await start();
  await assert.rejects(client(key).getVersion(), refused);
});

test("several searches at once, side by side and as one list", async () => {
  const queries = [
    { indexUid: "teas", q: "green" },
    { indexUid: "teas", q: "assam" },
  ];
  const { results } = await client().multiSearch({ queries });
  assert.deepEqual(
    results.map(({ indexUid, hits }) => [indexUid, hits.map(({ id }) => id)]),
    [
      ["teas", [3]],
      ["teas", [2]],
    ],
  );
  const { hits } = await client().multiSearch({ federation: { limit: 5 }, queries });
  assert.deepEqual(hits.map(({ id }) => id).sort(), [2, 3]);
});

test("batches, and a swap that leads to the other documents", async () => {
  const master = client();
  const added = await master
    .index("mugs")
    .addDocuments([{ id: 9, name: "large" }])
    .waitTask();
  const batch = await master.batches.getBatch(added.batchUid!);
  assert.deepEqual([batch.uid, batch.stats.totalNbTasks, batch.progress], [added.batchUid, 1, null]);
  const { results } = await master.batches.getBatches({ indexUids: ["mugs"], statuses: ["succeeded"] });
  assert.deepEqual(
    results.map(({ uid }) => uid),
    [added.batchUid],
  );
  const swapped = await master.swapIndexes([{ indexes: ["teas", "mugs"], rename: false }]).waitTask();
  assert.equal(swapped.status, "succeeded");
  assert.equal((await master.index("teas").search("")).hits.length, 1);
  assert.equal((await master.index("mugs").getStats()).numberOfDocuments, 3);
  assert.ok((await master.tasks.getTasks({ indexUids: ["mugs"] })).results.length > 3);
  await master.swapIndexes([{ indexes: ["teas", "mugs"], rename: false }]).waitTask();
});

test("a webhook is told of a finished task, shows no secret, and is gone when it is deleted", async () => {
  const received: { authorization: string | undefined; uids: number[] }[] = [];
  let seen = () => {};
  const receiver = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const lines = gunzipSync(Buffer.concat(pieces)).toString().trim().split("\n");
    received.push({
      authorization: request.headers.authorization,
      uids: lines.map((line) => JSON.parse(line).uid),
    });
    response.end();
    seen();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  try {
    const master = client();
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const headers = { authorization: "Bearer the secret of the receiver" };
    const { uuid } = await master.createWebhook({ url, headers });
    const shown = await master.getWebhook(uuid);
    assert.deepEqual([shown.url, shown.isEditable], [url, true]);
    assert.ok(!JSON.stringify(await master.getWebhooks()).includes("of the receiver"));
    const delivery = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const { uid } = await master.createIndex("told").waitTask();
    await delivery;
    assert.deepEqual(received, [{ authorization: headers.authorization, uids: [uid] }]);
    const changed = await master.updateWebhook(uuid, { headers: { "x-more": "1" } });
    assert.equal(Object.keys(changed.headers ?? {}).length, 2);
    await master.deleteWebhook(uuid);
    assert.deepEqual((await master.getWebhooks()).results, []);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});

test("a network is made, and reset as later versions have it", async () => {
  const master = client();
  await master.updateExperimentalFeatures({ network: true });
  const remotes = { other: { url: "http://127.0.0.1:1", searchApiKey: "key", writeApiKey: null } };
  const made = { self: "own", sharding: false, remotes };
  assert.deepEqual(await master.updateNetwork({ self: "own", remotes }), made);
  assert.deepEqual(await master.getNetwork(), made);
  const nothing = { self: null, sharding: false, remotes: {} };
  const reset = { self: null, remotes: null, leader: null, shards: null };
  assert.deepEqual(await master.updateNetwork(reset), nothing);
  const isBad = (error: { cause?: { code?: string } }) => error.cause?.code === "bad_request";
  await assert.rejects(master.updateNetwork({ leader: "own" }), isBad);
  await master.updateExperimentalFeatures({ network: false });
});

test("the stats tell the size that the database has on the disk", async () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== "reserve",
  );
  const onDisk = files.reduce(
    (sum, { parentPath, path, name }) => sum + statSync(join(parentPath ?? path, name)).size,
    0,
  );
  const { databaseSize } = await client().getStats();
  // Beside them lies what names the version. The reserve holds no data.
  assert.ok(databaseSize <= onDisk && databaseSize > onDisk - 4096, `${databaseSize} of ${onDisk} bytes`);
});
