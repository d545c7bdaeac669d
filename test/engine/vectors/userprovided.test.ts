// Documents of an embedder that is fed by users, updated without vectors: what they have stays as long as
// their text does.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addition, TestIndex } from "../index.ts";
import { EMBEDDERS, MADE_DIMENSIONS, madeVector, VectorIndex } from "./vectorindex.ts";

const { user, made } = EMBEDDERS;
const anew = { regenerate: true, embeddings: [[1, 2, 3]] };
const refusal = { code: "vector_embedding_error", message: /brings no vectors/ };

async function indexOf(documents: readonly object[] = []): Promise<VectorIndex> {
  const index = new VectorIndex();
  await index.settings({ embedders: { user } });
  if (documents.length > 0) await index.add(documents);
  return index;
}

it("the vectors of documents are not listed among their fields", async () => {
  const index = new VectorIndex();
  const documents = [
    { id: 1, t: "ant" },
    { id: 2, _vectors: { other: [1, 2] }, t: "bee" },
    { id: 3, t: "cat", _vectors: { user: anew } },
    { t: "dog", id: 4 },
  ];
  await index.add(documents);
  const query = { offset: 0, limit: 10, fields: null, retrieveVectors: false, ids: null };
  const answer = index.searcher.documents(index.handle, { ...query, filter: null, sort: null });
  const { results } = JSON.parse(Buffer.from(answer).toString());
  assert.deepEqual(
    results,
    documents.map(({ id, t }) => ({ id, t })),
  );
});

it("no more are those that come under a name with escapes, before other parts of the document", () => {
  const index = new TestIndex();
  const parts = ['{"id":1,"\\u005fvectors":{"other":[1,2]}}', '{"id":1,"t":"ant"}'];
  const { index: after } = index.run(parts.map((part) => addition([part], "update")));
  assert.deepEqual(index.document("1"), [
    ["id", "1"],
    ["t", '"ant"'],
  ]);
  // They are stored under the name itself.
  const stored = '{"id":1,"_vectors":{"other":[1,2]},"t":"ant"}';
  assert.equal(after?.rawDocumentBytes, stored.length);
  index.close();
});

describe("a document without vectors of the user", () => {
  it("that was there before refuses the embedder, unless it says that it goes without", async () => {
    const index = new VectorIndex();
    await index.add([{ id: 1, t: "ant" }]);
    await assert.rejects(index.settings({ embedders: { user } }), refusal);
    assert.deepEqual(index.state.embedders, {});
    await index.add([
      { id: 1, t: "ant", _vectors: { user: null } },
      { id: 2, t: "bee", _vectors: { user: { regenerate: false } } },
      { id: 3, t: "cat", _vectors: { user: anew } },
    ]);
    await index.settings({ embedders: { user } });
    assert.deepEqual(index.vectors().get(3)!.user, anew);
    index.assertSound();
  });

  it("refuses that an embedder which made its vectors is one of the user", async () => {
    const index = new VectorIndex();
    await index.settings({ embedders: { made } });
    await index.add([{ id: 1, t: "ant", _vectors: { made: [8, 9] } }]);
    const users = { made: { source: "userProvided", dimensions: MADE_DIMENSIONS } } as const;
    await index.settings({ embedders: users });
    await index.settings({ embedders: { made } });
    await index.add([{ id: 2, t: "bee" }]);
    await assert.rejects(index.settings({ embedders: users }), refusal);
    assert.deepEqual(index.vectors().get(2)!.made.embeddings, [madeVector("bee")]);
    index.assertSound();
  });

  it("is refused when it is new, also when it comes twice", async () => {
    const index = await indexOf();
    await assert.rejects(index.add([{ id: 1, t: "ant" }]), refusal);
    const twice = [
      { id: 1, t: "ant" },
      { id: 1, t: "ant" },
    ];
    await assert.rejects(index.add(twice), refusal);
  });

  it("is let in where failures of embedders are ignored", async () => {
    const index = new VectorIndex();
    index.embedders.isLenient = true;
    await index.add([{ id: 1, t: "ant" }]);
    await index.settings({ embedders: { user } });
    await index.add([{ id: 2, t: "bee" }]);
    await index.add([{ id: 3, t: "cat", _vectors: { user: anew } }]);
    await index.add([{ id: 3, t: "another cat" }]);
    const lacking = { user: { regenerate: true, embeddings: [] } };
    assert.deepEqual(
      [1, 2].map((id) => index.vectors().get(id)),
      [lacking, lacking],
    );
    assert.deepEqual(index.vectors().get(3)!.user, anew);
    index.assertSound();
  });

  it("loses what a model made of it when the user takes over from the model", async () => {
    const index = new VectorIndex();
    index.embedders.isLenient = true;
    await index.settings({ embedders: { made } });
    await index.add([{ id: 2, t: "bee" }]);
    await index.settings({ embedders: { made: { source: "userProvided", dimensions: MADE_DIMENSIONS } } });
    assert.deepEqual(index.vectors().get(2)!.made, { regenerate: true, embeddings: [] });
    index.assertSound();
  });
});

describe("vectors of the user that stand for a text", () => {
  it("stay while the text does", async () => {
    const index = await indexOf([{ id: 1, t: "ant", _vectors: { user: anew } }]);
    await index.add([{ id: 1, t: "ant" }], "update");
    await index.add([{ id: 1, t: "ant", other: 1 }]);
    await index.add([{ id: 1, t: "ant", _vectors: { user: { regenerate: true } } }]);
    await assert.rejects(index.add([{ id: 1, t: "bee" }], "update"), refusal);
    await assert.rejects(index.add([{ id: 1, other: 1 }]), refusal);
    assert.deepEqual(index.vectors().get(1)!.user, anew);
  });

  it("stay when nothing but `regenerate: false` comes with another text, which changes nothing", async () => {
    const index = await indexOf([{ id: 1, t: "ant", _vectors: { user: anew } }]);
    for (const method of ["update", "replace"] as const) {
      await index.add([{ id: 1, t: method, _vectors: { user: { regenerate: false } } }], method);
      assert.deepEqual(index.vectors().get(1)!.user, anew);
    }
    await assert.rejects(index.add([{ id: 1, t: "bee" }], "update"), refusal);
  });

  const sequences: [name: string, method: "replace" | "update", documents: object[], isKept: boolean][] = [
    ["the same text", "update", [{ t: "ant", _vectors: { user: anew } }, { t: "ant" }], true],
    ["no text", "update", [{ t: "ant", _vectors: { user: anew } }, { other: 1 }], true],
    ["another text", "update", [{ t: "ant", _vectors: { user: anew } }, { t: "bee" }], false],
    ["a text before", "update", [{ t: "ant" }, { _vectors: { user: anew } }, { t: "ant" }], true],
    ["the text of the index", "update", [{ _vectors: { user: anew } }, { t: "old" }], true],
    ["the same document", "replace", [{ t: "ant", _vectors: { user: anew } }, { t: "ant" }], true],
    ["another document", "replace", [{ t: "ant", _vectors: { user: anew } }, { t: "bee" }], false],
  ];
  for (const [name, method, documents, isKept] of sequences) {
    it(`${isKept ? "stay" : "go"} when ${name} follows in the same batch by ${method}`, async () => {
      const index = await indexOf([{ id: 1, t: "old", _vectors: { user: null } }]);
      const batch = documents.map((document) => ({ id: 1, ...document }));
      if (isKept) await index.add(batch, method);
      else await assert.rejects(index.add(batch, method), refusal);
      const left = isKept ? anew : { embeddings: [], regenerate: false };
      assert.deepEqual(index.vectors().get(1)!.user, left);
    });
  }

  it("are no field of documents, be they of an embedder or of none", async () => {
    const index = await indexOf([]);
    const others = { id: 2, _vectors: { other: [1], user: null } };
    const { index: filled } = await index.add([{ id: 1, _vectors: { user: anew } }, others]);
    assert.deepEqual(filled.fieldDistribution, { id: 2 });
    assert.deepEqual((await index.delete(["2"])).index.fieldDistribution, { id: 1 });
  });

  it("stay when parts follow in the batch that has deleted a document, with its text", async () => {
    const index = await indexOf([{ id: 1, t: "old", _vectors: { user: null } }]);
    await index.deleteAndUpdate(
      ["1"],
      [
        { id: 1, _vectors: { user: anew } },
        { id: 1, other: 1 },
      ],
    );
    assert.deepEqual(index.vectors().get(1)!.user, anew);
    index.assertSound();
  });

  it("go unseen, whatever is wrong with them, when another document follows in the same batch", async () => {
    const mistakes = [[], { user: [1, 2] }, { user: ["a"] }, { user: { x: 1 } }, { other: { x: 1 } }];
    for (const _vectors of mistakes) {
      const index = await indexOf([{ id: 1, t: "old", _vectors: { user: [4, 5, 6] } }]);
      const mistaken = { id: 1, t: "ant", _vectors };
      await index.add([mistaken, { id: 1, t: "bee", _vectors: { user: anew } }]);
      assert.deepEqual(index.vectors().get(1)!.user, anew);
      // What was there before stays for the same text, as if only that had come.
      await index.add([mistaken, { id: 1, t: "bee" }]);
      assert.deepEqual(index.vectors().get(1)!.user, anew);
      await assert.rejects(index.add([mistaken, { id: 1, t: "cat" }]), refusal);
      for (const method of ["replace", "update"] as const)
        await assert.rejects(index.add([{ id: 1, t: "bee" }, mistaken], method), /`1`/);
      await assert.rejects(index.add([mistaken, { id: 1, t: "bee" }], "update"), /`1`/);
      index.assertSound();
    }
  });

  it("stay with an embedder that could make some when the same text follows in the same batch", async () => {
    const index = new VectorIndex();
    await index.settings({ embedders: { made } });
    const brought = { regenerate: true, embeddings: [[8, 9]] };
    const twice = (id: number, t: string) => [
      { id, t: "ant", _vectors: { made: brought } },
      { id, t },
    ];
    await index.add([...twice(1, "ant"), ...twice(2, "bee")]);
    assert.deepEqual(index.embedders.texts, ["bee"]);
    assert.deepEqual(index.vectors().get(1)!.made, brought);
    assert.deepEqual(index.vectors().get(2)!.made.embeddings, [madeVector("bee")]);
  });

  it("are written without a look at texts", async () => {
    const index = await indexOf([{ id: 1, t: "ant", _vectors: { user: anew } }]);
    await index.add([{ id: 1, t: "bee", _vectors: { user: anew } }]);
    await index.add([{ id: 2, t: "bee", _vectors: { user: [1, 2, 3] } }]);
    await index.add([{ id: 2, t: "cat" }]);
    assert.equal(index.embedders.compared, 0);
  });
});
