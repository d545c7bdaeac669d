// A call that is stopped before it has begun.
import { deepEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import { Exchange } from "../../src/outbound/exchange.ts";
import { OutboundFailure } from "../../src/outbound/failure.ts";

test("nothing is sent over a connection that is there only after the call was stopped", async () => {
  const exchange = new Exchange("body", 100);
  const failure = new OutboundFailure("timeout", "too late");
  exchange.stop(failure);
  await rejects(exchange.answer, failure);
  const aborted: unknown[] = [];
  exchange.onRequestStart({ abort: (reason: unknown) => aborted.push(reason) } as never);
  deepEqual(aborted, [failure]);
});
