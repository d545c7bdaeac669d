// What the write thread tells of calls of embedders: it sends figures now and then, as copies, and the last
// ones must be there when a batch fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallStatistics } from "../../../src/embedders/embedder.ts";
import { Embedders } from "../../../src/embedders/embedders.ts";
import type { Operation, ProgressListener } from "../../../src/engine/engine.ts";
import { WriteThread } from "../../../src/engine/writethread.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import { type Answer, heldBack, single, startProvider } from "../../embedders/server.ts";

const INDEXING_BYTES = 16 * 1024 * 1024;

const failures: [name: string, answer: Answer, lastError: RegExp][] = [
  ["a status", (_, response) => void response.writeHead(403).end("no more"), /no more/],
  ["another shape", () => ({ vetcor: [1] }), /field `vector`/],
];
for (const [name, answer, lastError] of failures) {
  test(`a failure by ${name} is told of a batch that it ends, though its call was told before`, async (t) => {
    const { late, release } = heldBack(answer);
    const { url, options } = await startProvider(t, late);
    const writer = new WriteThread(new MemoryStorage(), INDEXING_BYTES, new Embedders(options));
    t.after(() => writer.close());
    let told: CallStatistics | null = null;
    const progress: ProgressListener = (_, calls) => {
      told = structuredClone(calls);
      if (calls.total > 0) release();
    };
    const run = async (operation: Operation) =>
      writer.run({ folder: "indexes/one", indexUid: "i", operations: [operation] }, null, progress);
    const embedders = { e: { ...single(url), dimensions: 4 } };
    await run({ kind: "settings", taskUid: 1, patch: { embedders } });
    const payload = Buffer.from('{"id":1,"name":"a"}\n');
    const addition = { method: "replace", primaryKey: "id", skipCreation: false } as const;
    const refused = { code: "vector_embedding_error" };
    await assert.rejects(run({ kind: "add", taskUid: 2, payload, ...addition }), refused);
    const { total, failed, lastError: text } = told!;
    assert.deepEqual([total, failed], [1, 1]);
    assert.match(text ?? "", lastError);
  });
}

test("the calls of a try that a document was too large for count as well", async (t) => {
  const { url, options, received } = await startProvider(t);
  const writer = new WriteThread(new MemoryStorage(), INDEXING_BYTES, new Embedders(options));
  t.after(() => writer.close());
  const run = async (...operations: Operation[]) =>
    writer.run({ folder: "indexes/one", indexUid: "i", operations }, null, () => {});
  const embedders = { e: { ...single(url), dimensions: 4 } };
  await run({ kind: "settings", taskUid: 1, patch: { embedders } });
  const before = received.length;
  const addition = { kind: "add", method: "replace", primaryKey: "id", skipCreation: false } as const;
  const words = Array.from({ length: 600_000 }, (_, i) => i.toString(36).padStart(7, "w"));
  const large = `{"id":2,"name":"b","t":"${words.join(" ")}"}\n`;
  const { results, embedderRequests } = await run(
    { ...addition, taskUid: 2, payload: Buffer.from('{"id":1,"name":"a"}\n') },
    { ...addition, taskUid: 3, payload: Buffer.from(large) },
  );
  assert.deepEqual(
    results.map(({ error }) => error?.code),
    [undefined, "document_too_large"],
  );
  assert.equal(embedderRequests?.total, received.length - before);
});
