// Filters over random documents against a plain evaluator: in one segment and in many, with documents
// replaced and deleted, and after merges.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Operation } from "../../src/engine/engine.ts";
import { MergeThread } from "../../src/engine/mergethread.ts";
import { SearchThread } from "../../src/engine/searchthread.ts";
import { WriteThread } from "../../src/engine/writethread.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";

type Document = { id: number; a?: unknown };
type Condition = { text: string; holds: (document: Document) => boolean };

const MEMORY_BYTES = 64 * 1024 * 1024;
const folder = "indexes/i";
const scalar = fc.constantFrom<unknown>(0, 1, 2, 10, -3, 1.5, "x", "X", "y é", "10", true, false, null, "");
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant({}));
const document = fc.record({ id: fc.nat(20), a: value }, { requiredKeys: ["id"] });

const leaves = ({ a }: Document): unknown[] => (Array.isArray(a) ? a : a === undefined ? [] : [a]);
const strings = (d: Document) =>
  leaves(d).flatMap((leaf) =>
    (typeof leaf === "string" && leaf) || typeof leaf === "boolean"
      ? [String(leaf).normalize("NFKD").toLowerCase()]
      : [],
  );
const numbers = (d: Document) => leaves(d).filter((leaf) => typeof leaf === "number");

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom("0", "1", "10", "1.5", "x", "y É", "true", "-3").chain((v) => {
    const text = v.normalize("NFKD").toLowerCase();
    const number = Number(v);
    const compare = (symbol: string, holds: (order: number) => boolean): Condition => ({
      text: `a ${symbol} "${v}"`,
      holds: (d) =>
        numbers(d).some((n) => !Number.isNaN(number) && holds(n - number)) ||
        strings(d).some((s) => holds(Buffer.compare(Buffer.from(s), Buffer.from(text)))),
    });
    const equal = compare("=", (order) => order === 0);
    return fc.constantFrom(
      equal,
      { text: `a NOT IN ["${v}"]`, holds: (d: Document) => !equal.holds(d) },
      compare(">", (order) => order > 0),
      compare(">=", (order) => order >= 0),
      compare("<", (order) => order < 0),
      compare("<=", (order) => order <= 0),
    );
  }),
  fc.constantFrom<Condition>(
    { text: "a EXISTS", holds: ({ a }) => a !== undefined },
    { text: "a IS NULL", holds: ({ a }) => a === null },
    { text: "a IS EMPTY", holds: ({ a }) => ["[]", "{}", '""'].includes(JSON.stringify(a) ?? "") },
    { text: "a STARTS WITH y", holds: (d) => strings(d).some((s) => s.startsWith("y")) },
  ),
);
const { filter } = fc.letrec<{ filter: Condition }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    condition,
    tie("filter").map((f) => ({ text: `NOT (${f.text})`, holds: (d: Document) => !f.holds(d) })),
    fc.tuple(tie("filter"), tie("filter")).map(([f, g]) => ({
      text: `(${f.text}) AND (${g.text})`,
      holds: (d: Document) => f.holds(d) && g.holds(d),
    })),
    fc.tuple(tie("filter"), tie("filter")).map(([f, g]) => ({
      text: `(${f.text}) OR (${g.text})`,
      holds: (d: Document) => f.holds(d) || g.holds(d),
    })),
  ),
}));
const step = fc.oneof(
  fc.array(document, { minLength: 1, maxLength: 8 }),
  fc.array(fc.nat(20), { maxLength: 4 }).map((ids) => ({ ids })),
);

it("filters let through what a plain evaluator does, over segments, deletions and merges", () => {
  const writer = { storage: new MemoryStorage() };
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.array(filter, { minLength: 1, maxLength: 6 }),
      (steps, filters) => {
        writer.storage = new MemoryStorage();
        const { storage } = writer;
        const thread = new WriteThread(storage, MEMORY_BYTES);
        let taskUid = 0;
        const run = (operation: Operation) =>
          thread.run({ folder, indexUid: "i", operations: [operation] }, null, () => {});
        run({ kind: "settings", taskUid: taskUid++, patch: { filterableAttributes: ["a"] } });
        const known = new Map<number, Document>();
        let version = 0;
        for (const now of steps) {
          if (Array.isArray(now)) {
            const payload = `payload-${taskUid}`;
            const file = storage.create(payload);
            file.append(Buffer.from(now.map((d) => JSON.stringify(d)).join("\n")));
            file.close();
            const rest = { method: "replace", primaryKey: "id", skipCreation: false } as const;
            version = run({ kind: "add", taskUid: taskUid++, payload, ...rest }).index.version;
            for (const d of now) known.set(d.id, d);
          } else {
            version = run({ kind: "deleteIds", taskUid: taskUid++, ids: now.ids.map(String) }).index.version;
            for (const id of now.ids) known.delete(id);
          }
        }
        const check = () => {
          const searcher = new SearchThread(storage, MEMORY_BYTES);
          for (const { text, holds } of filters) {
            const query = {
              offset: 0,
              limit: 100,
              fields: ["id"],
              retrieveVectors: false,
              ids: null,
              filter: text,
              sort: null,
            };
            const bytes = searcher.documents({ folder, indexUid: "i", version }, query);
            const { results } = JSON.parse(Buffer.from(bytes).toString()) as { results: Document[] };
            const expected = [...known.values()].filter(holds).map(({ id }) => id);
            assert.deepEqual(results.map(({ id }) => id).sort(), expected.sort(), text);
          }
          searcher.close();
        };
        check();
        const job = thread.beginMerge(folder);
        if (job) {
          version = thread.commitMerge(job, new MergeThread(storage).merge(job, null));
          check();
        }
        thread.close();
      },
    ),
    { numRuns: 30, interruptAfterTimeLimit: 20_000 },
  );
});
