// The model test of the whole engine: random sequences of batches, settings, merges and reopenings of one
// index, and after each step the documents, counts and lists of the model of model.ts, and searches as the
// naive ranker, filters and facets answer them. Run by sequences.test.ts (a few) and tools/model.mjs (many).
import assert from "node:assert/strict";
import fc from "fast-check";
import { defaultSettings } from "../../src/engine/defaultsettings.ts";
import { mergeSettings } from "../../src/engine/settings.ts";
import { searchQueryOf } from "../../src/schemas/search.ts";
import type { Settings, SettingsPatch } from "../../src/schemas/settings.ts";
import { type Change, TestIndex } from "./index.ts";
import {
  type FacetDocument,
  naiveBuckets,
  naiveDistinct,
  naiveFacet,
  withoutRepeatedEmptyTexts,
} from "./naivefacets.ts";
import { filterOf, value } from "./naivefilters.ts";
import { NaiveIndex, type TestDocument } from "./search/naiveindex.ts";
import { naiveSearch, type TestQuery, UnsatisfiedDocuments } from "./search/naiveranker.ts";
import * as rankings from "./search/rankings.ts";

export interface SequenceRun {
  sequences: number;
  seed: number;
  /** Undefined: as long as it takes. */
  milliseconds?: number;
  onSequence?(): void;
}

type Step = Change[] | "merge" | "reopen";
type Filter = { text: string; holds: (document: FacetDocument) => boolean };

/** What is asked after a step. */
interface Question {
  ranked: TestQuery;
  filter: Filter;
  direction: "asc" | "desc" | null;
  distinct: boolean;
  limit: number;
}

/** @throws Error with the seed and the shortest sequence that fails */
export function runSequences({ sequences, seed, milliseconds, onSequence }: SequenceRun): void {
  const property = fc.property(patch, fc.array(turn, { minLength: 2, maxLength: 9 }), (first, turns) => {
    run(first, turns);
    onSequence?.();
  });
  const options = { numRuns: sequences, seed, includeErrorInReport: true };
  fc.assert(property, { ...options, interruptAfterTimeLimit: milliseconds });
}

function run(first: SettingsPatch, turns: readonly { step: Step; question: Question }[]): void {
  const index = new TestIndex();
  let settings = mergeSettings(defaultSettings(), FIXED);
  const change = (patch: SettingsPatch) => {
    settings = mergeSettings(settings, patch);
  };
  try {
    index.run([{ kind: "primaryKey", primaryKey: "id" }]);
    index.run([{ kind: "settings", patch: { ...FIXED, ...first } }]);
    change(first);
    for (const { step, question } of turns) {
      if (step === "reopen") index.reopen();
      else if (step === "merge") index.mergeAll();
      else {
        index.run(step);
        for (const one of step) if (one.kind === "settings") change(one.patch as SettingsPatch);
      }
      index.compare();
      ask(index, settings, question);
    }
  } finally {
    index.close();
  }
}

function ask(index: TestIndex, settings: Settings, question: Question): void {
  const documents = documentsOf(index);
  compareRanking(index, settings, documents, question.ranked);
  compareFilter(index, documents, question);
  const isSorting = settings.rankingRules.includes("sort");
  compareDistinct(index, documents, isSorting ? question : { ...question, direction: null });
}

/** Documents of the index in order of their docids. */
function documentsOf({ model }: TestIndex): FacetDocument[] {
  return model.docids.map((docid) => {
    const members = [...model.documents.get(docid)!.document];
    return JSON.parse(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`);
  });
}

function compareRanking(
  index: TestIndex,
  settings: Settings,
  documents: readonly FacetDocument[],
  query: TestQuery,
): void {
  let expected: ReturnType<typeof naiveSearch>;
  try {
    // Only texts are searchable here. The naive ranker breaks ties by id, the engine by docid.
    const texts = documents.map(({ a: _a, b: _b, ...rest }, id) => ({ ...rest, id }) as TestDocument);
    expected = naiveSearch(new NaiveIndex(texts, settings as SettingsPatch), query);
  } catch (error) {
    if (error instanceof UnsatisfiedDocuments) return;
    throw error;
  }
  const { hits, estimatedTotalHits } = search(index, { ...query, showRankingScore: true });
  const rounded = ([id, score]: [number, number]) => [id, Number(score.toFixed(10))];
  assert.deepEqual(
    [hits.map(({ id, _rankingScore }) => rounded([id, _rankingScore!])), estimatedTotalHits],
    [expected.hits.map(([id, score]) => rounded([documents[id].id, score])), expected.total],
    JSON.stringify(query),
  );
}

function compareFilter(index: TestIndex, all: readonly FacetDocument[], { filter, limit }: Question): void {
  const documents = all.filter(filter.holds);
  const answer = search(index, { filter: filter.text, facets: ["a"], limit });
  const ids = documents.map(({ id }) => id);
  assert.deepEqual(
    [idsOf(answer), answer.estimatedTotalHits],
    [ids.slice(0, limit), ids.length],
    filter.text,
  );
  const expected = naiveFacet(documents, "a", "alpha", FACET_VALUES_MOST);
  assert.deepEqual(Object.entries(answer.facetDistribution!.a ?? {}), Object.entries(expected), filter.text);
}

function compareDistinct(index: TestIndex, all: readonly FacetDocument[], question: Question): void {
  const { filter, direction, distinct, limit } = question;
  const documents = all.filter(filter.holds);
  const buckets = naiveBuckets(documents, "b", direction);
  const sort = direction && [`b:${direction}`];
  const answer = search(index, { filter: filter.text, sort, distinct: distinct ? "a" : null, limit });
  const sorted = {
    hits: buckets
      .flat()
      .map(({ id }) => id)
      .slice(0, limit),
    total: documents.length,
  };
  const expected = distinct
    ? withoutRepeatedEmptyTexts(documents, "a", naiveDistinct(documents, buckets, "a", limit))
    : sorted;
  assert.deepEqual(
    { hits: idsOf(answer), total: answer.estimatedTotalHits },
    expected,
    JSON.stringify(question),
  );
}

interface Answer {
  hits: { id: number; _rankingScore?: number }[];
  estimatedTotalHits: number;
  facetDistribution?: Record<string, Record<string, number>>;
}

const idsOf = ({ hits }: Answer): number[] => hits.map(({ id }) => id);

function search(index: TestIndex, body: object): Answer {
  const query = searchQueryOf({ attributesToRetrieve: ["id"], ...body }, "r", null);
  const handle = { folder: index.folder, indexUid: "i", version: index.version };
  return JSON.parse(Buffer.from(index.searcher.search(handle, query) as Uint8Array).toString());
}

const FACET_VALUES_MOST = 100;
/** In force in every sequence. */
const FIXED: SettingsPatch = {
  searchableAttributes: ["title", "body", "tags"],
  filterableAttributes: ["a", "tags"],
  sortableAttributes: ["b"],
  searchCutoffMs: 600_000,
};

const id = fc.nat(14);
const document = fc.record(
  { id, ...rankings.fields, a: value, b: value },
  { requiredKeys: ["id"] },
) as fc.Arbitrary<FacetDocument>;
const add = fc.record({
  kind: fc.constant("add" as const),
  documents: fc.array(
    document.map((one) => JSON.stringify(one)),
    { minLength: 1, maxLength: 8 },
  ),
  method: fc.constantFrom("replace" as const, "update" as const, "complete" as const),
  primaryKey: fc.constant(null),
  skipCreation: fc.constantFrom(false, false, true),
});
const remove = fc
  .array(id.map(String), { minLength: 1, maxLength: 5 })
  .map((ids) => ({ kind: "deleteIds" as const, ids }));
/** The fixed settings stay, but for the fields that are searched. */
const patch = rankings.settings.map(({ searchableAttributes, ...rest }): SettingsPatch => {
  const searched = searchableAttributes?.filter((name) => name !== "x");
  return { ...rest, ...(searched && { searchableAttributes: searched }) };
});
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 9, arbitrary: add },
  { weight: 3, arbitrary: remove },
  { weight: 1, arbitrary: fc.constant({ kind: "clear" as const }) },
  { weight: 2, arbitrary: patch.map((one) => ({ kind: "settings" as const, patch: one })) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: fc.constant("merge" as const) },
  { weight: 1, arbitrary: fc.constant("reopen" as const) },
);
const question: fc.Arbitrary<Question> = fc.record({
  ranked: rankings.query,
  filter: filterOf() as fc.Arbitrary<Filter>,
  direction: fc.constantFrom("asc" as const, "desc" as const, null),
  distinct: fc.boolean(),
  limit: fc.constantFrom(0, 1, 3, 20),
});
const turn = fc.record({ step, question });
