// Whole servers in this process, over storage in memory, for tests of what several indexes and several
// servers do together.
import assert from "node:assert/strict";
import type { EmbedderSetup } from "../../src/embedders/embedderoptions.ts";
import { openLocalEngine } from "../../src/engine/pool.ts";
import type { App, ServerOptions } from "../../src/http/app.ts";
import { LogOutput } from "../../src/http/logoutput.ts";
import { createServer } from "../../src/http/server.ts";
import { movingExecutor } from "../../src/network/moving.ts";
import { OutboundClient } from "../../src/outbound/client.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Executor } from "../../src/tasks/execution.ts";
import type { MoreExecutors } from "../../src/tasks/executors.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { Webhooks } from "../../src/tasks/webhooks.ts";
import { NO_WEBHOOK } from "../http/harness.ts";

const MEBIBYTE = 2 ** 20;

type Json = Record<string, unknown>;

const OPTIONS: ServerOptions = {
  env: "development",
  masterKey: null,
  noAnalytics: false,
  httpPayloadSizeLimit: 10_000_000,
  experimentalSearchQueueSize: 10,
  experimentalNbSearchesPerCore: 4,
  experimentalDropSearchAfter: 60,
  experimentalRemoteSearchTimeoutSeconds: 5,
};

export interface Fixture {
  app: App;
  instance: Instance;
  /** Where it listens; set by `listen`. */
  url: string;
  listen(): Promise<string>;
  /** Answer of a request with an optional body: "POST /multi-search". Fails unless the status is that. */
  ask<T = Json>(line: string, json?: unknown, status?: number, headers?: Record<string, string>): Promise<T>;
  /** Adds documents to an index with settings, and waits. */
  fill(indexUid: string, documents: readonly object[], settings?: object): Promise<void>;
  close(): Promise<void>;
}

/** `networks`: private ones that may be called. `executors`: of tasks that are to run in another way. */
export async function openFixture(
  changes: Partial<ServerOptions> = {},
  embedding?: EmbedderSetup,
  networks = ["any"],
  executors: MoreExecutors = {},
): Promise<Fixture> {
  const storage = new MemoryStorage();
  const engine = openLocalEngine(storage, {
    threads: 0,
    indexingBytes: 16 * MEBIBYTE,
    searchBytes: 8 * MEBIBYTE,
    embedding,
  });
  const outbound = new OutboundClient(networks);
  const networkTopologyChange: Executor = (tasks, context) => moving(tasks, context);
  const instance = await Instance.open({
    storage,
    engine,
    executors: { ...executors, networkTopologyChange },
    mayHold: true,
  });
  const moving = movingExecutor({ instance, outbound });
  const version = { commitSha: "unknown", commitDate: "unknown", pkgVersion: "0.0.0" };
  const webhooks = new Webhooks(instance, NO_WEBHOOK);
  const logs = new LogOutput("off", "human");
  const options = { ...OPTIONS, ...changes };
  const app = createServer({
    instance,
    engine,
    webhooks,
    options,
    version,
    logs,
    outbound,
  });
  const fixture: Fixture = {
    app,
    instance,
    url: "",
    async listen() {
      fixture.url = await app.listen({ host: "127.0.0.1", port: 0 });
      return fixture.url;
    },
    async ask<T>(line: string, json?: unknown, status = 200, headers: Record<string, string> = {}) {
      const [method, url] = line.split(" ");
      const type = json === undefined ? {} : { "content-type": "application/json" };
      const payload = json === undefined ? undefined : JSON.stringify(json);
      const request = { method: method as "GET", url, payload, headers: { ...type, ...headers } };
      const response = await app.inject(request);
      assert.equal(response.statusCode, status, `${line}: ${response.body}`);
      return (response.body === "" ? null : JSON.parse(response.body)) as T;
    },
    async fill(indexUid, documents, settings = {}) {
      await fixture.ask(`PATCH /indexes/${indexUid}/settings`, settings, 202);
      await fixture.ask(`POST /indexes/${indexUid}/documents?primaryKey=id`, documents, 202);
      await instance.idle();
    },
    async close() {
      await app.close();
      await instance.close();
      await outbound.close();
      await engine.close();
    },
  };
  return fixture;
}
