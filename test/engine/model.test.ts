// Random histories of one index, through the threads of the engine, against the model of model.ts: after
// every step all documents, counts, numbers and posting lists must be equal. MODEL_RUNS: number of histories
// (default: a few seconds).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { SettingsPatch } from "../../src/schemas/settings.ts";
import type { SegmentEntry } from "../../src/segment/manifeststate.ts";
import type { MergeJob } from "../../src/segment/merge.ts";
import { jsonValue } from "../twins/jsontext.ts";
import { addition, type Change, TestIndex } from "./index.ts";

const RUNS = Number(process.env.MODEL_RUNS ?? 40);
const MILLISECONDS_MAX = process.env.MODEL_RUNS ? undefined : 5_000;

/** One thing that happens to the index: a batch of changes, or something between batches. */
type Step = Change[] | "beginMerge" | "endMerge" | "reopen";

function run(steps: readonly Step[]): void {
  const index = new TestIndex();
  let running: { job: MergeJob; merged: SegmentEntry | null } | null = null;
  for (const step of steps) {
    if (step === "reopen") {
      index.reopen();
      running = null;
    } else if (step === "beginMerge") {
      const job: MergeJob | null = running ? null : index.writer.beginMerge(index.folder);
      if (job) running = { job, merged: index.merge(job) };
    } else if (step === "endMerge") {
      if (running) index.writer.commitMerge(running.job, running.merged);
      running = null;
    } else index.run(step);
    index.compare();
    compareParts(index);
  }
  index.close();
}

/** Pages, selections and single documents. */
function compareParts(index: TestIndex): void {
  const { model } = index;
  const all = model.docids.map((docid) => index.shown(docid));
  const offset = all.length >> 1;
  assert.deepEqual(index.list(offset, 3, null, null), {
    results: all.slice(offset, offset + 3),
    total: all.length,
  });
  const some = (document: [string, string][]) => document.filter(([name]) => ["id", "b"].includes(name));
  assert.deepEqual(index.list(0, 5, ["id", "b"], null).results, all.slice(0, 5).map(some));
  const ids = ["7", "missing", "3", "a-1", "7"];
  const chosen = model.docids.filter((docid) => ids.includes(model.documents.get(docid)!.id));
  const documents = chosen.map((docid) => index.shown(docid));
  assert.deepEqual(index.list(1, 2, null, ids), { results: documents.slice(1, 3), total: documents.length });
  for (const id of ["1", "3", "a-1", "missing"]) {
    const docid = model.docidOf(id);
    assert.deepEqual(index.document(id), docid === undefined ? null : index.shown(docid));
  }
}

const id = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 24 }).map(String) },
  { weight: 3, arbitrary: fc.constantFrom('"3"', '"a-1"', '"B_2"', "18446744073709551615", "-5", '"7"') },
);
const badId = fc.constantFrom("1.0", '""', '"a b"', "null", "[1]", "18446744073709551616", "1e3");
const words = fc
  .array(fc.constantFrom("red", "Blue", "grün", "the", "x", "10", "a_b", "漢字"), { maxLength: 12 })
  .chain((list) =>
    fc
      .array(fc.constantFrom(" ", ", ", ". ", "-", "  "), { minLength: list.length, maxLength: list.length })
      .map((gaps) => {
        return `"${list.map((word, i) => word + gaps[i]).join("")}"`;
      }),
  );
/** Well-formed ones of embedders that the index does not have. */
const vectors = fc.constantFrom(
  "null",
  "{}",
  '{"x":[1,2]}',
  '{"x":null,"y":[[1],[2]]}',
  '{"z":{"regenerate":true}}',
);
const vectorsMember = fc.tuple(fc.constantFrom('"_vectors"', '"_vec\\u0074ors"'), vectors);
const member = fc
  .oneof(
    {
      weight: 12,
      arbitrary: fc.tuple(
        fc.constantFrom('"a"', '"b"', '"c"', '"a.b"', '"\\u0061"', '"naïve"'),
        fc.oneof(words, jsonValue),
      ),
    },
    { weight: 2, arbitrary: vectorsMember },
  )
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

const documents = fc.oneof(
  { weight: 9, arbitrary: fc.array(documentWith(id), { maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(documentWith(fc.oneof(id, badId)), { maxLength: 6 }) },
);
const add: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant("add" as const),
  documents,
  method: fc.constantFrom("replace" as const, "update" as const, "complete" as const),
  primaryKey: fc.constantFrom(null, null, null, null, "id", "ref"),
  skipCreation: fc.constantFrom(false, false, true),
  shard: fc.constantFrom(undefined, undefined, undefined, { self: "a", members: ["a", "b"] }),
});
const remove: fc.Arbitrary<Change> = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 24 }).map(String), fc.constantFrom("a-1", "missing")), {
    maxLength: 8,
  })
  .map((ids) => ({ kind: "deleteIds" as const, ids }));
const patches: SettingsPatch[] = [
  { searchableAttributes: ["a", "b"] },
  { searchableAttributes: ["a.b", "naïve"] },
  { searchableAttributes: null },
  { stopWords: ["the", "x"] },
  { stopWords: null },
  { displayedAttributes: ["*"] },
];
const settings: fc.Arbitrary<Change> = fc
  .constantFrom(...patches)
  .map((patch) => ({ kind: "settings" as const, patch }));
const others: fc.Arbitrary<Change> = fc.constantFrom<Change[]>(
  { kind: "clear" },
  { kind: "primaryKey", primaryKey: "id" },
  { kind: "primaryKey", primaryKey: "ref" },
);
const change = fc.oneof(
  { weight: 10, arbitrary: add },
  { weight: 4, arbitrary: remove },
  { weight: 2, arbitrary: settings },
  { weight: 1, arbitrary: others },
);
const between = fc.constantFrom<Step[]>("beginMerge", "beginMerge", "endMerge", "endMerge", "reopen");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: change.map((one) => [one]) },
  { weight: 3, arbitrary: fc.array(change, { minLength: 1, maxLength: 5 }) },
  { weight: 6, arbitrary: between },
);

describe("the history of an index", () => {
  it("gives the documents, counts and lists of a plain model after every step", () => {
    fc.assert(fc.property(fc.array(step, { minLength: 16, maxLength: 40 }), run), {
      numRuns: RUNS,
      includeErrorInReport: true,
      interruptAfterTimeLimit: MILLISECONDS_MAX,
    });
  });
});

describe("a document that follows another of its id in one payload", () => {
  it("is what is stored, though both are looked through for vectors", () => {
    const index = new TestIndex();
    const other = '{"id":2, "ref":"r1"}';
    for (const vectors of ["null", "{}", '{"x":null}', '{"x":[1,2]}'])
      for (const method of ["replace", "update", "complete"] as const) {
        const twice = ['{"id":1, "ref":"r0"}', other, `{"id":1, "_vectors":${vectors}, "ref":"longer"}`];
        index.run([{ ...addition(twice, method), primaryKey: "id" } as Change]);
        index.compare();
        index.run([{ ...addition(twice.reverse(), method), primaryKey: "id" } as Change]);
        index.compare();
      }
    index.close();
  });
});
