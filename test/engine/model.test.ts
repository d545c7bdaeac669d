// Random histories of one index, through the threads of the engine, against the model of model.ts: after every step all
// documents, counts, numbers and posting lists must be equal. MODEL_RUNS: number of histories (default: a few seconds).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { IndexDescription } from "../../src/engine/engine.ts";
import { MergeThread } from "../../src/engine/mergethread.ts";
import { SearchThread } from "../../src/engine/searchthread.ts";
import { WriteThread } from "../../src/engine/writethread.ts";
import type { MergeJob } from "../../src/segment/merge.ts";
import type { SegmentEntry } from "../../src/segment/manifeststate.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { parseJson } from "../twins/json.ts";
import { jsonValue } from "../twins/jsontext.ts";
import { expectedLists, readLists } from "./indexcontents.ts";
import { IndexModel, membersOf, type ModelOperation, type ModelResult } from "./model.ts";

const RUNS = Number(process.env.MODEL_RUNS ?? 60);
const INDEXING_BYTES = 16 * 1024 * 1024;
const CACHE_BYTES = 1024 * 1024;
const folder = "index";

/** One thing that happens to the index. */
type Step =
  | { step: "batch"; operations: (taskUid: number) => ModelOperation }
  | { step: "batches"; operations: ((taskUid: number) => ModelOperation)[] }
  | { step: "beginMerge" | "endMerge" | "reopen" };

class History {
  readonly #storage = new MemoryStorage();
  readonly #model = new IndexModel();
  readonly #merger = new MergeThread(this.#storage);
  #writer = new WriteThread(this.#storage, INDEXING_BYTES);
  #searcher = new SearchThread(this.#storage, CACHE_BYTES);
  #merge: { job: MergeJob; merged: SegmentEntry | null } | null = null;
  #tasks = 0;
  #index: IndexDescription = this.#writer.describe(folder);

  run(steps: readonly Step[]): void {
    for (const step of steps) {
      this.#do(step);
      this.#compare();
    }
    this.#writer.close();
    this.#searcher.close();
  }

  #do(step: Step): void {
    switch (step.step) {
      case "batch":
        return this.#batch([step.operations]);
      case "batches":
        return this.#batch(step.operations);
      case "beginMerge":
        return this.#beginMerge();
      case "endMerge":
        return this.#endMerge();
      case "reopen":
        return this.#reopen();
    }
  }

  #batch(makers: readonly ((taskUid: number) => ModelOperation)[]): void {
    const operations = makers.map((make) => make(++this.#tasks));
    const stored = operations.map((operation) => {
      if (operation.kind !== "add") return operation;
      const { documents, ...rest } = operation;
      const payload = `payload-${operation.taskUid}`;
      const file = this.#storage.create(payload);
      file.append(Buffer.from(documents.map((text) => `${text}\n`).join("")));
      file.close();
      return { ...rest, payload };
    });
    const before = this.#index.version;
    const { results, index } = this.#writer.run({ folder, indexUid: "i", operations: stored }, null, () => {});
    assert.deepEqual(results.map(codeOnly), this.#model.run(operations));
    this.#index = index;
    assert.ok(index.version >= before);
  }

  #beginMerge(): void {
    if (this.#merge) return;
    const job = this.#writer.beginMerge(folder);
    if (job) this.#merge = { job, merged: this.#merger.merge(job, null) };
  }

  #endMerge(): void {
    if (!this.#merge) return;
    const { job, merged } = this.#merge;
    this.#merge = null;
    this.#index = { ...this.#index, version: this.#writer.commitMerge(job, merged) };
  }

  #reopen(): void {
    this.#merge = null;
    this.#writer.close();
    this.#searcher.close();
    this.#writer = new WriteThread(this.#storage, INDEXING_BYTES);
    this.#searcher = new SearchThread(this.#storage, CACHE_BYTES);
    const { version, numberOfDocuments, fieldDistribution, primaryKey } = this.#writer.describe(folder);
    assert.deepEqual(
      { version, numberOfDocuments, fieldDistribution, primaryKey },
      {
        version: this.#index.version,
        numberOfDocuments: this.#index.numberOfDocuments,
        fieldDistribution: this.#index.fieldDistribution,
        primaryKey: this.#index.primaryKey,
      },
    );
  }

  #compare(): void {
    const model = this.#model;
    const { primaryKey, numberOfDocuments, fieldDistribution } = this.#index;
    assert.equal(primaryKey, model.primaryKey);
    assert.equal(numberOfDocuments, model.documents.size);
    assert.deepEqual(sorted(fieldDistribution), sorted(model.fieldDistribution));
    this.#compareListings();
    this.#compareDocuments();
    const { lists, fields } = readLists(this.#storage, folder, this.#index.version);
    assert.equal(new Set(fields).size, fields.length);
    const expected = expectedLists(model, fields);
    assert.deepEqual([...lists.keys()].sort(), [...expected.keys()].sort());
    for (const [term, postings] of expected) assert.deepEqual(lists.get(term), postings, JSON.stringify(term));
  }

  #compareListings(): void {
    const model = this.#model;
    const all = model.docids.map((docid) => [...model.documents.get(docid)!.document]);
    assert.deepEqual(this.#list(0, 1000, null, null), { results: all, total: all.length });
    const offset = all.length >> 1;
    assert.deepEqual(this.#list(offset, 3, null, null), { results: all.slice(offset, offset + 3), total: all.length });
    const some = (names: string[]) => (document: [string, string][]) => document.filter(([name]) => names.includes(name));
    assert.deepEqual(this.#list(0, 5, ["id", "b"], null).results, all.slice(0, 5).map(some(["id", "b"])));
    const ids = ["7", "missing", "3", "a-1", "7"];
    const chosen = model.docids.filter((docid) => ids.includes(model.documents.get(docid)!.id));
    const documents = chosen.map((docid) => [...model.documents.get(docid)!.document]);
    assert.deepEqual(this.#list(1, 2, null, ids), { results: documents.slice(1, 3), total: documents.length });
  }

  #compareDocuments(): void {
    for (const id of ["1", "3", "a-1", "missing"]) {
      const docid = this.#model.docidOf(id);
      const bytes = this.#searcher.document(this.#handle, id, null);
      const expected = docid === undefined ? null : this.#model.documents.get(docid)!.document;
      assert.deepEqual(bytes && membersOf(Buffer.from(bytes).toString()), expected);
    }
  }

  get #handle() {
    return { folder, indexUid: "i", version: this.#index.version };
  }

  #list(offset: number, limit: number, fields: string[] | null, ids: string[] | null) {
    const query = { offset, limit, fields, ids, retrieveVectors: false, filter: null, sort: null };
    const text = Buffer.from(this.#searcher.documents(this.#handle, query)).toString();
    const answer = membersOf(text);
    const results = parseJson(answer.get("results")!).children.map(({ value }) => [...membersOf(value.source)]);
    return { results, total: Number(answer.get("total")) };
  }
}

const codeOnly = ({ error, ...rest }: { error: { code: string } | null; taskUid: number }): ModelResult => {
  return { ...rest, error: error && error.code };
};

const sorted = (object: object): [string, unknown][] => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

const id = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 24 }).map(String) },
  { weight: 3, arbitrary: fc.constantFrom('"3"', '"a-1"', '"B_2"', "18446744073709551615", "-5", '"7"') },
);
const badId = fc.constantFrom("1.0", '""', '"a b"', "null", "[1]", "18446744073709551616", "1e3");
const words = fc
  .array(fc.constantFrom("red", "Blue", "grün", "the", "x", "10", "a_b", "漢字"), { maxLength: 12 })
  .chain((list) =>
    fc.array(fc.constantFrom(" ", ", ", ". ", "-", "  "), { minLength: list.length, maxLength: list.length }).map((gaps) => {
      return `"${list.map((word, i) => word + gaps[i]).join("")}"`;
    }),
  );
const member = fc
  .tuple(fc.constantFrom('"a"', '"b"', '"c"', '"a.b"', '"\\u0061"', '"naïve"', '"_vectors"'), fc.oneof(words, jsonValue))
  .map(([name, value]) => `${name}:${value}`);

/** Text of a document; now and then one that cannot be indexed. */
function documentWith(ids: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parts = { own: ids, ref: fc.nat(9), members: fc.array(member, { maxLength: 4 }), kind: fc.nat(60) };
  return fc.record(parts).map(({ own, ref, members, kind }) => {
    const fields = [...members];
    if (kind !== 0) fields.unshift(`"id":${own}`);
    if (kind !== 1) fields.push(`"ref":"r${ref}"`);
    if (kind === 2) fields.push('"otherId":1');
    return `{${fields.join(", ")}}`;
  });
}

const add = fc
  .record({
    documents: fc.oneof(
      { weight: 9, arbitrary: fc.array(documentWith(id), { maxLength: 12 }) },
      { weight: 1, arbitrary: fc.array(documentWith(fc.oneof(id, badId)), { maxLength: 6 }) },
    ),
    method: fc.constantFrom("replace" as const, "update" as const),
    primaryKey: fc.constantFrom(null, null, null, null, "id", "ref"),
    skipCreation: fc.boolean().map((flag) => flag),
  })
  .map((rest) => (taskUid: number): ModelOperation => ({ kind: "add", taskUid, ...rest, skipCreation: rest.skipCreation && taskUid % 3 === 0 }));
const remove = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 24 }).map(String), fc.constantFrom("a-1", "missing")), { maxLength: 8 })
  .map((ids) => (taskUid: number): ModelOperation => ({ kind: "deleteIds", taskUid, ids }));
const settings = fc
  .constantFrom(
    { searchableAttributes: ["a", "b"] },
    { searchableAttributes: ["a.b", "naïve"] },
    { searchableAttributes: null },
    { stopWords: ["the", "x"] },
    { stopWords: null },
    { displayedAttributes: ["*"] },
  )
  .map((patch) => (taskUid: number): ModelOperation => ({ kind: "settings", taskUid, patch }));
const others = fc.constantFrom(
  (taskUid: number): ModelOperation => ({ kind: "clear", taskUid }),
  (taskUid: number): ModelOperation => ({ kind: "primaryKey", taskUid, primaryKey: "id" }),
  (taskUid: number): ModelOperation => ({ kind: "primaryKey", taskUid, primaryKey: "ref" }),
);
const operation = fc.oneof(
  { weight: 10, arbitrary: add },
  { weight: 4, arbitrary: remove },
  { weight: 2, arbitrary: settings },
  { weight: 1, arbitrary: others },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: operation.map((operations) => ({ step: "batch" as const, operations })) },
  {
    weight: 4,
    arbitrary: fc.array(operation, { minLength: 1, maxLength: 5 }).map((operations) => ({ step: "batches" as const, operations })),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom("beginMerge" as const, "beginMerge" as const, "endMerge" as const, "endMerge" as const, "reopen" as const).map((step) => ({ step })),
  },
);

describe("the history of an index", () => {
  it("gives the documents, counts and lists of a plain model after every step", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40, size: "max" }), (steps) => new History().run(steps)),
      { numRuns: RUNS, endOnFailure: Boolean(process.env.MODEL_NO_SHRINK) },
    );
  });
});
