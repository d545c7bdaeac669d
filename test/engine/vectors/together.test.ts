// How many texts of documents are embedded in one call, which takes as long as a call for one: documents wait
// for others, but neither very many nor very large ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EMBEDDERS, madeVector, VectorIndex } from "./vectorindex.ts";

const MEBIBYTE = 1024 * 1024;

async function openIndex() {
  const index = new VectorIndex();
  await index.settings({ embedders: { made: EMBEDDERS.made } });
  /** Adds the documents, and returns how many texts came in each call. */
  const calls = async (documents: readonly object[]) => {
    index.embedders.together.length = 0;
    await index.add(documents.map((document, id) => ({ id, ...document })));
    return [...index.embedders.together];
  };
  return { index, calls };
}

const texts = (count: number) => Array.from({ length: count }, (_, at) => ({ t: `text ${at}` }));
/** Documents for which nothing is embedded. */
const ready = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => ({ ...more, _vectors: { made: [1, 2] } }));

test("texts are embedded 400 at a time", async () => {
  const { index, calls } = await openIndex();
  assert.deepEqual(await calls(texts(1000)), [400, 400, 200]);
  assert.equal(index.vectors().size, 1000);
});

test("a text waits for another one behind 4,094 documents without, and for none behind more", async () => {
  const { index, calls } = await openIndex();
  const [first, second, ...more] = texts(4);
  assert.deepEqual(await calls([first, ...ready(4094), second, ...more]), [2, 2]);
  await index.delete(["0", "4095", "4096", "4097"]);
  assert.deepEqual(await calls([{ t: "a" }, ...ready(4095), { t: "b" }, { t: "c" }]), [1, 2]);
});

test("a text waits for no others behind 16 MiB, and those behind wait for each other", async () => {
  const { calls } = await openIndex();
  const large = ready(3, { blanks: " ".repeat(6 * MEBIBYTE) });
  assert.deepEqual(await calls([{ t: "a" }, ...large.slice(1), { t: "b" }, { t: "c" }]), [3]);
  assert.deepEqual(await calls([{ t: "d" }, ...large, { t: "e" }, { t: "f" }]), [1, 2]);
});

test("each embedder gets its own texts of the documents, in calls of its own", async () => {
  const { index, calls } = await openIndex();
  await index.settings({ embedders: { other: { ...EMBEDDERS.made, documentTemplate: "another" } } });
  assert.deepEqual(await calls([{ t: "a" }, { t: "bc" }]), [2, 2]);
  const found = [...index.vectors().values()].map(({ made, other }) => [made.embeddings, other.embeddings]);
  const expected = ["a", "bc"].map((text) => [[madeVector(text)], [madeVector(`other ${text}`)]]);
  assert.deepEqual(found, expected);
});
