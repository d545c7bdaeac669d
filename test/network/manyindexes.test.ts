// A federated search over more indexes than one call to a search thread takes: it shows what the searches of
// all indexes give when they are merged by hand.
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Fixture, openFixture } from "./fixture.ts";

const INDEXES = 40;
const DOCUMENTS = 12;
const WORDS = ["red lamp", "red wooden lamp", "lamp", "a red chair", "lamps and reds", "chair"];

interface Hit {
  id: string;
  _federation?: { indexUid: string; queriesPosition: number; weightedRankingScore: number };
  _rankingScore: number;
  _rankingScoreDetails?: unknown;
  _formatted?: unknown;
}

interface Answer {
  hits: Hit[];
  estimatedTotalHits: number;
  results: { hits: Hit[]; estimatedTotalHits: number }[];
}

const uids = Array.from({ length: INDEXES }, (_, i) => `i${String(i).padStart(2, "0")}`);

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
  for (const [at, uid] of uids.entries()) {
    const documents = Array.from({ length: DOCUMENTS }, (_, i) => {
      return { id: `${uid}-${i}`, name: WORDS[(at * 5 + i * 7) % WORDS.length], number: at * i };
    });
    await fixture.fill(uid, documents, { sortableAttributes: ["number"] });
  }
});
after(() => fixture.close());

/** The federated page, and the same made of an answer for each query. */
async function bothWays(
  limit: number,
  more: object,
): Promise<[federated: Answer, apart: Hit[], total: number]> {
  const queries = uids.map((indexUid) => ({ indexUid, q: "red lamp", showRankingScore: true, ...more }));
  const federated = await fixture.ask<Answer>("POST /multi-search", { federation: { limit }, queries });
  const each = queries.map((query) => ({ ...query, limit }));
  const { results } = await fixture.ask<Answer>("POST /multi-search", { queries: each });
  const apart = results.flatMap(({ hits }, position) => hits.map((hit) => ({ hit, position })));
  apart.sort((a, b) => b.hit._rankingScore - a.hit._rankingScore || a.position - b.position);
  const total = results.reduce((sum, { estimatedTotalHits }) => sum + estimatedTotalHits, 0);
  return [federated, apart.slice(0, limit).map(({ hit }) => hit), total];
}

const plain = ({ _federation: _, ...hit }: Hit) => hit;

const WAYS: Record<string, object> = {
  "as they are": {},
  "with highlights and positions": { attributesToHighlight: ["*"], showMatchesPosition: true },
  "with the details of their scores": { showRankingScoreDetails: true },
};

for (const [name, more] of Object.entries(WAYS)) {
  for (const limit of [1, 20, 150]) {
    test(`hits of many indexes, ${name}, page of ${limit}`, async () => {
      const [federated, apart, total] = await bothWays(limit, more);
      equal(federated.hits.length, limit);
      deepEqual(federated.hits.map(plain), apart);
      equal(federated.estimatedTotalHits, total);
      for (const { id, _federation } of federated.hits) ok(id.startsWith(_federation!.indexUid));
    });
  }
}

test("hits that a sort orders come from all indexes in its order", async () => {
  const queries = uids.map((indexUid) => ({ indexUid, sort: ["number:desc"] }));
  const { hits } = await fixture.ask<{ hits: { number: number }[] }>("POST /multi-search", {
    federation: { limit: 60 },
    queries,
  });
  const numbers = uids.flatMap((_, at) => Array.from({ length: DOCUMENTS }, (_, i) => at * i));
  deepEqual(
    hits.map(({ number }) => number),
    numbers.sort((a, b) => b - a).slice(0, 60),
  );
});

test("of several refusals that of the first index is told, in whatever call it was met", async () => {
  const wrong = (indexUid: string) => ({ indexUid, sort: ["name:asc"] });
  const queries = uids.map((indexUid, at) => (at === 30 || at === 3 ? wrong(indexUid) : { indexUid }));
  const refusal = await fixture.ask<{ message: string; code: string }>(
    "POST /multi-search",
    { federation: {}, queries: queries.reverse() },
    400,
  );
  equal(refusal.code, "invalid_search_sort");
  ok(refusal.message.includes(`.queries[${INDEXES - 1 - 3}]`), refusal.message);
});
