// Random histories of an index with vectors, against a plain model: what documents have of each embedder, and
// what searches by vectors find, over segments, deletions, merges and restarts.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { EMBEDDERS, MADE_DIMENSIONS, madeVector, USER_DIMENSIONS, VectorIndex } from "./vectorindex.ts";

const RUNS = Number(process.env.MODEL_RUNS ?? 25);
const MILLISECONDS_MAX = process.env.MODEL_RUNS ? undefined : 6_000;
const SCORE_TOLERANCE = 1e-5;

type Given = null | number[] | number[][] | { regenerate: boolean; embeddings?: number[] | number[][] };
interface Sent {
  id: number;
  t: string;
  _vectors?: { user?: Given; made?: Given };
}
interface Has {
  embeddings: number[][];
  regenerate: boolean;
}
interface Known {
  t: string;
  user: Has;
  made: Has;
}
type Step =
  | { kind: "add"; method: "replace" | "update"; documents: Sent[] }
  | { kind: "delete"; ids: number[] }
  | { kind: "merge" | "reopen" };

class Model {
  readonly documents = new Map<number, Known>();

  /** False: the batch is refused, because a document lacks vectors of embedder `user`. */
  add(documents: readonly Sent[]): boolean {
    if (documents.some((document) => this.#isRefused(document))) return false;
    // Documents whose text is to be embedded when the batch ends: as it is then.
    const due = new Set<number>();
    for (const { id, t, _vectors = {} } of documents) {
      const old = this.documents.get(id);
      const user = kept(old?.user, _vectors.user) ?? { embeddings: [], regenerate: false };
      const made = this.#made(old, t, _vectors.made) ?? (due.has(id) ? embedded(t) : old!.made);
      if (!kept(undefined, _vectors.made) && made !== old?.made && made.regenerate) due.add(id);
      else if (kept(undefined, _vectors.made)) due.delete(id);
      this.documents.set(id, { t, user, made });
    }
    return true;
  }

  /** What is new, or has another text than vectors that are to be made anew, must bring some. */
  #isRefused({ id, t, _vectors }: Sent): boolean {
    const old = this.documents.get(id);
    if (_vectors?.user !== undefined) return false;
    return old === undefined || (old.user.regenerate && old.t !== t);
  }

  /** Null: `regenerate: false` alone changes nothing of a document that is there. */
  #made(old: Known | undefined, t: string, given: Given | undefined): Has | null {
    const brought = kept(undefined, given);
    if (brought) return brought;
    const regenerate = given && "regenerate" in given ? given.regenerate : null;
    if (!old) return regenerate === false ? { embeddings: [], regenerate: false } : embedded(t);
    if (regenerate === false) return null;
    if (old.made.regenerate) return old.t === t ? old.made : embedded(t);
    return regenerate === true ? embedded(t) : old.made;
  }
}

const embedded = (t: string): Has => ({ embeddings: [madeVector(t)], regenerate: true });

/** What is brought, else what there was. */
function kept(old: Has | undefined, given: Given | undefined): Has | undefined {
  if (given === undefined) return old;
  if (given === null) return { embeddings: [], regenerate: false };
  if (Array.isArray(given)) return { embeddings: rounded(given), regenerate: false };
  if (!given.embeddings) return old;
  return { embeddings: rounded(given.embeddings), regenerate: given.regenerate };
}

const rounded = (list: number[] | number[][]): number[][] => {
  const lists = Array.isArray(list[0]) ? (list as number[][]) : [list as number[]];
  return lists.map((one) => one.map(Math.fround));
};

/** Scores by id, for documents that have vectors. */
function naiveScores(model: Model, embedder: "user" | "made", query: readonly number[]): Map<number, number> {
  const length = (vector: readonly number[]) => Math.hypot(...vector);
  const score = (vector: readonly number[]) =>
    (1 + vector.reduce((sum, x, i) => sum + x * query[i], 0) / (length(vector) * length(query))) / 2;
  const all = [...model.documents].filter(([, has]) => has[embedder].embeddings.length > 0);
  return new Map(all.map(([id, has]) => [id, Math.max(...has[embedder].embeddings.map(score))]));
}

function compareSearch(index: VectorIndex, model: Model, embedder: "user" | "made", vector: number[]): void {
  const scores = naiveScores(model, embedder, vector);
  const hybrid = { embedder, semanticRatio: 1 };
  const all = index.search({ vector, hybrid, limit: 100, showRankingScore: true });
  assert.equal(all.estimatedTotalHits, model.documents.size);
  assert.equal(all.semanticHitCount, model.documents.size);
  let before = Number.POSITIVE_INFINITY;
  all.hits.forEach(({ id, _rankingScore }: { id: number; _rankingScore: number }, place: number) => {
    assert.ok(_rankingScore <= before, `hit ${place} is better than the one before`);
    before = _rankingScore;
    const expected = scores.get(id) ?? 0;
    assert.ok(
      Math.abs(_rankingScore - expected) < SCORE_TOLERANCE,
      `${id}: ${_rankingScore}, not ${expected}`,
    );
    assert.equal(scores.has(id), place < scores.size);
  });
  const page = index.search({ vector, hybrid, offset: 2, limit: 3, showRankingScore: true });
  assert.deepEqual(page.hits, all.hits.slice(2, 5));
}

async function add(
  index: VectorIndex,
  model: Model,
  { documents, method }: Extract<Step, { kind: "add" }>,
): Promise<void> {
  if (model.add(documents)) await index.add(documents, method);
  else await assert.rejects(index.add(documents, method), { code: "vector_embedding_error" });
}

async function run(steps: readonly Step[], queries: readonly number[][]): Promise<void> {
  const index = new VectorIndex();
  const model = new Model();
  await index.settings({ embedders: EMBEDDERS });
  for (const step of steps) {
    if (step.kind === "merge") index.mergeAll();
    else if (step.kind === "reopen") index.reopen();
    else if (step.kind === "delete") {
      await index.delete(step.ids.map(String));
      for (const id of step.ids) model.documents.delete(id);
    } else if (step.kind === "add") await add(index, model, step);
    const expected = [...model.documents].map(([id, { user, made }]) => [id, { made, user }] as const);
    assert.deepEqual(new Map([...index.vectors()].sort(byId)), new Map(expected.sort(byId)));
    const counts = { vectors: 0, documents: 0 };
    for (const { user, made } of model.documents.values()) {
      const count = user.embeddings.length + made.embeddings.length;
      counts.vectors += count;
      if (count > 0) counts.documents++;
    }
    assert.deepEqual(index.state.embeddings, counts);
    for (const query of queries) {
      compareSearch(index, model, "user", query.slice(0, USER_DIMENSIONS));
      compareSearch(index, model, "made", query.slice(0, MADE_DIMENSIONS));
    }
  }
  index.assertSound();
  index.reopen();
}

const byId = ([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number => a - b;

/** Never the zero vector: its direction is nothing to compare. */
const component = fc.integer({ min: -4, max: 4 }).map((value) => value + 0.25);
const vectorOf = (dimensions: number) =>
  fc.array(component, { minLength: dimensions, maxLength: dimensions });
const given = (dimensions: number): fc.Arbitrary<Given | undefined> => {
  const one = vectorOf(dimensions);
  const several = fc.array(one, { minLength: 1, maxLength: 3 });
  return fc.oneof(one, several, fc.constantFrom(null, undefined), fc.constant(undefined));
};
const givenAnew = (dimensions: number) =>
  fc.record({ regenerate: fc.boolean(), embeddings: vectorOf(dimensions) });
const givenToMade = fc.oneof(
  given(MADE_DIMENSIONS),
  fc.boolean().map((regenerate) => ({ regenerate })),
  givenAnew(MADE_DIMENSIONS),
);
const document: fc.Arbitrary<Sent> = fc
  .record({
    id: fc.nat(12),
    t: fc.constantFrom("ant", "bee", "cat", "dog"),
    user: fc.oneof(given(USER_DIMENSIONS), givenAnew(USER_DIMENSIONS)),
    made: givenToMade,
  })
  .map(({ id, t, user, made }) => ({
    id,
    t,
    _vectors: { ...(user !== undefined && { user }), ...(made !== undefined && { made }) },
  }));
const batch = fc.uniqueArray(document, { selector: ({ id }) => id, minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: batch.map((documents) => ({ kind: "add" as const, method: "replace" as const, documents })),
  },
  {
    weight: 3,
    arbitrary: batch.map((documents) => ({ kind: "add" as const, method: "update" as const, documents })),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.nat(12), { maxLength: 4 }).map((ids) => ({ kind: "delete" as const, ids })),
  },
  { weight: 2, arbitrary: fc.constantFrom({ kind: "merge" as const }, { kind: "reopen" as const }) },
);

describe("vectors of documents", () => {
  it("are kept, replaced, embedded and found as the definitions say", async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    const queries = fc.array(vectorOf(USER_DIMENSIONS), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(steps, queries, (all, some) => run(all, some)),
      { numRuns: RUNS, interruptAfterTimeLimit: MILLISECONDS_MAX },
    );
  });
});
