// Searches that wait for a provider of vectors: others are answered meanwhile, however many wait.
import { deepEqual, equal } from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { heldBack, setupOf, startProvider } from "../embedders/server.ts";
import { type Fixture, openFixture } from "../network/fixture.ts";

/** More than may be at work at once on any machine that runs this. */
const WAITING = 200;
const hybrid = { embedder: "e", semanticRatio: 1 };

/** A fixture whose embedder answers queries when it is told to; documents have vectors of their own. */
async function open(t: TestContext): Promise<{ fixture: Fixture; release: () => void; asked: () => number }> {
  const { late, release } = heldBack(() => ({ vector: [1, 0] }));
  const { url, options, received } = await startProvider(t, late);
  const fixture = await openFixture(
    { experimentalNbSearchesPerCore: 1, experimentalSearchQueueSize: 2 * WAITING },
    setupOf(options),
  );
  t.after(() => fixture.close());
  const e = {
    source: "rest",
    url,
    dimensions: 2,
    request: { input: "{{text}}" },
    response: { vector: "{{embedding}}" },
  };
  const document = { id: 1, name: "fern", _vectors: { e: { embeddings: [1, 0], regenerate: false } } };
  await fixture.fill("a", [document], { embedders: { e }, searchCutoffMs: 60_000 });
  return { fixture, release, asked: () => received.length };
}

const forms: [name: string, line: string, bodyOf: (q: string) => object][] = [
  ["searches", "POST /indexes/a/search", (q) => ({ q, hybrid })],
  [
    "multi-searches",
    "POST /multi-search",
    (q) => ({ queries: [1, 2].map((n) => ({ indexUid: "a", q: `${q} ${n}`, hybrid })) }),
  ],
  [
    "federated searches",
    "POST /multi-search",
    (q) => ({ federation: {}, queries: [{ indexUid: "a", q, hybrid }] }),
  ],
];

describe("while very many of them wait for their vectors", () => {
  for (const [name, line, bodyOf] of forms) {
    it(`${name} let one of words be answered, and are answered then`, { timeout: 60_000 }, async (t) => {
      const { fixture, release, asked } = await open(t);
      const waiting = Array.from({ length: WAITING }, (_, n) => fixture.ask(line, bodyOf(`word${n}`)));
      while (asked() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const { hits } = await fixture.ask<{ hits: unknown[] }>("POST /indexes/a/search", { q: "fern" });
      equal(hits.length, 1);
      release();
      const answers = await Promise.all(waiting);
      const results = answers.flatMap((answer) => answer.results ?? [answer]) as { hits: unknown[] }[];
      deepEqual(new Set(results.map((result) => result.hits.length)), new Set([1]));
    });
  }
});
