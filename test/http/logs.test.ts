// /logs: the feature, the choice of lines, and the stream over a real socket.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { shownUrl } from "../../src/http/failures.ts";
import { LogOutput } from "../../src/http/logoutput.ts";
import { isWanted, LEVELS, leastLevel, parseTarget } from "../../src/http/logtarget.ts";
import { INDEX, startFixture } from "./harness.ts";

const JSON_TYPE = { "content-type": "application/json" };

test("targets choose by level and part", () => {
  const wants = (target: string, level: "debug" | "warn", part?: string) =>
    isWanted(parseTarget(target), LEVELS[level], part);
  deepEqual(
    [wants("info", "warn"), wants("info", "debug"), wants("WARN", "warn", "http")],
    [true, false, true],
  );
  deepEqual([wants("http=debug", "debug", "http"), wants("http=debug", "warn", "tasks")], [true, false]);
  deepEqual([wants("error, http", "debug", "http"), wants("error,http", "warn", "tasks")], [true, false]);
  deepEqual([wants("off", "warn"), wants("trace,http=off", "warn", "http")], [false, false]);
  equal(leastLevel(parseTarget("error,http=debug,tasks=warn")), LEVELS.debug);
});

test("targets of Meilisearch choose the parts that do the same work", () => {
  const wants = (target: string, level: "debug" | "error", part: string) =>
    isWanted(parseTarget(target), LEVELS[level], part);
  const target = "milli=trace,index_scheduler=info,actix_web=off";
  deepEqual(
    [wants(target, "debug", "engine"), wants(target, "error", "tasks"), wants(target, "debug", "tasks")],
    [true, true, false],
  );
  deepEqual(
    [wants("meilisearch", "debug", "http"), wants("milli::search=debug", "debug", "engine")],
    [true, true],
  );
  deepEqual([wants("milliner=debug", "error", "engine"), wants(target, "error", "http")], [false, false]);
});

test("lines go where they are wanted, in the form that is wanted", () => {
  const lines: string[] = [];
  const output = new LogOutput("warn", "human", { write: (line) => lines.push(line) });
  const { logger } = output;
  logger.info({ part: "http" }, "unwanted");
  logger.warn({ part: "tasks", uid: 5 }, "first");
  equal(lines.length, 1);
  match(lines[0], /^\d{4}-\d\d-\d\dT[\d:.]+Z WARN tasks: first uid=5\n$/);
  const stream = output.listen(parseTarget("http=debug"), "json");
  logger.debug({ part: "http" }, "second");
  logger.debug({ part: "tasks" }, "unwanted");
  logger.warn({ part: "tasks" }, "third");
  const { level, msg, part } = JSON.parse(String(stream.read()));
  deepEqual([level, msg, part, lines.length], [LEVELS.debug, "second", "http", 2]);
  output.endListener();
  equal(logger.isLevelEnabled("debug"), false);
  output.target = parseTarget("off");
  logger.error("unwanted");
  equal(lines.length, 2);
});

test("each request is one line at level info, without what follows its path, and without keys", async () => {
  const lines: string[] = [];
  const logs = new LogOutput("info", "json", { write: (line) => lines.push(line) });
  const { app } = await startFixture({}, JSON.stringify({ text: "a".repeat(5000) }), { logs });
  logs.flush();
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  const line = async (path: string, headers: Record<string, string> = {}) => {
    lines.length = 0;
    const response = await fetch(base + path, { headers });
    const bytes = (await response.arrayBuffer()).byteLength;
    // The line is made when the answer has gone out, which its reader may know before.
    while (lines.length === 0) {
      await setImmediate();
      logs.flush();
    }
    const { pid: _, time, ms, ...rest } = JSON.parse(lines.join(""));
    deepEqual([typeof time, typeof ms], ["number", "number"]);
    return { ...rest, received: bytes };
  };
  try {
    const id = "0123456789abcdef".repeat(3);
    const known = { level: LEVELS.info, part: "http", method: "GET", msg: "request" };
    const path = `/indexes/${INDEX}/search`;
    const plain = { "x-request-id": "from:proxy-1", "accept-encoding": "identity" };
    const { received, ...shown } = await line(`${path}?q=secret`, plain);
    deepEqual(shown, {
      ...known,
      path,
      status: 200,
      bytes: received,
      id: "from:proxy-1",
    });
    const { bytes: compressed } = await line(path, { "accept-encoding": "gzip" });
    ok(compressed > 0 && compressed < received, `${compressed} of ${received}`);
    const first = await line(`/keys/${id}`, { "x-request-id": 'not fit"' });
    deepEqual([first.path, first.status], ["/keys/KEY", 401]);
    const second = await line("/nowhere?a=b");
    deepEqual([second.path, second.status, second.bytes], ["/nowhere", 404, 0]);
    match(first.id, /^\w+-\w+$/);
    notEqual(first.id, second.id);
    logs.target = parseTarget("warn");
    await fetch(`${base}/health`);
    lines.length = 0;
    await setTimeout(20);
    logs.flush();
    deepEqual(lines, []);
  } finally {
    await app.close();
  }
});

test("lines of requests wait a moment, and keep their place among others", () => {
  const written: string[] = [];
  const logs = new LogOutput("info", "human", { write: (text) => written.push(text) });
  for (const status of [200, 404]) logs.writeQuick(LEVELS.info, "http", "request", { status, path: 'a"b' });
  deepEqual(written, []);
  logs.logger.warn({ part: "tasks" }, "third");
  const text = written.join("").replaceAll(/^\S+/gm, "TIME");
  const [first, second] = [200, 404].map(
    (status) => `TIME INFO http: request status=${status} path="a\\"b"\n`,
  );
  equal(text, `${first}${second}TIME WARN tasks: third\n`);
});

test("URLs are shown without keys, however short these are", () => {
  const hex = "0123456789abcdef".repeat(3).slice(0, 40);
  deepEqual(["/keys/a", "/KEYS//a/b", "/health", "/keys", `/${hex}`, `/${hex.slice(1)}`].map(shownUrl), [
    "/keys/KEY",
    "/KEYS//KEY/b",
    "/health",
    "/keys",
    "/KEY",
    `/${hex.slice(1)}`,
  ]);
});

test("a listener that is far behind loses lines, and no memory", () => {
  const output = new LogOutput("off", "human");
  const stream = output.listen(parseTarget("info"), "json");
  for (let line = 0; line < 300; line++) output.logger.info("x".repeat(10_000));
  equal(stream.readableLength < 2 ** 20 + 20_000, true);
});

test("the stream of an earlier listener may close late without ending the next one", async () => {
  const output = new LogOutput("off", "human");
  const first = output.listen(parseTarget("info"), "json");
  output.endListener();
  const second = output.listen(parseTarget("info"), "json");
  first.destroy();
  await once(first, "close");
  equal(output.hasListener, true);
  second.destroy();
  await once(second, "close");
  equal(output.hasListener, false);
});

test("the routes need their feature and refuse what they cannot do", async () => {
  const { code } = await startFixture();
  deepEqual(await code("POST /logs/stream", {}), [400, "feature_not_enabled"]);
  deepEqual(await code("DELETE /logs/stream"), [400, "feature_not_enabled"]);
  deepEqual(await code("POST /logs/stderr", {}), [400, "feature_not_enabled"]);
  await code("PATCH /experimental-features", { logsRoute: true });
  const refusals = [
    { target: "" },
    { target: "a=b" },
    { target: "info,,debug" },
    { target: 5 },
    { target: null },
    { mode: null },
    { profileMemory: null },
    { mode: "loud" },
    { mode: "profile" },
    { more: 1 },
  ];
  for (const body of refusals)
    deepEqual(await code("POST /logs/stream", body), [400, "bad_request"], JSON.stringify(body));
  const odd = [400, "invalid_settings_typo_tolerance"];
  deepEqual(await code("POST /logs/stream", { profileMemory: true }), odd);
  for (const target of ["=", null])
    deepEqual(await code("POST /logs/stderr", { target }), [400, "bad_request"]);
  deepEqual(await code("POST /logs/stderr", { target: "off" }), [204, null]);
  deepEqual(await code("DELETE /logs/stream"), [204, null]);
});

test("the log is streamed to one listener until somebody ends it", async () => {
  const { app, code } = await startFixture();
  await code("PATCH /experimental-features", { logsRoute: true });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    const listen = async () => {
      const asking = request(`${base}/logs/stream`, { method: "POST", headers: JSON_TYPE });
      asking.end('{"target":"http=debug"}');
      const [response] = (await once(asking, "response")) as [IncomingMessage];
      return response;
    };
    const first = await listen();
    deepEqual([first.statusCode, first.headers["x-accel-buffering"]], [200, "no"]);
    equal((await listen()).statusCode, 400);
    get(`${base}/health`).end();
    const [line] = await once(first, "data");
    match(String(line), /INFO http: request method="(POST|GET)"/);
    first.resume();
    deepEqual(await code("DELETE /logs/stream"), [204, null]);
    await once(first, "end");
    const switched = await listen();
    switched.resume();
    await code("PATCH /experimental-features", { logsRoute: false });
    await once(switched, "end");
    await code("PATCH /experimental-features", { logsRoute: true });
    const second = await listen();
    equal(second.statusCode, 200);
    second.destroy();
    for (;;) {
      const third = await listen();
      third.destroy();
      if (third.statusCode === 200) break;
    }
  } finally {
    await app.close();
  }
});
