// How often the log is told of webhooks that fail.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import type { Webhook } from "../../src/tasks/webhooks.ts";
import { WebhookTroubles } from "../../src/tasks/webhooktroubles.ts";

const hook = (uuid: string): Webhook => ({ uuid, isEditable: true, url: "https://a/", headers: {} });

function openTroubles() {
  const lines: string[] = [];
  const clock = { ms: 5 };
  const troubles = new WebhookTroubles(
    {
      failed: ({ uuid }, problem, others) => lines.push(`${uuid} failed: ${problem}, ${others}`),
      recovered: ({ uuid }, others) => lines.push(`${uuid} recovered, ${others}`),
    },
    () => clock.ms,
  );
  return { lines, clock, troubles, take: () => lines.splice(0) };
}

test("the first failure is told, then one a minute with the number of others", () => {
  const { clock, troubles, take } = openTroubles();
  troubles.failed(hook("a"), "404");
  deepEqual(take(), ["a failed: 404, 0"]);
  for (let second = 1; second < 60; second++) {
    clock.ms = 5 + second * 1000;
    troubles.failed(hook("a"), "404");
  }
  deepEqual(take(), []);
  clock.ms = 5 + 60_000;
  troubles.failed(hook("a"), "500");
  deepEqual(take(), ["a failed: 500, 59"]);
  clock.ms += 60_000;
  troubles.failed(hook("a"), "500");
  deepEqual(take(), ["a failed: 500, 0"]);
});

test("a webhook that recovers is told once, and one that now fails, now does not, once a minute", () => {
  const { clock, troubles, take } = openTroubles();
  troubles.delivered(hook("a"));
  troubles.failed(hook("a"), "404");
  troubles.failed(hook("a"), "404");
  take();
  troubles.delivered(hook("a"));
  troubles.delivered(hook("a"));
  deepEqual(take(), ["a recovered, 1"]);
  for (let second = 1; second < 60; second++) {
    clock.ms += 1000;
    troubles.failed(hook("a"), "404");
    troubles.delivered(hook("a"));
  }
  deepEqual(take(), []);
  clock.ms += 1000;
  troubles.failed(hook("a"), "404");
  troubles.delivered(hook("a"));
  deepEqual(take(), ["a failed: 404, 59", "a recovered, 0"]);
});

test("each webhook has its own minute, and those that are gone take no room for ever", () => {
  const { troubles, take } = openTroubles();
  for (let number = 0; number < 101; number++) troubles.failed(hook(`h${number}`), "404");
  equal(take().length, 101);
  troubles.failed(hook("h100"), "404");
  deepEqual(take(), []);
  troubles.failed(hook("h0"), "404");
  deepEqual(take(), ["h0 failed: 404, 0"]);
});
