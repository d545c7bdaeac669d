// A server over a real instance in memory, and an engine that keeps documents in maps and answers reads with
// fixed bytes: the tests of the HTTP face look at requests, refusals, and what is handed on.
import { equal } from "node:assert/strict";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Analytics } from "../../src/http/analytics.ts";
import type { App, ServerOptions } from "../../src/http/app.ts";
import type { ConnectionLimits } from "../../src/http/connections.ts";
import { LogOutput } from "../../src/http/logoutput.ts";
import { createServer } from "../../src/http/server.ts";
import { OutboundClient } from "../../src/outbound/client.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { type WebhookOptions, Webhooks } from "../../src/tasks/webhooks.ts";
import { FakeEngine } from "../tasks/fakeengine.ts";

/** The one index that exists: two documents, ids 1 and 2. */
export const INDEX = "teas";

export interface Fixture {
  app: App;
  instance: Instance;
  engine: FakeEngine;
  storage: MemoryStorage;
  /** What the routes registered. */
  registrations: Record<string, unknown>[];
  /** What the routes asked, of instance and engine: [name, ...arguments]. */
  calls: [name: string, ...args: unknown[]][];
  /** Status and error code (or null) of a request with an optional JSON body. `line`: "POST /indexes". */
  code(line: string, json?: unknown, headers?: Record<string, string>): Promise<[number, string | null]>;
}

/** What a test does before the fixture is used. */
export interface Preparations {
  /** Before the server looks at the instance. */
  instance?: (instance: Instance) => Promise<void>;
  /** Before the routes are registered. */
  app?: (app: App) => void;
  storage?: MemoryStorage;
  /** In the place of one that keeps documents in maps. */
  engine?: Engine;
  analytics?: (instance: Instance) => Analytics;
  /** The webhook of the command line. */
  webhook?: WebhookOptions;
  connections?: ConnectionLimits;
  logs?: LogOutput;
}

/** `answer`: what every search and listing is answered. */
export async function startFixture(
  changes: Partial<ServerOptions> = {},
  answer = "{}",
  preparations: Preparations = {},
): Promise<Fixture> {
  const { storage = new MemoryStorage() } = preparations;
  const fake = new ReadingEngine(storage, answer);
  const { engine = fake } = preparations;
  const instance = await Instance.open({ storage, engine });
  await preparations.instance?.(instance);
  const calls: Fixture["calls"] = fake.reads;
  const app = createServer({
    instance: recording(instance, calls),
    engine,
    webhooks: new Webhooks(instance, preparations.webhook ?? NO_WEBHOOK),
    options: { ...OPTIONS, ...changes },
    version: { commitSha: "unknown", commitDate: "unknown", pkgVersion: "0.0.0" },
    logs: preparations.logs ?? new LogOutput("off", "human"),
    outbound: new OutboundClient(["any"]),
    ...(preparations.analytics && { analytics: preparations.analytics(instance) }),
    connections: preparations.connections,
  });
  preparations.app?.(app);
  const code: Fixture["code"] = async (line, json, headers = {}) => {
    const [method, url] = line.split(" ");
    const payload = json === undefined ? undefined : JSON.stringify(json);
    const type = json === undefined ? {} : { "content-type": "application/json" };
    const response = await app.inject({
      method: method as "GET",
      url,
      payload,
      headers: { ...type, ...headers },
    });
    const body = response.body === "" ? null : JSON.parse(response.body);
    return [response.statusCode, body?.code ?? null];
  };
  const authorization = `Bearer ${changes.masterKey}`;
  const documents = [{ id: 1 }, { id: 2 }];
  await app.inject({
    method: "POST",
    url: `/indexes/${INDEX}/documents`,
    payload: documents,
    headers: { authorization },
  });
  await instance.idle();
  calls.length = 0;
  return {
    app,
    instance,
    engine: fake,
    storage,
    calls,
    code,
    get registrations() {
      return calls
        .filter(([name]) => name === "register")
        .map(([, registration]) => withoutPlace(registration as Record<string, unknown>));
    },
  };
}

/** Requests have no place among the writes of a program. */
function withoutPlace({ place, ...registration }: Record<string, unknown>): Record<string, unknown> {
  equal(place ?? null, null);
  return registration;
}

export const OPTIONS: ServerOptions = {
  env: "development",
  masterKey: null,
  noAnalytics: false,
  httpPayloadSizeLimit: 100_000,
  experimentalSearchQueueSize: 10,
  experimentalNbSearchesPerCore: 4,
  experimentalDropSearchAfter: 60,
  experimentalRemoteSearchTimeoutSeconds: 5,
};

export const NO_WEBHOOK: WebhookOptions = { taskWebhookUrl: null, taskWebhookAuthorizationHeader: null };

class ReadingEngine extends FakeEngine {
  readonly reads: [name: string, ...args: unknown[]][] = [];
  readonly #answer: Uint8Array;

  constructor(storage: MemoryStorage, answer: string) {
    super(storage);
    this.#answer = new TextEncoder().encode(answer);
  }

  override async search(...args: unknown[]): Promise<Uint8Array> {
    this.reads.push(["search", ...args]);
    return this.#answer;
  }

  override async facetSearch(...args: unknown[]): Promise<Uint8Array> {
    this.reads.push(["facetSearch", ...args]);
    return this.#answer;
  }

  override async similar(...args: unknown[]): Promise<Uint8Array> {
    this.reads.push(["similar", ...args]);
    return this.#answer;
  }

  override async documents(...args: unknown[]): Promise<Uint8Array> {
    this.reads.push(["documents", ...args]);
    return this.#answer;
  }

  override async document(...[, id]: unknown[]): Promise<Uint8Array | null> {
    return id === "1" ? new TextEncoder().encode('{"id":1}') : null;
  }

  override async fields(): Promise<string[]> {
    return ["_geo", "id", "name", "name.de"];
  }

  override async settings(): ReturnType<Engine["settings"]> {
    return defaultSettings();
  }
}

/** The instance, with every call of a method noted. */
function recording(instance: Instance, calls: Fixture["calls"]): Instance {
  return new Proxy(instance, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        calls.push([String(name), ...args]);
        return member.apply(target, args);
      };
    },
  });
}
