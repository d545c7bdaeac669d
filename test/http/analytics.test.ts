// Usage events: what a report tells, and what it never tells.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { Analytics } from "../../src/http/analytics.ts";
import { defaultOptions } from "../../src/options.ts";
import type { OutboundRequest } from "../../src/outbound/client.ts";
import type { OutboundAnswer } from "../../src/outbound/exchange.ts";
import { OutboundFailure } from "../../src/outbound/failure.ts";
import { INDEX, startFixture } from "./harness.ts";

interface Event {
  type: string;
  event?: string;
  userId: string;
  traits?: Record<string, Record<string, unknown>>;
  properties?: { requests: object; timeMs: { p99: number; max: number }; fields: object };
}

/** A server that reports, and what it sent. */
async function startReporting(answer: () => number = () => 200) {
  const sent: { url: string; text: string }[] = [];
  const losses: string[] = [];
  const request = async (url: string | URL, { body }: OutboundRequest = {}): Promise<OutboundAnswer> => {
    sent.push({ url: String(url), text: String(body) });
    return { status: answer(), headers: {}, body: new Uint8Array() };
  };
  const options = {
    ...defaultOptions(),
    analyticsUrl: "https://usage.example/batch",
    masterKey: "a master key with a secret",
    dbPath: "/secret/place",
    taskWebhookUrl: "https://secret.example",
  };
  let analytics: Analytics | null = null;
  const fixture = await startFixture({}, "{}", {
    analytics: (instance) => {
      const onLoss = (problem: string) => losses.push(problem);
      analytics = new Analytics({ instance, options, version: "1.2.3", client: { request }, onLoss });
      return analytics;
    },
  });
  const report = async (): Promise<Event[]> => {
    sent.length = 0;
    await analytics!.report();
    return sent.flatMap(({ text }) => JSON.parse(text).batch);
  };
  return { ...fixture, report, sent, losses };
}

test("a report counts requests by route, with the known fields that they had", async () => {
  const { code, report, instance, sent } = await startReporting();
  await report();
  await code(`POST /indexes/${INDEX}/search`, { q: "a", filter: "n = 1" });
  await code(`POST /indexes/${INDEX}/search`, { q: "b", limit: null });
  await code(`POST /indexes/${INDEX}/search`, { q: "c", limit: -1 });
  await code("GET /indexes/none");
  const [identity, ...events] = await report();
  equal(sent[0].url, "https://usage.example/batch");
  deepEqual([identity.type, identity.userId], ["identify", instance.uid]);
  equal(identity.traits?.stats.indexes, 1);
  equal(identity.traits?.options.masterKey, true);
  const counts = events.map(({ event, properties }) => [event, properties?.requests, properties?.fields]);
  deepEqual(counts, [
    ["POST /indexes/:indexUid/search", { received: 3, succeeded: 1 }, { q: 3, filter: 1, limit: 1 }],
    ["GET /indexes/:indexUid", { received: 1, succeeded: 0 }, {}],
  ]);
  for (const { properties } of events) ok(properties!.timeMs.max >= 0 && properties!.timeMs.p99 >= 0);
  deepEqual((await report()).length, 1);
});

test("a report tells nothing that users or operators wrote", async () => {
  const { code, report, sent } = await startReporting();
  await code(`POST /indexes/${INDEX}/search`, { q: "private words", secretField: 1 });
  await code(`GET /indexes/secretindex/documents/secretid?fields=secretfield`, undefined, {
    "user-agent": "secretagent",
    authorization: "Bearer secretkey",
  });
  await code("POST /webhooks", { url: "https://secret.example", headers: { "x-secret": "secret" } });
  await report();
  const text = sent.map(({ text }) => text).join();
  ok(text.includes("POST /webhooks"));
  deepEqual(/.{0,20}(secret|private|teas).{0,20}/.exec(text)?.[0], undefined);
});

test("a report that is not taken is told, and given up", async () => {
  const { report, losses } = await startReporting(() => 500);
  await report();
  const broken = await startReporting(() => {
    throw new OutboundFailure("connection", "nobody there");
  });
  await broken.report();
  deepEqual([losses, broken.losses], [["the answer has the status 500"], ["nobody there"]]);
});

test("figures that cannot be read cost a report, and nothing else", async () => {
  const { report, losses, instance } = await startReporting();
  instance.allStats = () => {
    throw new Error("too many open files");
  };
  deepEqual([await report(), losses], [[], ["too many open files"]]);
});
