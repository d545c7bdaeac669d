// The table of errors and what leaves the server: every row can be provoked, has the status and the type that
// it says, stands on the page that its link leads to, and repeats no more of a request than fits.
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs, { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openLocalEngine, type PoolEngine } from "../../src/engine/pool.ts";
import { type ErrorCode, type ErrorObject, errorTable, TarsierError } from "../../src/errors.ts";
import type { App } from "../../src/http/app.ts";
import { LogOutput } from "../../src/http/logoutput.ts";
import { createServer } from "../../src/http/server.ts";
import { OutboundClient } from "../../src/outbound/client.ts";
import { WriteOptionsBody } from "../../src/schemas/documents.ts";
import { checker } from "../../src/schemas/validator.ts";
import { lockFolder, withFolderLocked } from "../../src/storage/folderlock.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { Webhooks } from "../../src/tasks/webhooks.ts";
import { type Ask, ERROR_WAYS } from "./errorways-table.ts";
import { NO_WEBHOOK, OPTIONS, startFixture } from "./harness.ts";
import { bearer, MASTER_KEY } from "./keyring.ts";

const MEBIBYTE = 2 ** 20;
const SIZES = { threads: 0, indexingBytes: 32 * MEBIBYTE, searchBytes: 8 * MEBIBYTE };
const ROOT = process.cwd();

let app: App;
let instance: Instance;
let engine: PoolEngine;
let keyUid: string;

before(async () => {
  const storage = new MemoryStorage();
  engine = openLocalEngine(storage, SIZES);
  instance = await Instance.open({ storage, engine });
  const options = { ...OPTIONS, masterKey: MASTER_KEY, httpPayloadSizeLimit: MEBIBYTE };
  const version = { commitSha: "unknown", commitDate: "unknown", pkgVersion: "0.0.0" };
  const logs = new LogOutput("off", "human");
  const webhooks = new Webhooks(instance, NO_WEBHOOK);
  app = createServer({
    instance,
    engine,
    webhooks,
    options,
    version,
    logs,
    outbound: new OutboundClient(["any"]),
  });
  const embedder = { source: "userProvided", dimensions: 2 };
  const built = { editDocumentsByFunction: true, network: true, multimodal: true };
  const features = { ...built, chatCompletions: true };
  await send({ ask: "PATCH /experimental-features", body: features });
  const common = { filterableAttributes: ["n", "_geo", "_geojson"], sortableAttributes: ["n"] };
  const settings = { ...common, embedders: { e: embedder } };
  await send({ ask: "PATCH /indexes/i/settings", body: settings });
  const others = { facetSearch: false, searchableAttributes: ["a"] };
  const faceting = { sortFacetValuesBy: { n: "count" } };
  await send({ ask: "PATCH /indexes/j/settings", body: { ...common, ...others, faceting } });
  await send({ ask: "POST /indexes/j/documents", body: [{ id: 1, n: 1 }] });
  await send({ ask: "POST /indexes/i/documents", body: [{ id: 1, n: 1, _vectors: { e: [1, 0] } }] });
  const { body } = await send({
    ask: "POST /keys",
    body: { actions: ["*"], indexes: ["*"], expiresAt: null },
  });
  keyUid = (body as { uid: string }).uid;
  await instance.idle();
});

after(async () => {
  await app.close();
  await instance.close();
  await engine.close();
});

async function send({ ask, body, headers, isAnonymous }: Ask): Promise<{ status: number; body: unknown }> {
  const [method, url] = ask.replace("KEY", keyUid).split(" ");
  const text = typeof body === "string" ? body : JSON.stringify(body)?.replace('"KEY"', `"${keyUid}"`);
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await app.inject({
    method: method as "GET",
    url,
    payload: text,
    headers: { ...(isAnonymous ? {} : bearer(MASTER_KEY)), ...(headers ?? type) },
  });
  return { status: answer.statusCode, body: answer.body === "" ? null : JSON.parse(answer.body) };
}

/** What a task of this request ended with. */
async function taskError(task: string, body: unknown): Promise<ErrorObject | null> {
  const answer = await send({ ask: task, body });
  const { taskUid } = answer.body as { taskUid?: number };
  if (taskUid === undefined) return answer.body as ErrorObject;
  await instance.idle();
  return instance.task(taskUid, null).error;
}

test("every row of the table can be provoked, and has the status and the type that it says", async () => {
  const faults: string[] = [];
  for (const [code, way] of Object.entries(ERROR_WAYS)) {
    const { status, type } = errorTable[code as ErrorCode];
    if ("test" in way) {
      const source = readFileSync(join(ROOT, "build", "test", `${way.test}.js`), "utf8");
      if (!source.includes(`"${code}"`)) faults.push(`${code}: ${way.test} does not mention it`);
      continue;
    }
    const isTask = "task" in way;
    const answer = isTask ? { status, body: await taskError(way.task, way.body) } : await send(way);
    const error = answer.body as Partial<ErrorObject> | null;
    const found = [answer.status, error?.code, error?.type, error?.link];
    const expected = [status, code, type, `https://tarsier.dev/docs/errors#${code}`];
    if (JSON.stringify(found) !== JSON.stringify(expected))
      faults.push(`${code}: ${JSON.stringify([answer.status, answer.body]).slice(0, 300)}`);
  }
  deepEqual(faults, []);
});

test("keys are managed only where there is a master key", async () => {
  const { code } = await startFixture();
  deepEqual(await code("GET /keys"), [401, "missing_master_key"]);
});

test("metadata of a task are a text; over HTTP nothing else can be sent", () => {
  throws(() => checker(WriteOptionsBody)({ customMetadata: 1 }), { code: "invalid_index_custom_metadata" });
});

test("a folder is opened by one process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-lock-"));
  const lock = await lockFolder(folder);
  try {
    await rejects(lockFolder(folder), { code: "folder_in_use" });
  } finally {
    await lock.release();
    rmSync(folder, { recursive: true });
  }
});

test("a folder is locked while something runs in it, whether or not it fails, and no longer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-lock-"));
  const run = (end: () => string) =>
    withFolderLocked(folder, async () => {
      await new Promise(setImmediate);
      await rejects(lockFolder(folder), { code: "folder_in_use" });
      return end();
    });
  equal(await run(() => "done"), "done");
  const broken = run(() => {
    throw new Error("broken");
  });
  await rejects(broken, /broken/);
  await (await lockFolder(folder)).release();
  rmSync(folder, { recursive: true });
});

test("a folder is locked under every path that leads to it, and a path is not", async () => {
  const parent = mkdtempSync(join(tmpdir(), "tarsier-lock-"));
  const [before, after] = [join(parent, "before"), join(parent, "after")];
  mkdirSync(before);
  const lock = await lockFolder(before);
  try {
    renameSync(before, after);
    await rejects(lockFolder(after), { code: "folder_in_use" });
    mkdirSync(before);
    await (await lockFolder(before)).release();
  } finally {
    await lock.release();
    rmSync(parent, { recursive: true });
  }
});

test("folders of one number are two on other devices, and where nothing has a number", async (t) => {
  const parent = mkdtempSync(join(tmpdir(), "tarsier-lock-"));
  const folders = ["a", "b"].map((name) => join(parent, name));
  for (const folder of folders) mkdirSync(folder);
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
    rmSync(parent, { recursive: true });
  });
  for (const [ino, isDevice] of [
    [7n, true],
    [0n, false],
  ] as const) {
    t.mock.method(fs, "statSync", (path: string) => ({
      dev: isDevice ? BigInt(folders.indexOf(path)) : 1n,
      ino,
    }));
    syncBuiltinESMExports();
    const locks = [];
    for (const folder of folders) locks.push(await lockFolder(folder));
    await rejects(lockFolder(folders[0]), { code: "folder_in_use" });
    for (const lock of locks) await lock.release();
    t.mock.restoreAll();
  }
});

test("a search after the engine has closed is told to come again, and is no failure of ours", async () => {
  const storage = new MemoryStorage();
  const closing = openLocalEngine(storage, SIZES);
  const withIndex = async (instance: Instance) => {
    await instance.register({ type: "indexCreation", indexUid: "i", primaryKey: null });
    await instance.idle();
  };
  const lines: string[] = [];
  const logs = new LogOutput("error", "human", { write: (line: string) => lines.push(line) });
  const { code } = await startFixture({}, "{}", { storage, engine: closing, instance: withIndex, logs });
  await closing.close();
  deepEqual(await code("POST /indexes/i/search", {}), [503, "server_closing"]);
  logs.flush();
  deepEqual(lines, []);
});

test("a message repeats no more of a request than fits", async () => {
  const long = "`x".repeat(20_000);
  const asks: Ask[] = [
    { ask: "POST /indexes/i/search", body: { filter: `${long} = 1` } },
    { ask: "POST /indexes/i/search", body: { filter: `n = ${"(".repeat(5_000)}` } },
    { ask: "POST /indexes/i/search", body: { sort: [`${long}:asc`] } },
    { ask: "POST /indexes/i/search", body: { [long]: 1 } },
    { ask: "POST /indexes/i/search", body: { facets: [long] } },
    { ask: "POST /indexes/i/search", body: { q: "a", hybrid: { embedder: long } } },
    { ask: "PATCH /indexes/i/settings", body: { rankingRules: [long] } },
    { ask: "PATCH /indexes/i/settings", body: { embedders: { [long]: { source: long } } } },
    { ask: "POST /webhooks", body: { url: long } },
    { ask: "PATCH /network", body: { remotes: { [long]: {} } } },
    { ask: `GET /tasks?statuses=${"x".repeat(5_000)}` },
    { ask: "POST /indexes/i/documents", body: "[]", headers: { "content-type": "x".repeat(5_000) } },
  ];
  for (const ask of asks) {
    const { status, body } = await send(ask);
    const { message } = body as ErrorObject;
    equal(status >= 400 && status < 500, true, `${ask.ask}: ${status}`);
    ok(message.length < 9_000, `${ask.ask}: ${message.length} characters`);
  }
  const { message } = new TarsierError("index_not_found", { indexUid: "i".repeat(1_000) });
  match(message, /^Index `i{100,200}\.\.\.i{49}` not found$/);
});

test("the page of errors is made from the table", () => {
  const page = execFileSync(process.execPath, [join(ROOT, "tools", "errordocs.mjs"), "--print"], {
    cwd: ROOT,
  });
  equal(readFileSync(join(ROOT, "docs", "errors.md"), "utf8"), page.toString(), "run `npm run docs:errors`");
  for (const code of Object.keys(errorTable)) ok(page.includes(`\n### ${code}\n`), code);
});
