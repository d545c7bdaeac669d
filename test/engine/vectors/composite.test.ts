// A composite embedder whose halves change: whatever changes, they must go on making the same vectors.
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Embedders } from "../../../src/embedders/embedders.ts";
import { EmbedderChanges } from "../../../src/engine/vectors/embedderchanges.ts";
import { complete } from "../../../src/engine/work.ts";
import type { EmbedderSettings } from "../../../src/schemas/embedders.ts";
import {
  type Answer,
  embed,
  type Provider,
  single,
  startProvider,
  vectorOf,
} from "../../embedders/server.ts";

const refused = (message: RegExp) => ({ code: "vector_embedding_error", message });
type Half = Partial<EmbedderSettings>;

/** Both halves ask one provider: `/good` as it should be, `/short` and `/other` not. */
const answer: Answer = (received, response, count) => {
  const { input } = received.body as { input: string };
  if (received.path === "/short") return { vector: [1, 2, 3] };
  if (received.path === "/other") return { vector: vectorOf(input).reverse() };
  return embed(received, response, count);
};

async function start(t: TestContext) {
  const provider = await startProvider(t, answer);
  const changes = new EmbedderChanges(new Embedders(provider.options), {});
  let now: Record<string, EmbedderSettings> = {};
  const set = async (search: Half, indexing: Half = {}) => {
    const after = { e: settingsOf(provider, search, indexing) };
    await complete(changes.follow(now, after), null, () => {});
    now = after;
  };
  await set({});
  return { provider, changes, set, at: (path: string) => ({ url: provider.url + path }) };
}

function settingsOf({ url }: Provider, search: Half, indexing: Half): EmbedderSettings {
  const { documentTemplate, ...rest } = single(`${url}/good`);
  const halves = [
    { ...rest, ...search },
    { ...rest, documentTemplate, ...indexing },
  ];
  const [searchEmbedder, indexingEmbedder] = halves as EmbedderSettings["searchEmbedder"][];
  return { source: "composite", searchEmbedder, indexingEmbedder };
}

describe("a composite embedder", () => {
  it("is refused when only its search half changes to other dimensions", async (t) => {
    const { changes, set, at } = await start(t);
    await assert.rejects(set({ dimensions: 3 }), refused(/4 dimensions.*3/));
    await assert.rejects(set(at("/short")), refused(/4 dimensions.*3/));
    assert.deepEqual(changes.states, { e: { dimensions: 4, fragments: [] } });
  });

  it("is refused when only its search half changes to another model", async (t) => {
    const { set, at } = await start(t);
    await assert.rejects(set(at("/other")), refused(/disagree/));
  });

  it("is refused when only the dimensions of its indexing half change", async (t) => {
    const { set } = await start(t);
    await assert.rejects(set({}, { dimensions: 3 }), refused(/3 dimensions.*4/));
  });

  it("asks nobody when what is embedded for documents changes, and its vectors do not", async (t) => {
    const { provider, set, at } = await start(t);
    const before = provider.received.length;
    await set({}, { documentTemplate: "{{ doc.title }}" });
    assert.equal(provider.received.length, before);
    await set({ ...at("/good"), apiKey: "another" });
    assert.ok(provider.received.length > before);
  });
});
