// Calls of a provider that fails, is slow, answers nonsense or asks for fewer calls.
import { deepEqual, doesNotMatch, equal, match, ok, rejects } from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { waitBefore } from "../../src/embedders/calls.ts";
import type { CallStatistics } from "../../src/embedders/embedder.ts";
import { Embedders } from "../../src/embedders/embedders.ts";
import { Lane } from "../../src/embedders/lane.ts";
import { OutboundClient } from "../../src/outbound/client.ts";
import { type Answer, embed, heldBack, several, single, startProvider } from "./server.ts";

const ATTEMPTS_MAX = 11;
const failed = (message: RegExp) => ({ code: "vector_embedding_error", message });
const statistics = (): CallStatistics => ({ total: 0, failed: 0, lastError: null });

/** Answers with a status for so many calls, then as it should. */
function failing(
  status: number,
  times = Number.POSITIVE_INFINITY,
  headers: Record<string, string> = {},
): Answer {
  return (received, response, count) => {
    if (count > times) return embed(received, response, count);
    response.writeHead(status, headers).end(`{"error":"number ${count}"}`);
  };
}

describe("a status", () => {
  const final: [status: number, word: RegExp][] = [
    [400, /user error.*status 400.*number 1.*`request`/],
    [401, /user error.*status 401.*`apiKey`/],
    [403, /: error: .*status 403/],
    [404, /: error: .*status 404/],
  ];
  for (const [status, message] of final) {
    test(`${status} is final`, async (t) => {
      const { url, options, received } = await startProvider(t, failing(status));
      const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
      await rejects(embedder.embedDocuments(["a"]), failed(message));
      equal(received.length, 1);
    });
  }

  for (const status of [500, 503, 429]) {
    test(`${status} is tried again, until it is enough`, async (t) => {
      const { url, options, received } = await startProvider(t, failing(status));
      const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
      const calls = statistics();
      const message = new RegExp(
        `runtime error.*status ${status}.*number 11.*after ${ATTEMPTS_MAX} attempts`,
      );
      await rejects(embedder.embedDocuments(["a"], { calls }), failed(message));
      equal(received.length, ATTEMPTS_MAX);
      deepEqual([calls.total, calls.failed], [ATTEMPTS_MAX, ATTEMPTS_MAX]);
      match(calls.lastError ?? "", /number 11/);
    });
  }

  test("that passes leaves nothing but its count", async (t) => {
    const { url, options } = await startProvider(t, failing(500, 2));
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    const calls = statistics();
    deepEqual(await embedder.embedDocuments(["ab"], { calls }), [Float32Array.of(1, 1, 0, 2)]);
    deepEqual([calls.total, calls.failed], [3, 2]);
  });
});

describe("what is told of a failure keeps the secrets of the embedder", () => {
  const SECRET = /user-word|pass-word|query-secret|header-secret|key-secret/;
  const kept = ({ message }: Error) => {
    doesNotMatch(message, SECRET);
    match(message, /http:\/\/127\.0\.0\.1:\d+\/`/);
    return true;
  };
  const secretUrl = (url: string) => `${url.replace("//", "//user-word:pass-word@")}?key=query-secret`;

  test("in the address of a server that cannot be reached", async (t) => {
    const { url, options } = await startProvider(t, embed);
    const client = new OutboundClient([]);
    t.after(() => client.close());
    const embedder = await new Embedders({ ...options, client }).open("e", {
      ...single(secretUrl(url)),
      dimensions: 4,
    });
    await rejects(embedder.embedDocuments(["a"]), kept);
  });

  test("in an answer that repeats what it was sent", async (t) => {
    const echo: Answer = ({ headers }, response) => {
      response.writeHead(401).end(JSON.stringify(headers));
    };
    const { url, options } = await startProvider(t, echo);
    const settings = { apiKey: "key-secret", headers: { "x-key": "header-secret" }, dimensions: 4 };
    const embedder = await new Embedders(options).open("e", { ...single(secretUrl(url)), ...settings });
    await rejects(embedder.embedDocuments(["a"]), kept);
  });

  const good: [name: string, answer: Answer][] = [
    [
      "is no JSON",
      ({ headers }, response) => void response.end(`key ${headers.authorization}, ${headers["x-key"]}`),
    ],
    ["has other fields", ({ headers }) => ({ vector: `${"x".repeat(60)} ${headers.authorization}` })],
  ];
  for (const [name, answer] of good) {
    test(`in an answer that is called good and ${name}`, async (t) => {
      const { url, options } = await startProvider(t, answer);
      const settings = { apiKey: "key-secret", headers: { "x-key": "header-secret" }, dimensions: 4 };
      const embedder = await new Embedders(options).open("e", { ...single(url), ...settings });
      const calls = statistics();
      await rejects(embedder.embedDocuments(["a"], { calls }), ({ message }: Error) => {
        doesNotMatch(message + calls.lastError, /secre|header-/);
        match(message, /Bearer|the answer is no JSON: `key /);
        return true;
      });
    });
  }
});

describe("the wait for another attempt", () => {
  const later = { retry: "soon", retryAfterMs: 0 } as const;
  const limited = { retry: "limited", retryAfterMs: 0 } as const;
  const range = (t: TestContext, ...args: Parameters<typeof waitBefore>) => {
    const random = t.mock.method(Math, "random", () => 0);
    const longest = waitBefore(...args);
    random.mock.mockImplementation(() => 1);
    return [waitBefore(...args), longest];
  };
  const always = { waitMsMax: 60_000, leftMs: Number.POSITIVE_INFINITY };

  test("grows, and is a half to all of a bound", (t) => {
    deepEqual(range(t, later, 0, always), [0.5, 1]);
    deepEqual(range(t, later, 3, always), [500, 1000]);
    deepEqual(range(t, limited, 1, always), [55, 110]);
    deepEqual(range(t, later, 9, always), [30_000, 60_000]);
  });

  test("is cut to the time that a search has left", (t) => {
    deepEqual(range(t, later, 3, { ...always, leftMs: 400 }), [200, 400]);
  });

  test("is as long as the provider asks for, up to its bound, if there is time for that", (t) => {
    const asked = { ...limited, retryAfterMs: 3000 };
    deepEqual(range(t, asked, 1, always), [3000, 3000]);
    deepEqual(range(t, asked, 1, { ...always, waitMsMax: 2000 }), [2000, 2000]);
    deepEqual(range(t, asked, 1, { ...always, leftMs: 400 }), [55, 110]);
  });
});

describe("a search", () => {
  test("uses what it has left for another attempt, when the wait for it would be longer", async (t) => {
    t.mock.method(Math, "random", () => 1);
    const { url, options, received } = await startProvider(t, failing(500, 5), { retryWaitMs: 60_000 });
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    deepEqual(await embedder.embedQuery({ q: "ab" }, { timeoutMs: 2000 }), Float32Array.of(1, 1, 0, 2));
    equal(received.length, 6);
  });

  test("asks again when the provider wants more time than there is", async (t) => {
    const { url, options } = await startProvider(t, failing(429, 1, { "retry-after": "20" }), {
      retryWaitMs: 60_000,
    });
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    const vector = await embedder.embedQuery({ q: "ab" }, { timeoutMs: 5000 });
    deepEqual(vector, Float32Array.of(1, 1, 0, 2));
  });

  test("tells at its end what has failed, not that the time was over", async (t) => {
    const { url, options } = await startProvider(t, failing(500), { retryWaitMs: 60_000 });
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    await rejects(embedder.embedQuery({ q: "ab" }, { timeoutMs: 300 }), failed(/status 500.*attempts/));
  });
});

test("a provider may name the moment from which it takes calls again", async (t) => {
  const answer: Answer = (received, response, count) => {
    const headers = { "retry-after": new Date(Date.now() + 1900).toUTCString() };
    return failing(429, 1, headers)(received, response, count);
  };
  const { url, options } = await startProvider(t, answer, { retryWaitMs: 300 });
  const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
  const before = performance.now();
  await embedder.embedDocuments(["a"]);
  ok(performance.now() - before >= 290);
});

test("a search that its caller may stop is no one else's", async (t) => {
  const { late, release } = heldBack(embed);
  const { url, options, received } = await startProvider(t, late);
  const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
  const stop = new AbortController();
  const stopped = embedder.embedQuery({ q: "a" }, { signal: stop.signal });
  const other = embedder.embedQuery({ q: "a" });
  while (received.length < 2) await new Promise(setImmediate);
  stop.abort(new Error("enough"));
  await rejects(stopped, /enough/);
  release();
  deepEqual(await other, Float32Array.of(1, 0, 0, 1));
});

test("no call begins while the provider wants none, whoever was told so", async (t) => {
  const times: number[] = [];
  const answer: Answer = (received, response, count) => {
    times.push(performance.now());
    return failing(429, 1, { "retry-after": "0.2" })(received, response, count);
  };
  const { url, options } = await startProvider(t, answer, { retryWaitMs: 1000 });
  const embedders = new Embedders(options);
  const one = await embedders.open("one", { ...single(url), dimensions: 4 });
  const other = await embedders.open("other", { ...single(url), dimensions: 4 });
  const calls = statistics();
  const first = one.embedDocuments(["a"], { calls });
  while (calls.failed === 0) await new Promise(setImmediate);
  await Promise.all([first, other.embedDocuments(["b"])]);
  ok(
    times.slice(1).every((time) => time - times[0] >= 190),
    times.join(" "),
  );
});

test("calls are held back where timers are numbers, as in browsers", async (t) => {
  const start = globalThis.setTimeout;
  t.mock.method(globalThis, "setTimeout", ((...given: Parameters<typeof start>) =>
    Number(start(...given))) as unknown as typeof start);
  const lane = new Lane();
  lane.narrow(20);
  const before = performance.now();
  const leave = await lane.enter(false);
  ok(performance.now() - before >= 15);
  lane.narrow(20);
  leave();
});

describe("an answer", () => {
  const nonsense: [name: string, answer: Answer, attempts: number, message: RegExp][] = [
    [
      "that is no JSON is asked for again",
      (_, response) => void response.end("<html>"),
      ATTEMPTS_MAX,
      /no JSON.*<html>/,
    ],
    ["without vectors is final", () => ({ vetcor: [1] }), 1, /runtime error.*field `vector`.*`vetcor`/],
    ["that is empty is asked for again", (_, response) => void response.end(), ATTEMPTS_MAX, /an empty body/],
    ["of other dimensions is final", () => ({ vector: [1, 2, 3] }), 1, /expected vectors of 4 dimensions.*3/],
    [
      "that breaks off is asked for again",
      (_, response) => void response.destroy(),
      ATTEMPTS_MAX,
      /could not reach/,
    ],
    [
      "that leads elsewhere is not followed, but asked for again",
      (_, response) => void response.writeHead(302, { location: "/there" }).end(),
      ATTEMPTS_MAX,
      /: error: .*302 leads to `\/there`/,
    ],
    [
      "that leads nowhere is asked for again",
      (_, response) => void response.writeHead(302).end(),
      ATTEMPTS_MAX,
      /: error: .*302 leads elsewhere \(/,
    ],
    [
      "that says that nothing is new is asked for again",
      (_, response) => void response.writeHead(304).end(),
      ATTEMPTS_MAX,
      /: error: .*status 304/,
    ],
  ];
  for (const [name, answer, attempts, message] of nonsense) {
    test(`${name}, and counts as failed`, async (t) => {
      const { url, options, received } = await startProvider(t, answer);
      const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
      const calls = statistics();
      await rejects(embedder.embedDocuments(["a"], { calls }), failed(message));
      deepEqual([received.length, calls.total, calls.failed], [attempts, attempts, attempts]);
      ok(calls.lastError);
    });
  }

  test("that is far longer than its vectors is not read to its end", async (t) => {
    const long = JSON.stringify({ vector: [1, 2, 3, 4], more: " ".repeat(4_000_000) });
    const { url, options, received } = await startProvider(t, (_, response) => void response.end(long));
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    await rejects(embedder.embedDocuments(["a"]), failed(/could not reach/));
    equal(received.length, 1);
  });

  test("with more vectors than texts is none", async (t) => {
    const { url, options } = await startProvider(t, () => ({ vectors: [{ v: [1, 2] }, { v: [3, 4] }] }));
    const embedder = await new Embedders(options).open("e", { ...several(url), dimensions: 2 });
    await rejects(embedder.embedDocuments(["a"]), failed(/expected 1 vectors.*found 2/));
  });

  test("is quoted without the keys that were sent, but with all other words", async (t) => {
    const answer: Answer = ({ headers }, response) =>
      void response
        .writeHead(403)
        .end(`${headers.authorization} ${headers["x-org"]} ${headers["content-type"]}`);
    const { url, options } = await startProvider(t, answer);
    const settings = {
      ...single(url),
      apiKey: "sixteen letters!",
      headers: { "x-org": "acme" },
      dimensions: 4,
    };
    const embedder = await new Embedders(options).open("e", settings);
    await rejects(embedder.embedDocuments(["a"]), failed(/`Bearer \.\.\. acme application\/json`/));
  });

  test("with another number of vectors counts as failed, and is what is told of", async (t) => {
    const { url, options } = await startProvider(t, () => ({ vectors: [{ v: [1, 2] }] }));
    const embedder = await new Embedders(options).open("e", { ...several(url), dimensions: 2 });
    const calls = statistics();
    await rejects(embedder.embedDocuments(["a", "b"], { calls }), failed(/expected 2 vectors/));
    deepEqual([calls.total, calls.failed], [1, 1]);
    match(calls.lastError ?? "", /expected 2 vectors.*found 1/);
  });

  test("that is not waited for any more, as another one failed, counts as no failure", async (t) => {
    const answer: Answer = (_, response, count) =>
      count === 3 ? void response.writeHead(403).end("no more") : undefined;
    const provider = await startProvider(t, answer);
    const embedder = await new Embedders(provider.options).open("e", {
      ...single(provider.url),
      dimensions: 4,
    });
    const calls = statistics();
    await rejects(embedder.embedDocuments(["a", "b", "c"], { calls }), failed(/no more/));
    while (provider.now > 0) await new Promise(setImmediate);
    deepEqual([calls.total, calls.failed], [3, 1]);
    match(calls.lastError ?? "", /no more/);
  });

  test("that does not come is not waited for", async (t) => {
    const { url, options } = await startProvider(t, () => undefined, { requestTimeoutMs: 20 });
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    const calls = statistics();
    await rejects(embedder.embedDocuments(["a"], { calls }), failed(/no answer in 20 ms.*after 11 attempts/));
    equal(calls.total, ATTEMPTS_MAX);
  });

  test("that comes after the search must answer is not waited for, nor asked for again", async (t) => {
    const { url, options, received } = await startProvider(t, () => undefined);
    const embedder = await new Embedders(options).open("e", { ...single(url), dimensions: 4 });
    await rejects(embedder.embedQuery({ q: "a" }, { timeoutMs: 30 }), failed(/no answer/));
    ok(received.length <= 1);
  });
});

test("a private address is refused at once, with the way to allow it", async (t) => {
  const { url, options, received } = await startProvider(t);
  const client = new OutboundClient([]);
  t.after(() => client.close());
  const embedder = await new Embedders({ ...options, client }).open("e", { ...single(url), dimensions: 4 });
  const calls = statistics();
  await rejects(embedder.embedDocuments(["a"], { calls }), failed(/allowed-ip-networks/));
  deepEqual([received.length, calls.total], [0, 1]);
});

test("a header that HTTP does not allow is refused at once", async (t) => {
  const { url, options } = await startProvider(t);
  const settings = { ...single(url), dimensions: 4, headers: { "x-tenant": "a\nb" } };
  const calls = statistics();
  const embedder = await new Embedders(options).open("e", settings);
  await rejects(embedder.embedDocuments(["a"], { calls }), failed(/user error/));
  equal(calls.total, 1);
});

test("who stops the work gets his reason, and no more calls are made", async (t) => {
  const { url, options, received } = await startProvider(t, failing(500), { retryWaitMs: 60_000 });
  const embedder = await new Embedders(options).open("e", { ...several(url), dimensions: 4 });
  const stop = new AbortController();
  const texts = Array.from({ length: 30 }, (_, index) => `text ${index}`);
  const calls = statistics();
  const done = embedder.embedDocuments(texts, { signal: stop.signal, calls });
  while (received.length < 3) await new Promise(setImmediate);
  stop.abort(new Error("enough"));
  await rejects(done, /enough/);
  await new Promise(setImmediate);
  const before = calls.total;
  await new Promise((resolve) => setTimeout(resolve, 50));
  equal(calls.total, before);
});

test("secrets and headers of the settings are sent", async (t) => {
  const { url, options, received } = await startProvider(t);
  const settings = { ...single(url), apiKey: "secret", headers: { "X-Tenant": "t" } };
  const embedder = await new Embedders(options).open("e", settings);
  await embedder.embedDocuments(["a"]);
  const { authorization, "x-tenant": tenant, "content-type": type } = received[0].headers;
  deepEqual([authorization, tenant, type], ["Bearer secret", "t", "application/json"]);
  const custom = await new Embedders(options).open("e", {
    ...settings,
    headers: { Authorization: "Basic x" },
  });
  await custom.embedDocuments(["a"]);
  equal(received[1].headers.authorization, "Basic x");
});
