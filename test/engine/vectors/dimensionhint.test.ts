// `dimensions` of an embedder that calls a provider: a hint of how long its vectors are. Who changes it pays
// for no vector again.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Embedders } from "../../../src/embedders/embedders.ts";
import type { Operation } from "../../../src/engine/engine.ts";
import { settingsOf } from "../../../src/engine/reader.ts";
import { WriteThread } from "../../../src/engine/writethread.ts";
import type { EmbedderPatch } from "../../../src/schemas/embedders.ts";
import { readManifest } from "../../../src/segment/manifestreader.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import { type Answer, embed, type Provider, single, startProvider } from "../../embedders/server.ts";

const INDEXING_BYTES = 16 * 1024 * 1024;
const FOLDER = "indexes/one";

type WithoutTask<T> = T extends unknown ? Omit<T, "taskUid"> : never;

/** An index whose embedder asks a provider of vectors with four components, with two documents. */
async function open(t: TestContext, dimensions: number | null, answer: Answer = embed) {
  const provider: Provider = await startProvider(t, answer);
  const storage = new MemoryStorage();
  const writer = new WriteThread(storage, INDEXING_BYTES, new Embedders(provider.options));
  t.after(() => writer.close());
  let taskUid = 0;
  const run = async (work: WithoutTask<Operation>) => {
    const operations = [{ ...work, taskUid: ++taskUid } as Operation];
    const { results } = await writer.run({ folder: FOLDER, indexUid: "i", operations }, null, () => {});
    deepEqual(results[0].error, null);
  };
  const set = (e: EmbedderPatch) => run({ kind: "settings", patch: { embedders: { e } } });
  const add = (...names: string[]) => {
    const lines = names.map((name) => `${JSON.stringify({ id: name, name })}\n`);
    const addition = { method: "replace", primaryKey: "id", skipCreation: false } as const;
    return run({ kind: "add", payload: Buffer.from(lines.join("")), ...addition });
  };
  await set({ ...single(provider.url), ...(dimensions !== null && { dimensions }) });
  await add("ant", "bee");
  provider.received.length = 0;
  return { provider, set, add, state: () => readManifest(storage, FOLDER, 0) };
}

for (const [before, after] of [
  [4, 5],
  [null, 5],
  [null, 4],
  [4, null],
]) {
  test(`dimensions of ${before} that become ${after} embed no document again`, async (t) => {
    const { provider, set, state } = await open(t, before);
    const { embeddings } = state();
    deepEqual(embeddings, { vectors: 2, documents: 2 });
    await set({ dimensions: after });
    // Without a number the provider is asked for one vector, of no document.
    equal(provider.received.length, after === null ? 1 : 0);
    deepEqual(state().embeddings, embeddings);
    equal(state().embedders.e.dimensions, after ?? 4);
    equal(settingsOf(state()).embedders.e.dimensions ?? null, after);
  });
}

test("dimensions that the provider does not give fail what is embedded from then on", async (t) => {
  const { set, add, state } = await open(t, 4);
  await set({ dimensions: 5 });
  await rejects(add("cat"), { code: "vector_embedding_error" });
  equal(state().numberOfDocuments, 2);
  await set({ dimensions: 4 });
  await add("cat");
  deepEqual(state().embeddings, { vectors: 3, documents: 3 });
});

test("without a hint, a provider that gives another length by now embeds everything anew", async (t) => {
  let length = 4;
  const answer: Answer = (received, response, count) => {
    const { vector } = embed(received, response, count) as { vector: number[] };
    return { vector: vector.slice(0, length) };
  };
  const { provider, set, state } = await open(t, 4, answer);
  length = 3;
  await set({ dimensions: null });
  equal(provider.received.length, 1 + 2);
  equal(state().embedders.e.dimensions, 3);
  deepEqual(state().embeddings, { vectors: 2, documents: 2 });
});
