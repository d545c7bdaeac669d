// Delivery of finished tasks to webhooks: what is sent, and what happens with receivers that fail.
import { deepEqual, equal, match } from "node:assert/strict";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { OutboundRequest } from "../../src/outbound/client.ts";
import { OutboundFailure } from "../../src/outbound/failure.ts";
import type { Task } from "../../src/tasks/task.ts";
import type { TaskView } from "../../src/tasks/views.ts";
import { type DeliveryParts, WebhookDelivery } from "../../src/tasks/webhookdelivery.ts";
import type { Webhook } from "../../src/tasks/webhooks.ts";
import { until } from "../runtime/process.ts";
import { create, openFixture } from "./setup.ts";

interface Call {
  url: string;
  headers: Record<string, string>;
  uids: number[];
  tasks: TaskView[];
}

const hook = (name: string, headers: Record<string, string> = {}): Webhook => {
  return { uuid: name, isEditable: true, url: `https://${name}.example.org/`, headers };
};

const unzipped = async (body: Readable) => gunzipSync(Buffer.concat(await body.toArray())).toString();

/** An instance whose finished tasks are delivered; `answer` gives a status or throws. */
async function openDelivery(
  webhooks: Webhook[],
  answer: (call: Call, calls: Call[]) => number | Promise<number> = () => 200,
  parts: Partial<DeliveryParts> = {},
) {
  const calls: Call[] = [];
  const losses: string[] = [];
  const client = {
    async request(url: string | URL, { headers, body }: OutboundRequest = {}) {
      const lines = (await unzipped(body as Readable)).trimEnd().split("\n");
      const tasks = lines.map((line): TaskView => JSON.parse(line));
      const call = { url: String(url), headers: { ...headers }, tasks, uids: tasks.map(({ uid }) => uid) };
      calls.push(call);
      return { status: await answer(call, calls), headers: {}, body: new Uint8Array() };
    },
  };
  const delivery = new WebhookDelivery({
    webhooks: () => webhooks,
    client,
    retryMs: [0, 0],
    onLoss: ({ uuid }, problem) => losses.push(`${uuid}: ${problem}`),
    ...parts,
  });
  const { instance } = await openFixture();
  instance.on("finished", (_, tasks) => delivery.send(tasks));
  const run = async (...uids: string[]) => {
    for (const uid of uids) await instance.register(create(uid));
    await instance.idle();
  };
  return { delivery, instance, calls, losses, run };
}

test("each webhook gets the finished tasks of each batch, in order, with its headers", async () => {
  const headers = { "X-Source": "herbarium", "Content-Type": "text/plain", "Content-Length": "1" };
  const { delivery, instance, calls, run } = await openDelivery([hook("a"), hook("b", headers)]);
  await run("ferns", "ferns");
  await delivery.idle();
  for (const name of ["a", "b"]) {
    const own = calls.filter(({ url }) => url === `https://${name}.example.org/`);
    deepEqual(
      own.map(({ uids }) => uids),
      [[0], [1]],
    );
    deepEqual(
      own.flatMap(({ tasks }) => tasks),
      [instance.task(0, null), instance.task(1, null)],
    );
    equal(own[0].headers["content-encoding"], "gzip");
  }
  equal(calls.find(({ url }) => url.includes("//a."))!.headers["content-type"], "application/x-ndjson");
  const { headers: sent } = calls.find(({ url }) => url.includes("//b."))!;
  deepEqual(sent, {
    "accept-encoding": "gzip",
    "content-encoding": "gzip",
    "content-type": "text/plain",
    "x-source": "herbarium",
  });
});

test("a large batch arrives whole", async () => {
  const { delivery, instance, calls } = await openDelivery([hook("a")]);
  const adding = Array.from({ length: 1203 }, (_, at) => instance.register(create(`i${at}`)));
  await Promise.all(adding);
  await instance.idle();
  await delivery.idle();
  deepEqual(
    calls.flatMap(({ uids }) => uids),
    Array.from({ length: 1203 }, (_, uid) => uid),
  );
});

test("a batch whose text is long arrives once", async () => {
  const { delivery, instance, calls, run } = await openDelivery([hook("a")]);
  const finished: Task[] = [];
  instance.on("finished", (_, tasks) => finished.push(...tasks));
  await run("one");
  await delivery.idle();
  const uids = Array.from({ length: 1000 }, (_, uid) => uid);
  delivery.send(uids.map((uid) => ({ ...finished[0], uid })));
  await delivery.idle();
  deepEqual(calls[1].uids, uids);
});

test("what breaks a call is told in its own words, and the next call is made", async () => {
  const { delivery, calls, losses, run } = await openDelivery([hook("a")], (_, { length }) => {
    if (length === 1) throw new TypeError("no such thing");
    return 200;
  });
  await run("one", "two");
  await delivery.idle();
  deepEqual([calls.length, losses], [2, ["a: no such thing"]]);
});

test("what may pass is tried again, what may not is lost and told", async () => {
  const answers = [503, 200, 404, 500, 429, 500];
  const taken: string[] = [];
  const onDelivery = ({ uuid }: Webhook) => taken.push(uuid);
  const answer = () => answers.shift()!;
  const { delivery, calls, losses, run } = await openDelivery([hook("a")], answer, { onDelivery });
  await run("one", "two", "three");
  await delivery.idle();
  deepEqual(
    calls.map(({ uids }) => uids[0]),
    [0, 0, 1, 2, 2, 2],
  );
  equal(losses.length, 2);
  match(losses[0], /^a: .*404/);
  match(losses[1], /^a: .*500/);
  deepEqual(taken, ["a"]);
});

test("calls that fail are tried again, unless the address or a redirect is refused", async () => {
  const reasons = ["connection", "timeout", "address", "redirect"] as const;
  const { delivery, calls, losses, run } = await openDelivery([hook("a")], (_, calls) => {
    const reason = reasons[calls.length - 1];
    const failure = new OutboundFailure(reason, reason);
    // The answer that leads elsewhere has begun, but the receiver has not taken the tasks.
    if (reason === "redirect") failure.status = 302;
    throw failure;
  });
  await run("one", "two");
  await delivery.idle();
  deepEqual(
    calls.map(({ uids }) => uids[0]),
    [0, 0, 0, 1],
  );
  deepEqual(losses, ["a: address", "a: redirect"]);
});

test("an answer that began is one, however its body ends", async () => {
  const answers = [200, 204, 404, 503, 200];
  const reasons = ["connection", "timeout", "size", "size", "size"] as const;
  const { delivery, calls, losses, run } = await openDelivery([hook("a")], (_, calls) => {
    const failure = new OutboundFailure(reasons[calls.length - 1], "the body did not come");
    failure.status = answers[calls.length - 1];
    throw failure;
  });
  await run("one", "two", "three", "four");
  await delivery.idle();
  deepEqual(
    calls.map(({ uids }) => uids[0]),
    [0, 1, 2, 3, 3],
  );
  deepEqual(losses, ["a: the answer has the status 404"]);
});

test("what waits for a webhook follows it to another URL, and goes nowhere when it is gone", async () => {
  const webhooks = [hook("a", { authorization: "old" })];
  const answer = ({ headers }: Call) => (headers.authorization === "new" ? 200 : 503);
  const parts = { retryMs: [2 ** 30] };
  const { delivery, calls, losses, run } = await openDelivery(webhooks, answer, parts);
  await run("one", "two");
  while (calls.length === 0) await new Promise(setImmediate);
  webhooks[0] = { ...hook("a", { authorization: "new" }), url: "https://elsewhere.example.org/" };
  delivery.follow("a");
  await delivery.idle();
  deepEqual(
    calls.map(({ url, uids }) => [url, uids[0]]),
    [
      ["https://a.example.org/", 0],
      ["https://elsewhere.example.org/", 0],
      ["https://elsewhere.example.org/", 1],
    ],
  );
  webhooks[0] = hook("a", { authorization: "old" });
  delivery.follow("a");
  await run("three", "four");
  while (calls.length === 3) await new Promise(setImmediate);
  webhooks.length = 0;
  delivery.follow("a");
  await delivery.idle();
  deepEqual([calls.length, losses], [4, []]);
});

test("tasks that make no text are lost for the webhooks, and nothing else happens", async () => {
  const { delivery, calls, losses, run, instance } = await openDelivery([hook("a")]);
  await run("one");
  await delivery.idle();
  const [task] = instance.tasks({}, { limit: 1, from: null, reverse: false }, null).results;
  delivery.send([{ ...(task as unknown as Task), enqueuedAt: Number.NaN }]);
  await run("two");
  await delivery.idle();
  equal(losses.length, 1);
  deepEqual(
    calls.map(({ uids }) => uids[0]),
    [0, 1],
  );
});

test("a webhook that does not answer holds up neither the others nor the tasks", async () => {
  const never = new Promise<number>(() => {});
  const silent = (call: Call) => (call.url.includes("//a.") ? never : 200);
  const { calls, run } = await openDelivery([hook("a"), hook("b")], silent);
  await run("one", "two", "three");
  const arrived = () => calls.filter(({ url }) => url.includes("//b.")).flatMap(({ uids }) => uids);
  while (arrived().length < 3) await new Promise(setImmediate);
  deepEqual(arrived(), [0, 1, 2]);
  equal(calls.filter(({ url }) => url.includes("//a.")).length, 1);
});

test("what waits for a webhook has a bound", async () => {
  // A single call has some 200 bytes, and is taken in any case.
  for (const queueBytesMax of [1, 300]) {
    let release = (_: number) => {};
    const held = new Promise<number>((resolve) => {
      release = resolve;
    });
    const { delivery, calls, losses, run } = await openDelivery([hook("a")], () => held, { queueBytesMax });
    await run("one");
    while (calls.length === 0) await new Promise(setImmediate);
    await run("two");
    await until(() => losses.length > 0);
    deepEqual(losses, [`a: more than ${queueBytesMax} bytes wait already`]);
    release(200);
    await delivery.idle();
    await run("three");
    await delivery.idle();
    deepEqual(
      calls.map(({ uids }) => uids[0]),
      [0, 2],
    );
  }
});

test("closing ends the waits between tries, and tells what is lost", async () => {
  const { delivery, calls, losses, run } = await openDelivery([hook("a")], () => 500, { retryMs: [2 ** 30] });
  await run("one");
  while (calls.length === 0) await new Promise(setImmediate);
  await delivery.close();
  deepEqual(losses, ["a: the server closes"]);
  await run("two");
  await delivery.idle();
  deepEqual([calls.length, losses.length], [1, 1]);
});

test("as many webhooks as there can be wait for their next try without a warning", async () => {
  const hooks = Array.from({ length: 20 }, (_, place) => hook(`h${place}`));
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on("warning", note);
  const { delivery, run, calls } = await openDelivery(hooks, () => 503, { retryMs: [60_000] });
  await run("ferns");
  while (calls.length < hooks.length) await new Promise(setImmediate);
  await new Promise(setImmediate);
  await delivery.close();
  await new Promise(setImmediate);
  process.off("warning", note);
  deepEqual(warnings, []);
});
