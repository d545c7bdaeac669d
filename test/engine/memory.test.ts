// The memory that indexing reserves stays below the bound it was given; threads that have nothing to do give
// theirs back.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { RemoteCaller } from "../../src/engine/remote.ts";
import { addition, TestIndex } from "./index.ts";

const MEBIBYTE = 1024 * 1024;
const BATCHES = 3;
const DOCUMENTS = 40_000;

const documents = (batch: number): string[] =>
  Array.from({ length: DOCUMENTS }, (_, i) => {
    const words = Array.from({ length: 12 }, (_, word) => `w${(i * 31 + word * 7919 + batch) % 60_013}`);
    return `{"id":"package-${batch}-${i}","text":"${words.join(" ")}"}`;
  });

describe("the core of a writing thread", () => {
  for (const mebibytes of [128, 200, 1024]) {
    it(`reserves less than its bound of ${mebibytes} MiB`, () => {
      const index = new TestIndex(mebibytes * MEBIBYTE);
      for (let batch = 0; batch < BATCHES; batch++) index.run([addition(documents(batch))]);
      assert.equal(index.state.numberOfDocuments, BATCHES * DOCUMENTS);
      const reserved = index.writer.reservedBytes / MEBIBYTE;
      assert.ok(reserved <= mebibytes, `${reserved.toFixed(1)} MiB`);
      index.close();
    });
  }

  it("uses again what batches before had", () => {
    const index = new TestIndex(128 * MEBIBYTE);
    index.run([addition(documents(0))]);
    index.run([addition(documents(0))]);
    const reserved = index.writer.reservedBytes;
    for (let batch = 0; batch < 3; batch++) index.run([addition(documents(0))]);
    const more = index.writer.reservedBytes - reserved;
    assert.ok(more < MEBIBYTE, `${more} bytes`);
    index.close();
  });

  it("takes nothing more for batch after batch", () => {
    const index = new TestIndex();
    const run = (times: number) => {
      for (let i = 0; i < times; i++) {
        const pieces = [`{"id":${i % 7},"text":"w${i % 50}"}`, `{"id":${i % 7},"rank":${i % 3}}`];
        index.run([addition(pieces, i % 2 ? "update" : "replace")]);
        index.run([{ kind: "deleteIds", ids: [String(i % 5)] }]);
        index.mergeAll();
      }
      return index.writer.reservedBytes;
    };
    const reserved = run(50);
    assert.equal(run(100) - reserved, 0);
    index.close();
  });
});

/** Answers calls of any name; `rest` as the thread is told. */
const THREAD = `
  const { parentPort, workerData, threadId } = require("node:worker_threads");
  parentPort.postMessage({ ready: true });
  parentPort.on("message", ({ call, method }) =>
    parentPort.postMessage({ answer: call, value: method === "rest" ? workerData.mayRest : threadId }));
`;
const IDLE_MS = 20;
const WAIT_MS = 300;

function caller(mayRest: boolean): RemoteCaller {
  const make = () => ({ worker: new Worker(THREAD, { eval: true, workerData: { mayRest } }) });
  return new RemoteCaller(make, IDLE_MS);
}

const idle = () => new Promise((done) => setTimeout(done, WAIT_MS));

describe("a thread that is idle", () => {
  it("ends when it may rest, and the next call starts another", async () => {
    const thread = caller(true);
    const first = await thread.call("which", []);
    await idle();
    assert.equal(thread.state, "none");
    assert.notEqual(await thread.call("which", []), first);
    await thread.close();
  });

  it("stays when it has something to remember", async () => {
    const thread = caller(false);
    const first = await thread.call("which", []);
    await idle();
    assert.equal(await thread.call("which", []), first);
    await thread.close();
  });
});
