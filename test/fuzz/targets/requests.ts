// Sessions of requests against a whole server in memory: all routes, bodies made from their schemas, odd
// paths, parameters and headers. Never a 5xx, never a crash, each refusal with a code of the table, and
// the tasks that were made end without an internal error.
import assert from "node:assert/strict";
import { brotliDecompressSync, unzipSync } from "node:zlib";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import type { TSchema } from "typebox";
import { type ErrorCode, TarsierError } from "../../../src/errors.ts";
import { LogOutput } from "../../../src/http/logoutput.ts";
import { createServer } from "../../../src/http/server.ts";
import { OutboundClient } from "../../../src/outbound/client.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import { dumpExecutor } from "../../../src/tasks/dumps/dump.ts";
import { exportExecutor } from "../../../src/tasks/exports.ts";
import { snapshotExecutor } from "../../../src/tasks/snapshots.ts";
import { Webhooks } from "../../../src/tasks/webhooks.ts";
import { closeFixture, type LocalFixture, openFixture } from "../../crash/localfixture.ts";
import type { Random } from "../../crash/random.ts";
import { NO_WEBHOOK, OPTIONS } from "../../http/harness.ts";
import { VERSION } from "../../tasks/copyfixture.ts";
import type { Input, Target } from "../fuzzing.ts";
import { type Request, SessionMaker } from "../sessions.ts";

/** POST /logs/stream answers for as long as the client listens. */
const ENDLESS = "/logs/stream";
const IDLE_MS_MAX = 20_000;
/** Answers of other servers that could not be had. */
const PROXY = /^proxy_/;

export const requestTargets: Target[] = [
  { name: "requests", slice: 2, open: () => sessions({}) },
  { name: "searches", slice: 2, open: () => sessions({ only: /search|similar|fetch|documents$/ }) },
  { name: "settings", slice: 2, open: () => sessions({ only: /settings/ }) },
];

async function sessions({ only = /./ }: { only?: RegExp }) {
  const maker = new SessionMaker(await routes(), only);
  return {
    make: (random: Random) => JSON.stringify(maker.session(random)),
    async take(input: Input) {
      const server = await openServer();
      try {
        return await run(server, JSON.parse(String(input)) as Request[]);
      } finally {
        await server.app.close();
        await closeFixture(server.fixture);
      }
    },
  };
}

type Server = Awaited<ReturnType<typeof openServer>>;

async function openServer(onRoute?: Parameters<ReturnType<typeof createServer>["addHook"]>[1]) {
  const storage = new MemoryStorage();
  const copies = new MemoryStorage();
  copies.makeFolder("");
  const executors = {
    dumpCreation: dumpExecutor({ storage, dumps: copies, version: VERSION }),
    snapshotCreation: snapshotExecutor({ storage, snapshots: copies, name: "a.snapshot", version: VERSION }),
    export: exportExecutor(new OutboundClient([])),
  };
  const fixture = await openFixture(storage, { executors });
  const troubles: Error[] = [];
  fixture.instance.on("trouble", (error) => {
    troubles.push(error);
  });
  const app = createServer({
    instance: fixture.instance,
    engine: fixture.engine,
    webhooks: new Webhooks(fixture.instance, NO_WEBHOOK),
    options: OPTIONS,
    outbound: new OutboundClient([]),
    version: { commitSha: "unknown", commitDate: "unknown", pkgVersion: VERSION },
    logs: new LogOutput("off", "human"),
  });
  if (onRoute) app.addHook("onRoute", onRoute as never);
  await app.ready();
  return { app, fixture, troubles };
}

/** Every route with the schema of its body. */
async function routes(): Promise<{ method: string; url: string; body: TSchema | null }[]> {
  const found: { method: string; url: string; body: TSchema | null }[] = [];
  const { app, fixture } = await openServer(((route: {
    method: string;
    url: string;
    schema?: { body?: TSchema };
  }) => {
    for (const method of [route.method].flat())
      found.push({ method, url: route.url, body: route.schema?.body ?? null });
  }) as never);
  await app.close();
  await closeFixture(fixture);
  const isSound = found.length > 0 && found.some(({ body }) => body !== null);
  assert.ok(isSound, "the routes are known");
  return found.filter(({ url, method }) => url !== ENDLESS || method !== "POST");
}

/** Its refusals are in words of its own. */
const PROTOCOL = "/mcp";

/** True when more than half of the requests were accepted. */
async function run(server: Server, requests: readonly Request[]): Promise<boolean> {
  let accepted = 0;
  for (const request of requests) {
    // Over a socket the router takes it as it is; what injects requests makes a URL of it.
    if (!URL.canParse(request.url, "http://localhost")) continue;
    const { body, ...rest } = request;
    const payload = body === null ? {} : { payload: body };
    const response = await server.app.inject({ ...rest, ...payload } as InjectOptions);
    const text = () => (request.method === "HEAD" ? "" : textOf(response));
    const place = () => `${JSON.stringify(request)} -> ${response.statusCode} ${text().slice(0, 1000)}`;
    if (response.statusCode < 400) accepted++;
    else if (request.url.startsWith(PROTOCOL)) assert.ok(response.statusCode < 500, place());
    else checkRefusal(response.statusCode, text(), place);
  }
  await settle(server);
  return accepted > requests.length / 2;
}

/** Long answers are compressed if the request allows it. */
function textOf({ headers, body, rawPayload }: LightMyRequestResponse): string {
  const coding = headers["content-encoding"];
  if (coding === undefined) return body;
  return (coding === "br" ? brotliDecompressSync : unzipSync)(rawPayload).toString();
}

function checkRefusal(status: number, body: string, place: () => string): void {
  if (body === "") {
    // A HEAD, or a path or method that no route has.
    assert.ok(status < 500, place());
    return;
  }
  const { code, message, type } = JSON.parse(body) as TarsierError;
  if (!PROXY.test(code)) assert.ok(status < 500, place());
  // Throws for a code that is not in the table.
  assert.equal(new TarsierError(code as ErrorCode).code, code);
  assert.ok(message.length > 0 && type.length > 0, place());
}

/** Waits for the tasks of the session and looks at their ends. */
async function settle({ fixture, troubles }: Server): Promise<void> {
  await idle(fixture);
  const all = { limit: 1000, from: null, reverse: true };
  for (const { uid, type, error } of fixture.instance.tasks({}, all, null).results) {
    // An export that cannot reach the other server says so by this code.
    if (!error || type === "export") continue;
    assert.notEqual(error.code, "internal", `task ${uid}: ${error.message}`);
    assert.equal(new TarsierError(error.code as ErrorCode).code, error.code);
  }
  if (troubles.length > 0) throw troubles[0];
}

async function idle({ instance }: LocalFixture): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("tasks still wait")), IDLE_MS_MAX);
  });
  await Promise.race([instance.idle(), late]).finally(() => clearTimeout(timer));
}
