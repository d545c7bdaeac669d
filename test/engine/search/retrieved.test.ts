// Dotted names of attributes that are retrieved or displayed: what the index does not know leaves no trace,
// in hits and in documents that are read.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { addition, TestIndex } from "../index.ts";
import { SearchIndex } from "./searchindex.ts";

const OAK = { id: 1, name: "oak", size: { h: 20, w: null }, leaf: [{ k: "a" }, { k: "b" }] };
const FIR = { id: 2, name: "fir", size: { h: 50 } };

function retrieved(names: string[], settings: SettingsPatch = {}): unknown[] {
  const index = new SearchIndex(settings);
  index.add([OAK, FIR]);
  return index.search({ attributesToRetrieve: names }).hits.map(({ _rankingScore, ...hit }) => hit);
}

for (const name of ["size.depth", "size.*", "name.first", "id.x", "leaf.z", "other.x"]) {
  test(`of ${name} nothing is retrieved`, () => {
    deepEqual(retrieved([name]), [{}, {}]);
    deepEqual(retrieved(["id", name]), [{ id: 1 }, { id: 2 }]);
    deepEqual(retrieved(["*"], { displayedAttributes: ["id", name] }), [{ id: 1 }, { id: 2 }]);
  });
}

test("what one document has leaves its parent in the others", () => {
  deepEqual(retrieved(["size.w"]), [{ size: { w: null } }, { size: {} }]);
});

test("what is not searched is retrieved where it is", () => {
  const settings = { searchableAttributes: ["name"] };
  deepEqual(retrieved(["size.w"], settings), [{ size: { w: null } }, {}]);
  deepEqual(retrieved(["leaf.k"], settings), [{ leaf: [{ k: "a" }, { k: "b" }] }, {}]);
});

test("what is not searched and has a dot in its name is retrieved and formatted", () => {
  const index = new SearchIndex({ searchableAttributes: ["t"] });
  index.add([{ id: 1, t: "boat", "a.b": { c: "boat" } }]);
  const query = { q: "boat", attributesToRetrieve: ["a.b.c"], attributesToHighlight: ["t"] };
  const [{ _formatted, ...hit }] = index.search(query).hits;
  deepEqual(hit["a.b"], { c: "boat" });
  deepEqual(_formatted, { t: "<em>boat</em>", "a.b": { c: "boat" } });
});

test("names of very many parts are known in little time", () => {
  const parts = 20_000;
  const name = Array(parts).fill("a").join(".");
  const index = new SearchIndex({ filterableAttributes: [name] });
  index.add([{ id: 1, [name]: "boat" }]);
  deepEqual(index.search({ attributesToRetrieve: ["x.y"] }).hits.length, 1);
});

test("what comes later is known from then on", () => {
  const index = new SearchIndex();
  const hits = () => index.search({ attributesToRetrieve: ["size.d"] }).hits.map(({ size }) => size);
  index.add([OAK]);
  deepEqual(hits(), [undefined]);
  index.add([{ id: 3, size: { d: 1 } }]);
  deepEqual(hits(), [{}, { d: 1 }]);
});

test("what lies between a field and its parts is known, in lists, too", () => {
  const index = new SearchIndex();
  index.add([
    { id: 1, a: [{ b: [{ c: { d: 1 } }] }] },
    { id: 2, a: { x: 0 } },
  ]);
  for (const name of ["a.b", "a.b.c", "a.b.c.d"])
    deepEqual(index.search({ attributesToRetrieve: [name] }).hits[1].a, {}, name);
});

test("lists on the way keep all elements, and formatted only lists and what has something selected", () => {
  const index = new SearchIndex();
  index.add([{ id: 1, part: [{}, "x", { c: 1 }, { a: 2 }, [{ a: 1 }, { c: "y" }, 3], [{ a: 1 }]] }]);
  const query = { attributesToRetrieve: ["part.c"], attributesToHighlight: ["part.c"] };
  const [{ part, _formatted }] = index.search(query).hits;
  deepEqual(part, [{}, "x", { c: 1 }, {}, [{}, { c: "y" }, 3], [{}]]);
  deepEqual(_formatted, { part: [{ c: "1" }, [{ c: "y" }], []] });
});

test("documents are read by the same names", () => {
  const index = new TestIndex();
  index.run([addition([OAK, FIR].map((document) => JSON.stringify(document)))]);
  const { searcher, folder, state } = index;
  const handle = { folder, indexUid: "i", version: state.version };
  const read = (id: string, fields: string[]) => {
    const bytes = searcher.document(handle, id, { fields, retrieveVectors: false });
    return JSON.parse(Buffer.from(bytes!).toString());
  };
  deepEqual(read("1", ["name.first", "size.depth", "id"]), { id: 1 });
  deepEqual(read("2", ["size.w"]), { size: {} });
  const page = {
    offset: 0,
    limit: 20,
    ids: null,
    filter: null,
    sort: null,
    retrieveVectors: false,
    fields: ["name.first", "size.w", "size.depth"],
  };
  const { results } = JSON.parse(Buffer.from(searcher.documents(handle, page)).toString());
  deepEqual(results, [{ size: { w: null } }, { size: {} }]);
  index.close();
});
