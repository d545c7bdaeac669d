// Threads of the engine that fail, die, are aborted or closed: calls end with a clear error, and the rest
// goes on.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { coreModule } from "../../src/core/core.ts";
import { beginThread, takeThread } from "../../src/engine/earlythread.ts";
import type { Operation } from "../../src/engine/engine.ts";
import type { IndexHandle } from "../../src/engine/indexhandle.ts";
import { openThreadedEngine, PoolEngine, startThread } from "../../src/engine/pool.ts";
import { LocalCaller, RemoteCaller, ThreadEnded } from "../../src/engine/remote.ts";
import type { EngineOptions } from "../../src/engine/roles.ts";
import type { WorkerStart } from "../../src/engine/workerstart.ts";
import { TarsierError } from "../../src/errors.ts";
import { searchQueryOf } from "../../src/schemas/search.ts";

const MEBIBYTE = 1024 * 1024;
const options: EngineOptions = { threads: 2, indexingBytes: 64 * MEBIBYTE, searchBytes: 16 * MEBIBYTE };
const everything = {
  offset: 0,
  limit: 10,
  fields: null,
  ids: null,
  retrieveVectors: false,
  filter: null,
  sort: null,
};
const MANY = 60_000;

const roots: string[] = [];
after(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "tarsier-threads-"));
  roots.push(root);
  return root;
}

function addition(root: string, taskUid: number, count: number): Operation {
  const payload = `payload-${taskUid}`;
  const lines = Array.from(
    { length: count },
    (_, i) => `{"id":${i},"text":"word${i % 999} ${"some text ".repeat(20)}"}\n`,
  );
  writeFileSync(join(root, payload), lines.join(""));
  return { kind: "add", taskUid, payload, method: "replace", primaryKey: null, skipCreation: false };
}

const batch = (folder: string, operations: Operation[]) => ({ folder, indexUid: folder, operations });

async function total(engine: PoolEngine, index: IndexHandle): Promise<number> {
  return JSON.parse(Buffer.from(await engine.documents(index, everything)).toString()).total;
}

/** An engine whose threads the test can end from outside. */
function mortalEngine(root: string): {
  engine: PoolEngine;
  kill: (role: WorkerStart["role"]) => Promise<unknown>;
} {
  const workers = new Map<string, Worker>();
  const start = (role: WorkerStart["role"]) =>
    new RemoteCaller(() => {
      const thread = startThread({ role, root, module: coreModule(), options });
      workers.set(role, thread.worker);
      return thread;
    });
  const engine = new PoolEngine(start("write"), start("merge"), [start("search")]);
  return { engine, kill: (role) => workers.get(role)!.terminate() };
}

describe("a thread that is closed", () => {
  const begin = (program: string) =>
    new RemoteCaller(() => ({ worker: new Worker(program, { eval: true }) }));

  it("ends when it does not answer in time, with the calls that it was about", async () => {
    const caller = begin("setInterval(() => {}, 1000)");
    const call = assert.rejects(caller.call("search", []), { message: "the engine is closed" });
    await Promise.all([call, caller.close(50)]);
    assert.equal(caller.state, "none");
  });

  it("answers first and closes what it has open, when it is given time", async () => {
    const told: unknown[] = [];
    const caller = begin(`
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", ({ call, method }) => parentPort.postMessage({ answer: call, value: method }));
    `);
    const call = caller.call("search", []).then((answer) => told.push(answer));
    await caller.close(60_000);
    await call;
    assert.deepEqual(told, ["search"]);
  });
});

describe("a thread that is kept", () => {
  const program = `
    const { parentPort, threadId } = require("node:worker_threads");
    parentPort.postMessage({ ready: true });
    parentPort.on("message", ({ call, method }) =>
      parentPort.postMessage({ answer: call, value: method === "rest" || threadId }));
  `;
  const IDLE_MS = 20;
  let begun = 0;
  const newCaller = () => {
    begun = 0;
    return new RemoteCaller(() => {
      begun++;
      return { worker: new Worker(program, { eval: true }) };
    }, IDLE_MS);
  };
  const until = async (isSo: () => boolean) => {
    const end = performance.now() + 10_000;
    while (!isSo() && performance.now() < end) await pause(1);
    assert.ok(isSo());
  };

  it("is ready before it is called, and a fresh one once it has rested", async () => {
    const caller = newCaller();
    caller.keep();
    await until(() => caller.state === "ready");
    const first = await caller.call<number>("work", []);
    await until(() => begun === 2 && caller.state === "ready");
    await pause(5 * IDLE_MS);
    assert.equal(begun, 2);
    assert.notEqual(await caller.call<number>("work", []), first);
    await until(() => begun === 3);
    await caller.close();
    assert.equal(caller.state, "none");
  });

  it("is not begun once nobody may call it", async () => {
    const caller = newCaller();
    await caller.close();
    caller.keep();
    assert.equal(begun, 0);
  });

  it("is begun by its first call where nobody keeps it, and ends when it has rested", async () => {
    const caller = newCaller();
    assert.equal(caller.state, "none");
    await caller.call("work", []);
    await until(() => caller.state === "none");
    await pause(5 * IDLE_MS);
    assert.equal(begun, 1);
    await caller.close();
  });
});

describe("an engine in the caller's thread", () => {
  const failing = async () => {
    throw new Error("no network");
  };

  it("tries again to load what writes after it could not", async () => {
    let tries = 0;
    const methods = { name: () => "writer", close: () => {} };
    const caller = new LocalCaller(() => (tries++ === 0 ? failing() : Promise.resolve(methods)));
    const first = [caller.call("name", []), caller.call("name", [])];
    for (const call of first) await assert.rejects(call, /no network/);
    assert.equal(await caller.call("name", []), "writer");
    assert.equal(tries, 2);
    await caller.close();
    await assert.rejects(caller.call("name", []), ThreadEnded);
  });

  it("closes without what could not be loaded", async () => {
    const caller = new LocalCaller(failing);
    const call = caller.call("name", []);
    await Promise.all([assert.rejects(call, /no network/), caller.close()]);
    await caller.close();
  });
});

describe("an engine of threads", () => {
  it("takes the search thread that was begun before it, once", async () => {
    const root = newRoot();
    beginThread();
    const early = startThread({ role: "search", root, module: coreModule(), options }).worker;
    const second = startThread({ role: "search", root, module: coreModule(), options }).worker;
    assert.notEqual(second.threadId, early.threadId);
    assert.equal(takeThread(), null);
    await Promise.all([early.terminate(), second.terminate()]);
    beginThread();
    const engine = openThreadedEngine(root, { ...options, threads: 1 });
    const { index } = await engine.run(batch("books", [addition(root, 1, 50)]));
    assert.equal(await total(engine, { folder: "books", indexUid: "books", version: index.version }), 50);
    await engine.close();
  });

  it("warms up for an index, and notes the damage that it meets", async () => {
    const root = newRoot();
    const writing = openThreadedEngine(root, { ...options, threads: 1 });
    const { index } = await writing.run(batch("books", [addition(root, 1, 50)]));
    await writing.close();
    const handle = { folder: "books", indexUid: "books", version: index.version };
    const sound = openThreadedEngine(root, { ...options, threads: 1 });
    sound.warmUp(handle);
    assert.equal(await total(sound, handle), 50);
    assert.equal(sound.damageOf("books"), null);
    await sound.close();
    const [manifest] = readdirSync(join(root, "books")).filter((name) => name.startsWith("manifest"));
    const file = join(root, "books", manifest);
    writeFileSync(file, readFileSync(file).fill(0x55, 12, 32));
    const damaged = openThreadedEngine(root, { ...options, threads: 1 });
    damaged.warmUp(handle);
    const end = performance.now() + 10_000;
    while (damaged.damageOf("books") === null && performance.now() < end) await pause(10);
    assert.notEqual(damaged.damageOf("books"), null);
    await damaged.close();
  });

  it("goes on after a request that met damaged files", async () => {
    const root = newRoot();
    const engine = openThreadedEngine(root, { ...options, threads: 1 });
    const damaged = await engine.run(batch("damaged", [addition(root, 1, 50)]));
    const sound = await engine.run(batch("sound", [addition(root, 2, 50)]));
    const [segment] = readdirSync(join(root, "damaged")).filter((name) => name.startsWith("segment-"));
    const bytes = readFileSync(join(root, "damaged", segment));
    bytes.fill(0x55, 100, 200);
    writeFileSync(join(root, "damaged", segment), bytes);
    const handle = (folder: string, version: number) => ({ folder, indexUid: folder, version });
    for (let i = 0; i < 3; i++) {
      const isDamage = (error: unknown) =>
        error instanceof TarsierError && error.code === "invalid_store_file";
      await assert.rejects(engine.documents(handle("damaged", damaged.index.version), everything), isDamage);
      assert.equal(await total(engine, handle("sound", sound.index.version)), 50);
    }
    await engine.close();
  });

  it("notes the index whose damage a federated search has met, and no other", async () => {
    const root = newRoot();
    const writing = openThreadedEngine(root, options);
    const folders = ["sound", "unreadable", "unopened"];
    const indexes: IndexHandle[] = [];
    for (const [at, folder] of folders.entries()) {
      const { index } = await writing.run(batch(folder, [addition(root, at, 50)]));
      indexes.push({ folder, indexUid: folder, version: index.version });
    }
    await writing.close();
    const spoil = (folder: string, kind: string, from: number) => {
      const name = join(root, folder, readdirSync(join(root, folder)).find((file) => file.startsWith(kind))!);
      writeFileSync(name, readFileSync(name).fill(0x55, from, from + 20));
    };
    spoil("unreadable", "segment-", 100);
    spoil("unopened", "manifest", 12);
    const engine = openThreadedEngine(root, options);
    const frame = { wanted: 10, passed: 0, isPaged: false, distinct: null, isForRemote: false };
    const query = searchQueryOf({ q: "word3" }, "", null);
    const search = (handles: IndexHandle[]) => {
      const asked = handles.map((index, position) => {
        return { index, queries: [{ position, weight: 1, query }], facets: null, dropped: [] };
      });
      return engine.searchFederated({ ...frame, indexes: asked });
    };
    const { answers } = await search(indexes.slice(0, 2));
    assert.deepEqual(
      answers.map(({ fault }) => fault?.code),
      [undefined, "invalid_store_file"],
    );
    await assert.rejects(search([indexes[0], indexes[2]]), { code: "invalid_store_file" });
    const isNoted = folders.map((folder) => engine.damageOf(folder) !== null);
    assert.deepEqual(isNoted, [false, true, true]);
    await engine.close();
  });

  it("answers searches again after their thread died", async () => {
    const root = newRoot();
    const { engine, kill } = mortalEngine(root);
    const { index } = await engine.run(batch("i", [addition(root, 1, 5)]));
    const handle = { folder: "i", indexUid: "i", version: index.version };
    assert.equal(await total(engine, handle), 5);
    const waiting = Promise.allSettled(Array.from({ length: 20 }, () => total(engine, handle)));
    await kill("search");
    for (const outcome of await waiting) {
      if (outcome.status === "rejected") assert.match(outcome.reason.message, /a thread of the engine ended/);
    }
    assert.equal(await total(engine, handle), 5);
    await engine.close();
  });

  it("finishes a batch whose thread died, once", async () => {
    const root = newRoot();
    const { engine, kill } = mortalEngine(root);
    let killed = false;
    const progress = () => {
      if (!killed) void kill("write");
      killed = true;
    };
    const { results, index } = await engine.run(batch("i", [addition(root, 1, MANY)]), progress);
    assert.ok(killed);
    assert.equal(results[0].indexedDocuments, MANY);
    assert.equal(index.numberOfDocuments, MANY);
    await engine.settled();
    const { version } = await engine.describe("i");
    assert.equal(await total(engine, { folder: "i", indexUid: "i", version }), MANY);
    await engine.close();
  });

  it("leaves nothing behind of a batch that is aborted", async () => {
    const root = newRoot();
    const engine = openThreadedEngine(root, options);
    await engine.run(batch("i", [addition(root, 1, 10)]));
    const files = readdirSync(join(root, "i"));
    const abort = new AbortController();
    const running = engine.run(batch("i", [addition(root, 2, MANY)]), () => abort.abort(), abort.signal);
    await assert.rejects(running, (error) => error instanceof TarsierError && error.code === "aborted");
    assert.deepEqual(readdirSync(join(root, "i")), files);
    assert.equal((await engine.describe("i")).numberOfDocuments, 10);
    const { index } = await engine.run(batch("i", [addition(root, 3, 20)]));
    assert.equal(index.numberOfDocuments, 20);
    await engine.close();
  });

  it("closes with everything in flight, and opens again as if nothing had been", async () => {
    const root = newRoot();
    const engine = openThreadedEngine(root, options);
    const { index } = await engine.run(batch("i", [addition(root, 1, 10)]));
    const handle = { folder: "i", indexUid: "i", version: index.version };
    let begun = () => {};
    const running = new Promise<void>((resolve) => (begun = resolve));
    const write = engine.run(batch("i", [addition(root, 2, MANY)]), () => begun());
    const writeEnd = assert.rejects(
      write,
      (error) => error instanceof TarsierError && error.code === "aborted",
    );
    await running;
    const reads = Promise.allSettled(Array.from({ length: 50 }, () => total(engine, handle)));
    await engine.close();
    await writeEnd;
    for (const outcome of await reads) {
      if (outcome.status === "rejected") assert.equal(outcome.reason.message, "the engine is closed");
    }
    await assert.rejects(engine.documents(handle, everything), ThreadEnded);
    const again = openThreadedEngine(root, options);
    assert.equal((await again.describe("i")).numberOfDocuments, 10);
    const more = await again.run(batch("i", [addition(root, 4, 30)]));
    assert.equal(more.index.numberOfDocuments, 30);
    await again.close();
  });

  it("merges as it needs when it is closed after each batch, too", async () => {
    const root = newRoot();
    for (let task = 1; task <= 20; task++) {
      const engine = openThreadedEngine(root, { ...options, threads: 1 });
      await engine.run(batch("i", [addition(root, task, 1)]));
      await engine.close();
    }
    const segments = readdirSync(join(root, "i")).filter((name) => name.startsWith("segment"));
    // Those in use, and the sources of a merge that was done just now.
    assert.equal(segments.length < 8, true, segments.join(" "));
  });

  it("drops an index while merges of it run", async () => {
    const root = newRoot();
    const engine = openThreadedEngine(root, options);
    for (let task = 1; task <= 8; task++) await engine.run(batch("i", [addition(root, task, 2_000)]));
    await engine.drop("i");
    await engine.settled();
    assert.equal(readdirSync(root).includes("i"), false);
    await engine.close();
  });
});
