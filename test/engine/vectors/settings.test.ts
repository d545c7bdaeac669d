// Changes of embedders on an index that has documents.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { similarQueryOf } from "../../../src/schemas/similar.ts";
import { EMBEDDERS, madeVector, VectorIndex } from "./vectorindex.ts";

const { user, made } = EMBEDDERS;
const DOCUMENTS = [
  { id: 1, t: "ant", _vectors: { user: [1, 0, 0], made: [5, 5] } },
  { id: 2, t: "bee", _vectors: { user: null } },
  {
    id: 3,
    t: "cat",
    _vectors: {
      user: [
        [0, -1, 0.5],
        [0, 0, 2],
      ],
      later: [7, 7],
    },
  },
];

const GRAPH_BYTES = 2 ** 20;

interface Hit {
  id: number;
  _rankingScore: number;
}

async function indexOf(embedders: NonNullable<SettingsPatch["embedders"]>): Promise<VectorIndex> {
  const index = new VectorIndex();
  await index.settings({ embedders });
  await index.add(DOCUMENTS);
  return index;
}

describe("an embedder", () => {
  it("that is new embeds what is there, but what documents bring for it", async () => {
    const index = await indexOf({ user });
    await index.settings({ embedders: { made } });
    assert.deepEqual(index.embedders.texts, ["bee", "cat"]);
    const { made: one } = index.vectors().get(1)!;
    assert.deepEqual(one, { embeddings: [[5, 5]], regenerate: false });
    assert.deepEqual(index.vectors().get(2)!.made, { embeddings: [madeVector("bee")], regenerate: true });
    index.assertSound();
  });

  for (const name of ["constructor", "toString", "__proto__"]) {
    it(`may be called ${name}, and come, change and go like any other`, async () => {
      const index = new VectorIndex();
      const members = (of: object) => Object.fromEntries([[name, of]]);
      const brought = { embeddings: [[1, 0, 0]], regenerate: false };
      await index.settings({ embedders: { made } });
      await index.settings({ embedders: members(user) });
      await index.add([{ id: 1, t: "ant", _vectors: members([1, 0, 0]) }]);
      await index.settings({ embedders: members({ distribution: { mean: 0.5, sigma: 0.4 } }) });
      const hybrid = { embedder: name, semanticRatio: 1 };
      const { hits } = index.search({ vector: [1, 0, 0], hybrid, filter: `_vectors.${name} EXISTS` });
      assert.equal(hits.length, 1);
      await index.settings({ embedders: members(null as never) });
      assert.deepEqual(Object.entries(index.vectors().get(1)!)[0], [name, brought]);
      assert.deepEqual(index.state.embeddings, { vectors: 1, documents: 1 });
      index.assertSound();
    });
  }

  it("whose template changes embeds only texts that differ, and never those of the user", async () => {
    const index = await indexOf({ user, made });
    index.embedders.texts.length = 0;
    await index.settings({ embedders: { made: { documentTemplate: "{{doc.t}}" } } });
    assert.deepEqual(index.embedders.texts, []);
    await index.settings({ embedders: { made: { documentTemplate: "another" } } });
    assert.deepEqual(index.embedders.texts, ["other bee", "other cat"]);
    assert.deepEqual(index.vectors().get(1)!.made.embeddings, [[5, 5]]);
  });

  it("embeds a document again only when its text has changed", async () => {
    const index = await indexOf({ user, made });
    index.embedders.texts.length = 0;
    await index.add(
      [
        { id: 2, t: "bee", other: 1 },
        { id: 3, t: "dog" },
      ],
      "update",
    );
    assert.deepEqual(index.embedders.texts, ["dog"]);
    assert.deepEqual(index.vectors().get(3)!.made.embeddings, [madeVector("dog")]);
  });

  it("whose `dimensions` change embeds nothing again: what is there stays as its text does", async () => {
    const index = await indexOf({ made });
    index.embedders.texts.length = 0;
    await index.settings({ embedders: { made: { dimensions: 3 } } });
    assert.deepEqual(index.embedders.texts, []);
    const stored = index.vectors();
    assert.deepEqual(stored.get(1)!.made, { embeddings: [[5, 5]], regenerate: false });
    for (const [id, text] of [[2, "bee"] as const, [3, "cat"] as const])
      assert.deepEqual(stored.get(id)!.made, { embeddings: [madeVector(text)], regenerate: true });
    await index.add(
      [
        { id: 3, t: "dog" },
        { id: 2, other: 1 },
        { id: 4, t: "eel" },
      ],
      "update",
    );
    assert.deepEqual(index.embedders.texts, ["dog", "eel"]);
    for (const when of ["before a merge", "after it"]) {
      const vectors = index.vectors();
      assert.deepEqual(vectors.get(2)!.made.embeddings, [madeVector("bee")], when);
      for (const [id, text] of [[3, "dog"] as const, [4, "eel"] as const])
        assert.deepEqual(vectors.get(id)!.made.embeddings, [[...madeVector(text), 0]], when);
      // Vectors of another length are near to nothing.
      const hybrid = { embedder: "made", semanticRatio: 1 };
      const { hits } = index.search({ vector: [1, 1, 0], hybrid, showRankingScore: true });
      const near = hits.filter(({ _rankingScore }: Hit) => _rankingScore > 0).map(({ id }: Hit) => id);
      assert.deepEqual(near.sort(), [3, 4], when);
      index.compactWith(GRAPH_BYTES);
      index.reopen();
      index.assertSound();
    }
  });

  it("whose model makes vectors of another length makes them anew, but for those of the user", async () => {
    const index = await indexOf({ made });
    await index.add([{ id: 4, t: "dog", _vectors: { made: { embeddings: [1, 2], regenerate: true } } }]);
    await index.settings({ embedders: { made: { model: "others", dimensions: 3 } } });
    for (const [at, text] of ["bee", "cat", "dog"].entries())
      assert.deepEqual(index.vectors().get(at + 2)!.made.embeddings, [[...madeVector(text), 0]], text);
    assert.deepEqual(index.vectors().get(1)!.made, { embeddings: [[5, 5]], regenerate: false });
    await index.add([{ id: 1, _vectors: { made: { regenerate: true } } }], "update");
    assert.deepEqual(index.vectors().get(1)!.made.embeddings, [[...madeVector("ant"), 0]]);
    index.assertSound();
  });

  it("that goes leaves what users gave it in the documents, for one of its name to come", async () => {
    const index = await indexOf({ user, made });
    await index.settings({ embedders: { user: null, made: null } });
    assert.deepEqual(index.vectors().get(1), {
      user: { embeddings: [[1, 0, 0]], regenerate: false },
      made: { embeddings: [[5, 5]], regenerate: false },
    });
    assert.deepEqual(index.vectors().get(3), {
      user: {
        embeddings: [
          [0, -1, 0.5],
          [0, 0, 2],
        ],
        regenerate: false,
      },
      later: [7, 7],
    });
    assert.deepEqual(index.state.embeddings, { vectors: 0, documents: 0 });
    await index.settings({ embedders: { user } });
    assert.deepEqual(index.vectors().get(1)!.user, { embeddings: [[1, 0, 0]], regenerate: false });
    assert.deepEqual(index.state.embeddings, { vectors: 3, documents: 2 });
    index.assertSound();
  });

  it("that is yet to come finds lists of whatever in the documents, in a form that was right", async () => {
    const index = new VectorIndex();
    const form = { code: "invalid_vectors_type", message: /document `1`, field `\._vectors\.made/ };
    const wrong = [
      1,
      "x",
      true,
      {},
      { embeddings: [1, 2] },
      { regenerate: 1 },
      { regenerate: true, size: 2 },
    ];
    for (const of of wrong) await assert.rejects(index.add([{ id: 1, _vectors: { made: of } }]), form);
    const kept = [
      ["a", {}],
      [[1], 2],
      { regenerate: true, embeddings: "x" },
      { embeddings: 5, regenerate: false },
    ];
    for (const of of kept) {
      await index.add([{ id: 1, t: "ant", _vectors: { made: of } }]);
      assert.deepEqual(index.vectors().get(1)!.made, of);
      await assert.rejects(index.settings({ embedders: { made } }), form);
    }
    await index.add([{ id: 1, t: "ant", _vectors: { made: { regenerate: true } } }]);
    await index.settings({ embedders: { made } });
    assert.deepEqual(index.vectors().get(1)!.made.embeddings, [madeVector("ant")]);
    index.assertSound();
  });

  it("keeps signs only once it is quantised, and scores by how many differ", async () => {
    const index = await indexOf({ user });
    await index.settings({ embedders: { user: { binaryQuantized: true } } });
    assert.deepEqual(index.vectors().get(3)!.user.embeddings, [
      [0, 0, 1],
      [0, 0, 1],
    ]);
    await assert.rejects(index.settings({ embedders: { user: { binaryQuantized: false } } }), {
      code: "invalid_settings_embedders",
    });
    const hybrid = { embedder: "user", semanticRatio: 1 };
    const { hits } = index.search({ vector: [3, -1, 0], hybrid, showRankingScore: true, limit: 2 });
    assert.deepEqual(
      hits.map(({ id, _rankingScore }: Record<string, number>) => [id, _rankingScore]),
      [
        [1, 1],
        [3, 1 - 2 / 64],
      ],
    );
    index.assertSound();
  });

  it("of more dimensions than there is memory for refuses what is too short", async () => {
    const index = new VectorIndex();
    await index.settings({ embedders: { user: { ...user, dimensions: Number.MAX_SAFE_INTEGER } } });
    const text = "embedding 0: expected 9007199254740991 dimensions, but found 3";
    await assert.rejects(index.add([{ id: 1, _vectors: { user: [1, 2, 3] } }]), {
      code: "invalid_vector_dimensions",
      message: new RegExp(text),
    });
  });

  it("is looked at by facet searches, too", async () => {
    const index = await indexOf({ user });
    await index.settings({ filterableAttributes: ["id"] });
    const search = (embedder: string, vector: number[], facetName = "id") => {
      const hybrid = { embedder, semanticRatio: 1 };
      return index.facetSearch({ facetName, vector, hybrid });
    };
    assert.throws(() => search("other", [1, 2, 3]), { code: "invalid_search_embedder" });
    assert.throws(() => search("other", [1, 2, 3], "none"), { code: "invalid_search_embedder" });
    assert.throws(() => search("user", [1, 2, 3], "none"), { code: "invalid_facet_search_facet_name" });
    assert.throws(() => search("user", [1]), { code: "invalid_vector_dimensions" });
    assert.deepEqual(search("user", [1, 2, 3]).facetHits, []);
  });

  it("is looked at by searches for similar documents, then their id, then their filter", async () => {
    const index = await indexOf({ user });
    const search = (embedder: string, id: string, visible: string | null = null) => {
      const query = { ...similarQueryOf({ id, embedder, filter: "none = 1" }), visible };
      return () => index.searcher.similar(index.handle, query);
    };
    assert.throws(search("other", "no good"), { code: "invalid_similar_embedder" });
    assert.throws(search("user", "no good"), { code: "invalid_similar_id" });
    assert.throws(search("user", "99"), { code: "not_found_similar_id" });
    assert.throws(search("user", "1"), { code: "invalid_similar_filter" });
    // What a key does not show is as if it were not there.
    await index.settings({ filterableAttributes: ["id"] });
    assert.throws(search("user", "1", "id != 1"), { code: "not_found_similar_id" });
  });

  it("refuses to search for a component beyond 32 bits", async () => {
    const index = await indexOf({ user });
    const search = (component: number) => {
      const hybrid = { embedder: "user", semanticRatio: 1 };
      return index.search({ vector: [1, component, 0], hybrid });
    };
    assert.equal(search(3e38).hits.length, 3);
    assert.throws(() => search(-1e39), { code: "invalid_search_vector", message: /`vector\[1\]`/ });
  });

  it("of another length leaves what is there, and refuses what is too short", async () => {
    const index = await indexOf({ user });
    await index.settings({ embedders: { user: { dimensions: 4 } } });
    assert.deepEqual(index.vectors().get(1)!.user.embeddings, [[1, 0, 0]]);
    await assert.rejects(index.add([{ id: 1, _vectors: { user: [1, 2, 3] } }]), {
      code: "invalid_vector_dimensions",
    });
    await index.add([{ id: 4, _vectors: { user: [1, 2, 3, 4] } }]);
    const hybrid = { embedder: "user", semanticRatio: 1 };
    const { hits } = index.search({ vector: [1, 2, 3, 4], hybrid, showRankingScore: true });
    assert.deepEqual(
      hits.map(({ id }: { id: number }) => id),
      [4, 1, 2, 3],
    );
    for (const id of [1, 4]) {
      const query = similarQueryOf({ id, embedder: "user" });
      const answer = Buffer.from(index.searcher.similar(index.handle, { ...query, visible: null }));
      assert.deepEqual(
        JSON.parse(answer.toString()).hits,
        [],
        "documents of the old length are no neighbours",
      );
    }
    index.mergeAll();
    index.assertSound();
  });
});
