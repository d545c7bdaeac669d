// How long a thread has been at its call, as the end that calls it sees that.
import { deepEqual, equal } from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { RemoteCaller } from "../../src/engine/remote.ts";

test("a thread is at a call since it was called, or since the answer to the call before", async (context) => {
  let now = 1000;
  context.mock.method(performance, "now", () => now);
  const worker = Object.assign(new EventEmitter(), { postMessage: () => {} });
  const caller = new RemoteCaller(() => ({ worker: worker as unknown as Worker }));
  const heldAt = (time: number) => {
    now = time;
    return caller.heldMs;
  };
  equal(heldAt(1000), 0);
  const calls = [caller.call("a", [])];
  equal(heldAt(1500), 500);
  calls.push(caller.call("b", []));
  equal(heldAt(1600), 600);
  worker.emit("message", { answer: 0, value: "first" });
  equal(heldAt(1700), 100);
  worker.emit("message", { answer: 1, value: "second" });
  equal(heldAt(5000), 0);
  calls.push(caller.call("c", []));
  equal(heldAt(5010), 10);
  worker.emit("message", { answer: 2, value: "third" });
  deepEqual(await Promise.all(calls), ["first", "second", "third"]);
});
