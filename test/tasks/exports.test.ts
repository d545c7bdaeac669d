// Exports: indexes go from one real server to another, over HTTP on this machine.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { Options } from "../../src/options.ts";
import type { OutboundClient, OutboundRequest } from "../../src/outbound/client.ts";
import { chosenIndexes, exportExecutor } from "../../src/tasks/exports.ts";
import { openAt } from "../http/served.ts";
import { Place } from "./copyfixture.ts";
import { create, openFixture } from "./setup.ts";

const place = new Place();
after(() => place.remove());

type Json = Record<string, never>;

interface Peer {
  url: string;
  send(method: string, path: string, body?: unknown): Promise<Json>;
  /** Sends a write and waits for its task. */
  done(method: string, path: string, body?: unknown): Promise<Json>;
  close(): Promise<void>;
}

async function peer(name: string, changes: Partial<Options> = {}): Promise<Peer> {
  const experimentalAllowedIpNetworks = ["127.0.0.0/8"];
  const { url, close } = await openAt(place, name, { experimentalAllowedIpNetworks, ...changes });
  const authorization = `Bearer ${changes.masterKey}`;
  const send = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const headers = { authorization, ...(body !== undefined && { "content-type": "application/json" }) };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    return response.json() as Promise<Json>;
  };
  const done = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const { taskUid } = await send(method, path, body);
    for (;;) {
      const task = await send("GET", `/tasks/${taskUid}`);
      if (task.finishedAt !== null) return task;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { url, send, done, close };
}

const KEY = "a-master-key-of-32-bytes-or-more";

async function idle({ send }: Peer): Promise<void> {
  for (;;) {
    const { total } = await send("GET", "/tasks?statuses=enqueued,processing");
    if (total === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("indexes arrive with settings and documents, in pieces of the size that was asked for", async () => {
  const [source, target] = [await peer("source"), await peer("target", { masterKey: KEY })];
  const documents = Array.from({ length: 500 }, (_, id) => ({
    id,
    kind: id % 2 === 0 ? "even" : "odd",
    é: "ü",
  }));
  await source.done("PATCH", "/indexes/teas/settings", {
    filterableAttributes: ["kind"],
    stopWords: ["the"],
  });
  await source.done("POST", "/indexes/teas/documents", documents);
  await source.done("POST", "/indexes", { uid: "empty", primaryKey: "sku" });
  await source.done("POST", "/indexes/mugs/documents", [{ id: 1 }]);
  await target.done("POST", "/indexes/mugs/documents", [{ id: 1, old: true }, { id: 2 }]);
  const indexes = { "te*": { filter: "kind = even" }, empty: {}, mugs: {} };
  const body = { url: `${target.url}/`, apiKey: KEY, payloadSize: 1000, indexes };
  const task = await source.done("POST", "/export", body);
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
  assert.deepEqual(task.details, {
    url: `${target.url}/`,
    apiKey: "a-masXXXXXX...",
    payloadSize: "1 KB",
    indexes: {
      empty: { filter: null, overrideSettings: false, matchedDocuments: 0 },
      mugs: { filter: null, overrideSettings: false, matchedDocuments: 1 },
      teas: { filter: "kind = even", overrideSettings: false, matchedDocuments: 250 },
    },
  });
  await idle(target);
  const { results } = await target.send("GET", "/indexes/teas/documents?limit=1000");
  assert.deepEqual(
    results,
    documents.filter(({ id }) => id % 2 === 0),
  );
  assert.deepEqual(await target.send("GET", "/indexes/teas/settings/stop-words"), ["the"]);
  assert.equal((await target.send("GET", "/indexes/empty")).primaryKey, "sku");
  const mugs = await target.send("GET", "/indexes/mugs/documents");
  assert.deepEqual(mugs.results, [{ id: 1 }, { id: 2 }]);
  const additions = await target.send("GET", "/tasks?types=documentAdditionOrUpdate&indexUids=teas&limit=1");
  assert.ok(additions.total >= (250 * 30) / 1000, `${additions.total} payloads`);
  await Promise.all([source.close(), target.close()]);
});

test("settings of an index that is there stay, unless they are to be overridden", async () => {
  const [source, target] = [await peer("source2"), await peer("target2")];
  for (const [server, word] of [
    [source, "of"],
    [target, "the"],
  ] as const) {
    await server.done("PATCH", "/indexes/teas/settings", { stopWords: [word] });
  }
  const words = async () => {
    await idle(target);
    return target.send("GET", "/indexes/teas/settings/stop-words");
  };
  await source.done("POST", "/export", { url: target.url });
  assert.deepEqual(await words(), ["the"]);
  await source.done("POST", "/export", { url: target.url, indexes: { teas: { overrideSettings: true } } });
  assert.deepEqual(await words(), ["of"]);
  await Promise.all([source.close(), target.close()]);
});

test("what fails for a while is sent again, and an answer that will not change ends the task", async () => {
  const source = await peer("source3");
  await source.done("POST", "/indexes/teas/documents", [{ id: 1 }]);
  const seen: string[] = [];
  let refusals = 2;
  const target = createServer((request: IncomingMessage, response) => {
    request.resume();
    seen.push(`${request.method} ${request.url} ${request.headers["content-encoding"] ?? ""}`.trim());
    if (refusals-- > 0) response.writeHead(503).end("busy");
    else if (request.method === "GET") response.writeHead(404).end('{"code":"index_not_found"}');
    else if (request.url?.endsWith("/documents"))
      response.writeHead(403).end('{"code":"invalid_api_key","message":"no"}');
    else response.writeHead(202).end("{}");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const task = await source.done("POST", "/export", { url });
  assert.deepEqual([task.status, (task.error as Json).code], ["failed", "internal"]);
  assert.match((task.error as Json).message, /403 invalid_api_key: no$/);
  assert.deepEqual(seen, [
    ...Array(3).fill("GET /indexes/teas"),
    "POST /indexes",
    "PATCH /indexes/teas/settings",
    "POST /indexes/teas/documents gzip",
  ]);
  target.close();
  await source.close();
});

test("addresses that are not allowed, bad filters, and keys that no header holds end the task", async () => {
  const source = await peer("source4", { experimentalAllowedIpNetworks: [] });
  await source.done("POST", "/indexes/teas/documents", [{ id: 1 }]);
  const refused = await source.done("POST", "/export", { url: source.url });
  assert.match((refused.error as Json).message, /--experimental-allowed-ip-networks/);
  const nowhere = await source.done("POST", "/export", {});
  assert.equal((nowhere.error as Json).code, "internal");
  await source.close();
  const open = await peer("source4");
  const indexes = { teas: { filter: "unknown = 1" } };
  const filtered = await open.done("POST", "/export", { url: open.url, indexes });
  assert.equal((filtered.error as Json).code, "invalid_document_filter");
  const unsendable = await open.done("POST", "/export", { url: open.url, apiKey: "\ufeff" });
  assert.match((unsendable.error as Json).message, /authorization/);
  await open.close();
});

test("the first pattern in the order of bytes decides", () => {
  const options = (filter: string) => ({ filter, overrideSettings: false });
  const indexes = { teas: options("2"), "te*": options("1"), mugs: options("3"), x: options("4") };
  const chosen = chosenIndexes({ type: "export", url: "", apiKey: null, payloadSize: null, indexes }, [
    "mugs",
    "teas",
    "tins",
  ]);
  assert.deepEqual(
    chosen.map(([uid, { filter }]) => [uid, filter]),
    [
      ["mugs", "3"],
      ["teas", "1"],
    ],
  );
});

test("a target that is away holds up no other task, and gets each piece once when it is back", async () => {
  const source = await peer("source4");
  await source.done("POST", "/indexes/teas/documents", [{ id: 1 }, { id: 2 }]);
  const seen: string[] = [];
  let isAway = false;
  const target = createServer((request: IncomingMessage, response) => {
    request.resume();
    if (isAway) return response.writeHead(503).end("busy");
    seen.push(`${request.method} ${request.url}`);
    isAway = seen.length === 4;
    if (request.method === "GET") return response.writeHead(404).end('{"code":"index_not_found"}');
    return response.writeHead(202).end("{}");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const { taskUid } = await source.send("POST", "/export", { url, payloadSize: 1 });
  const before = async () => (await source.send("GET", `/tasks/${taskUid}`)).status;
  while (!isAway) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await source.done("POST", "/indexes/mugs/documents", [{ id: 1 }])).status, "succeeded");
  assert.ok(["enqueued", "processing"].includes(await before()), await before());
  const other = await source.send("POST", "/export", { url });
  await source.done("POST", `/tasks/cancel?uids=${other.taskUid}`);
  assert.equal((await source.send("GET", `/tasks/${other.taskUid}`)).status, "canceled");
  await source.done("DELETE", "/indexes/mugs");
  isAway = false;
  while ((await before()) !== "succeeded") await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(seen, [
    "GET /indexes/teas",
    "POST /indexes",
    "PATCH /indexes/teas/settings",
    "POST /indexes/teas/documents",
    "POST /indexes/teas/documents",
  ]);
  target.close();
  await source.close();
});

test("a size of nothing sends a document at a time", async () => {
  const [source, target] = [await peer("source7"), await peer("target7")];
  await source.done("POST", "/indexes/teas/documents", [{ id: 1 }, { id: 2 }, { id: 3 }]);
  for (const [round, payloadSize] of [0, "0", "0 KiB"].entries()) {
    const { status, details } = await source.done("POST", "/export", { url: target.url, payloadSize });
    assert.deepEqual([status, (details as Json).payloadSize], ["succeeded", "0 B"]);
    await idle(target);
    const { total } = await target.send("GET", "/tasks?types=documentAdditionOrUpdate");
    assert.equal(total, 3 * (round + 1));
  }
  assert.equal((await target.send("GET", "/indexes/teas/documents")).total, 3);
  for (const payloadSize of [-1, 0.5, "-1", ""]) {
    const { code } = await source.send("POST", "/export", { url: target.url, payloadSize });
    assert.equal(code, "invalid_export_payload_size", String(payloadSize));
  }
  await Promise.all([source.close(), target.close()]);
});

test("a URL that leaves no room for paths is refused", async () => {
  const source = await peer("source5");
  for (const url of ["http://127.0.0.1:1/#f", "http://127.0.0.1:1/?q=1"]) {
    const { code } = await source.send("POST", "/export", { url });
    assert.equal(code, "invalid_export_url");
  }
  await source.close();
});

test("an export to what is no URL fails, and goes nowhere else", async () => {
  const source = await peer("source6");
  await source.done("POST", "/indexes/teas/documents", [{ id: 1 }]);
  for (const url of ["http://", "http:///", "teas", "ftp://127.0.0.1"]) {
    const { status, error } = await source.done("POST", "/export", { url });
    assert.equal(status, "failed", url);
    assert.match((error as Json).message, /is no http or https URL/, url);
  }
  await source.close();
});

test("a target that answers and takes nothing is given up like one that is away", async () => {
  const busy = { status: 500, headers: {}, body: new TextEncoder().encode("{}") };
  const unknown = { ...busy, status: 404, body: new TextEncoder().encode('{"code":"index_not_found"}') };
  const client = {
    request: async (_: string, { method }: OutboundRequest) => (method === "GET" ? unknown : busy),
  };
  const times = { retryMsMax: 0, awayMsMax: 500 };
  const { instance } = await openFixture({
    executors: { export: exportExecutor(client as unknown as OutboundClient, times) },
  });
  await instance.register(create("teas"));
  const indexes = { "*": { filter: null, overrideSettings: false } };
  const kind = { type: "export", url: "http://x", apiKey: null, payloadSize: null, indexes } as const;
  const { taskUid } = await instance.register(kind);
  await instance.idle();
  const { status, error } = instance.task(taskUid, null);
  assert.equal(status, "failed");
  assert.match(String(error?.message), /POST http:\/\/x\/indexes: the target answered 500/);
  await instance.close();
});
