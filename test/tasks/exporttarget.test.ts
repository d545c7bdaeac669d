// What an export sends to its target, request by request, and what it makes of the answers: the target is a
// function, and so are the documents.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Engine } from "../../src/engine/engine.ts";
import { FEATURE_OF_SETTING } from "../../src/engine/unbuiltsettings.ts";
import type { OutboundClient, OutboundRequest } from "../../src/outbound/client.ts";
import { FEATURE_KIND } from "../../src/schemas/features.ts";
import { exportExecutor } from "../../src/tasks/exports.ts";
import type { Export } from "../../src/tasks/kinds.ts";
import { Patience } from "../../src/tasks/patience.ts";
import { create, openFixture, remove } from "./setup.ts";

interface Sent {
  /** Method and path. */
  line: string;
  url: string;
  headers: Record<string, string>;
  /** As text. */
  body: string;
  timeoutMs: number;
}

type Answer = [status: number, body?: string];

const TAKEN: Answer = [202, "{}"];
const UNKNOWN: Answer = [404, '{"code":"index_not_found"}'];
const TIMES = { retryMsMax: 0, awayMsMax: 10_000 };
const DOCUMENTS = "POST /indexes/teas/documents";

/** A target that has no index yet. */
const empty = ({ line }: Sent): Answer => (line.startsWith("GET") ? UNKNOWN : TAKEN);

/** An instance whose only index holds the lines, and whose exports go to what answers. */
async function openExports(lines: readonly string[], answer: (request: Sent, sent: Sent[]) => Answer) {
  const sent: Sent[] = [];
  const client = {
    async request(address: string, { method, headers, body, timeoutMs = 0 }: OutboundRequest) {
      const url = String(address);
      const isZipped = headers?.["content-encoding"] === "gzip";
      const text = isZipped ? gunzipSync(body as Uint8Array).toString() : String(body ?? "");
      const line = `${method} ${url.replace("http://x", "")}`;
      const request = { line, url, headers: { ...headers }, body: text, timeoutMs };
      sent.push(request);
      const [status, said = ""] = answer(request, sent);
      return { status, headers: {}, body: Buffer.from(said) };
    },
  };
  const executors = { export: exportExecutor(client as unknown as OutboundClient, TIMES) };
  const fixture = await openFixture({ executors });
  const engine: Engine = fixture.engine;
  const { instance } = fixture;
  const off = Object.keys(FEATURE_OF_SETTING).map((name) => [name, "set"]);
  engine.settings = async () => ({ stopWords: ["the"], ...Object.fromEntries(off) });
  engine.lines = async (_, { from, bytesMax }) => {
    let next = from + 1;
    const bytes = () => lines.slice(from, next + 1).join("").length;
    while (next < lines.length && bytes() <= bytesMax) next++;
    const piece = lines.slice(from, next);
    return {
      lines: Buffer.from(piece.join("")),
      documents: piece.length,
      next: next < lines.length ? next : null,
    };
  };
  const run = async (changes: Partial<Export> = {}, overrideSettings = false) => {
    const indexes = { "*": { filter: null, overrideSettings } };
    const kind = { type: "export", url: "http://x", apiKey: null, payloadSize: null, indexes } as const;
    const { taskUid } = await instance.register({ ...kind, ...changes });
    await instance.idle();
    return instance.task(taskUid, null);
  };
  return { ...fixture, sent, run };
}

const linesOf = (...lengths: number[]) => lengths.map((length, at) => `${`${at}`.padEnd(length - 1, ".")}\n`);

test("each document goes once, and only a long one makes a request longer than was asked for", async () => {
  const lines = linesOf(40, 40, 40, 30, 300, 40, 60, 10);
  const { instance, sent, run } = await openExports(lines, empty);
  await instance.register(create("teas"));
  equal((await run({ payloadSize: "100" })).status, "succeeded");
  const requests = sent.filter(({ line }) => line === DOCUMENTS);
  deepEqual(
    requests.map(({ body }) => body.length),
    [80, 70, 300, 100, 10],
  );
  equal(requests.map(({ body }) => body).join(""), lines.join(""));
  // A slow line has time for the bytes beside that for the answer.
  ok(requests.every(({ timeoutMs }) => timeoutMs > 10_000));
});

test("paths follow the URL without its last slash, and without a key nothing is said of one", async () => {
  for (const apiKey of [null, "secret"]) {
    const { instance, sent, run } = await openExports(linesOf(10), empty);
    await instance.register(create("teas"));
    equal((await run({ url: "http://x/peer/", apiKey })).status, "succeeded");
    equal(sent[0].url, "http://x/peer/indexes/teas");
    for (const { headers } of sent)
      equal(headers.authorization, apiKey === null ? undefined : "Bearer secret");
  }
});

test("of an index that is there only what is to be overridden is, and no key is taken away", async () => {
  for (const primaryKey of [null, "id"]) {
    for (const overrides of [false, true]) {
      const { instance, sent, run } = await openExports(linesOf(10), () => [200, "{}"]);
      await instance.register(create("teas", primaryKey));
      equal((await run({}, overrides)).status, "succeeded");
      const expected = ["GET /indexes/teas"];
      if (overrides && primaryKey !== null) expected.push("PATCH /indexes/teas");
      if (overrides) expected.push("PATCH /indexes/teas/settings");
      deepEqual(
        sent.map(({ line }) => line),
        [...expected, DOCUMENTS],
      );
    }
  }
});

test("settings of features that are off stay here", async () => {
  const { instance, sent, run } = await openExports([], empty);
  await instance.register(create("teas"));
  const settings = () => JSON.parse(sent.find(({ line }) => line.endsWith("/settings"))!.body);
  await run();
  deepEqual(settings(), { stopWords: ["the"] });
  for (const [name, feature] of Object.entries(FEATURE_OF_SETTING)) {
    await instance.put(FEATURE_KIND, feature, true);
    sent.length = 0;
    await run();
    equal(settings()[name], "set");
  }
});

test("what a target refuses ends the task in few words; what may pass does not", async () => {
  const long = "x".repeat(1000);
  const refusals: [answer: Answer, told: RegExp][] = [
    [[404, long], /^GET http:\/\/x\/indexes\/teas: the target answered 404 without a code: x{300}$/],
    [[404, '{"code":5}'], /404 without a code: \{"code":5\}$/],
    [[304], /304 without a code: $/],
    [[501, '{"code":"a","message":"b"}'], /501 a: b$/],
  ];
  for (const [answer, told] of refusals) {
    const { instance, run } = await openExports(linesOf(10), () => answer);
    await instance.register(create("teas"));
    const { status, error } = await run();
    equal(status, "failed");
    match(error!.message, told);
  }
  for (const status of [408, 429]) {
    const { instance, run } = await openExports(linesOf(10), (request, { length }) =>
      length === 1 ? [status] : empty(request),
    );
    await instance.register(create("teas"));
    equal((await run()).status, "succeeded");
  }
});

test("an index that is replaced while its target is away goes there anew, and whole", async () => {
  let [isAway, wasAway] = [false, false];
  const { instance, sent, run } = await openExports(linesOf(10, 10), (request, { length }) => {
    if (length === 4 && !wasAway) isAway = wasAway = true;
    return isAway ? [503] : empty(request);
  });
  await instance.register(create("teas"));
  await instance.idle();
  const whole = ["GET /indexes/teas", "POST /indexes", "PATCH /indexes/teas/settings", DOCUMENTS, DOCUMENTS];
  const done = run({ payloadSize: "0" });
  while (!isAway) await new Promise(setImmediate);
  await instance.register(remove("teas"));
  const { taskUid } = await instance.register(create("teas"));
  while (instance.task(taskUid, null).status !== "succeeded") await new Promise(setImmediate);
  sent.length = 0;
  isAway = false;
  equal((await done).status, "succeeded");
  deepEqual(
    sent.map(({ line }) => line),
    whole,
  );
});

test("a target that is away again and again is waited for while something gets there", async (context) => {
  // Each failure takes more than half of the time for which a target may be away.
  let lostMs = 0;
  const now = performance.now.bind(performance);
  context.mock.method(performance, "now", () => now() + lostMs);
  const failures: Record<string, number> = { "GET /indexes/teas": 1, "0": 2, "1": 2, "2": 9 };
  const { instance, run } = await openExports(linesOf(10, 10, 10), (request) => {
    const name = request.line === DOCUMENTS ? request.body[0] : request.line;
    if (!failures[name]) return empty(request);
    failures[name]--;
    lostMs += 0.6 * TIMES.awayMsMax;
    return [503];
  });
  await instance.register(create("teas"));
  const { status, error } = await run({ payloadSize: "0" });
  // The last document is tried no more after that time.
  deepEqual([status, failures], ["failed", { "GET /indexes/teas": 0, "0": 0, "1": 0, "2": 6 }]);
  match(error!.message, /503/);
});

test("who is patient waits longer each time, up to a bound, and begins anew after something was done", () => {
  const patience = new Patience({ waitMsMax: 300 });
  deepEqual([patience.waitMs(), patience.waitMs(), patience.waitMs()], [250, 300, 300]);
  ok(patience.stalledMs > 0);
  patience.restore();
  deepEqual([patience.stalledMs, patience.waitMs()], [0, 250]);
});
