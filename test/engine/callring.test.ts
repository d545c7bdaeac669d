// Calls through shared memory: in order, of any size, with failures and without answers lost.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { newRing } from "../../src/engine/callring.ts";
import { RemoteCaller, ThreadEnded } from "../../src/engine/remote.ts";

const REMOTE = new URL("../../src/engine/remote.js", import.meta.url);
/** Longer than a slot, in bytes or in characters. */
const LARGE = 300_000;

/** A thread that answers through a ring. */
const THREAD = `
  import { parentPort, workerData } from "node:worker_threads";
  const { answerCalls } = await import(workerData.remote);
  answerCalls(parentPort, {
    echo: ([value]) => value,
    bytes: ([length]) => new Uint8Array(length).fill(7),
    part: ([length]) => ({ partial: new Uint8Array(length).fill(7) }),
    nothing: () => undefined,
    fail: ([length]) => { throw new Error("x".repeat(length)); },
    later: async ([value]) => { await new Promise((done) => setTimeout(done, 5)); return value; },
    spin: ([value, ms]) => { for (const began = Date.now(); Date.now() - began < ms; ); return value; },
    end: () => process.exit(3),
  }, workerData.ring);
`;

function caller(): RemoteCaller {
  return new RemoteCaller(() => {
    const { calling, answering } = newRing();
    const workerData = { remote: REMOTE.href, ring: answering };
    const url = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`);
    return { worker: new Worker(url, { workerData, transferList: [answering.port] }), ring: calling };
  });
}

describe("calls through a ring", () => {
  it("are answered each with its own value, many more at once than there are slots", async () => {
    const thread = caller();
    const wanted = Array.from({ length: 200 }, (_, i) => ({ i, text: `tête ${"é".repeat(i)}` }));
    const calls = wanted.map((value, i) => thread.call(i % 3 === 0 ? "later" : "echo", [value]));
    assert.deepEqual(await Promise.all(calls), wanted);
    await thread.close(0);
  });

  it("may be larger than a slot, in both directions, between small ones", async () => {
    const thread = caller();
    const texts = ["short", "é".repeat(150_000), "a".repeat(LARGE), "", "\u{1f600}".repeat(80_000)];
    assert.deepEqual(await Promise.all(texts.map((text) => thread.call("echo", [text]))), texts);
    const lengths = [0, 1, 262_132, 262_133, LARGE, 10];
    const arrays = await Promise.all(lengths.map((length) => thread.call<Uint8Array>("bytes", [length])));
    assert.deepEqual(
      arrays.map((array) => [array.length, array.every((byte) => byte === 7)]),
      lengths.map((length) => [length, true]),
    );
    const parts = await Promise.all(
      [3, LARGE].map((length) => thread.call<{ partial: Uint8Array }>("part", [length])),
    );
    assert.deepEqual(
      parts.map(({ partial }) => [partial.length, partial[2]]),
      [
        [3, 7],
        [LARGE, 7],
      ],
    );
    await thread.close(0);
  });

  it("can answer nothing, or fail, at any length", async () => {
    const thread = caller();
    assert.equal(await thread.call("nothing", []), undefined);
    for (const length of [3, LARGE]) {
      await assert.rejects(thread.call("fail", [length]), (error: Error) =>
        error.message.includes("x".repeat(length)),
      );
    }
    assert.equal(await thread.call("echo", [null]), null);
    await thread.close(0);
  });

  it("are told when their thread ends, and the next one starts another", async () => {
    const thread = caller();
    await thread.call("echo", [0]);
    // While the thread is busy, all of them are in the ring.
    const calls = [thread.call("spin", [1, 50]), thread.call("end", []), thread.call("echo", [2])];
    const [first, ...others] = await Promise.allSettled(calls);
    assert.deepEqual(first, { status: "fulfilled", value: 1 });
    assert.ok(others.every((one) => one.status === "rejected" && one.reason instanceof ThreadEnded));
    assert.equal(await thread.call("echo", [3]), 3);
    await thread.close(0);
    await assert.rejects(thread.call("echo", [4]), ThreadEnded);
  });

  it("end with a thread that sleeps", async () => {
    const thread = caller();
    assert.equal(await thread.call("echo", [1]), 1);
    await thread.close(0);
  });
});
