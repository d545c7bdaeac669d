// The library in a browser, with and without isolation: the same store as elsewhere, in memory, in a folder
// of the browser, and over a bundle.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type * as door from "../../src/browser.ts";
import { open, type StoreIndex } from "../../src/index.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { packIndex } from "../../src/tasks/packing.ts";
import { NEEDS_CHROMIUM, openLibraryPage, temporaryFolder } from "./chromium.ts";

/** In the pages. */
declare const tarsier: typeof door;

interface Animal {
  id: number;
  name: string;
  group: string;
  legs: number;
}

const ANIMALS: Animal[] = [
  { id: 1, name: "Red tarsier from the island of Bohol", group: "primates", legs: 4 },
  { id: 2, name: "Green parrot", group: "birds", legs: 2 },
  { id: 3, name: "Night monkey", group: "primates", legs: 4 },
  { id: 4, name: "กบสีเขียว 東京のカエル", group: "frogs", legs: 4 },
];

for (const isolated of [false, true]) {
  const kind = isolated ? "an isolated page" : "a page without isolation";
  test(`in ${kind} a store in memory does all that it does elsewhere`, NEEDS_CHROMIUM, async (context) => {
    const { page, errors } = await openLibraryPage(context, {}, isolated);
    equal(await page.evaluate(() => crossOriginIsolated), isolated);
    const found = await page.evaluate(async (animals) => {
      const store = await tarsier.open();
      const index = store.index<Animal>("animals");
      await index.updateSettings({ filterableAttributes: ["group", "legs"], sortableAttributes: ["id"] });
      const { status } = await index.add(animals);
      await index.update([{ id: 2, legs: 3 }]);
      await index.delete(3);
      const search = await index.search("tarseir", {
        facets: ["group"],
        filter: "legs > 2",
        attributesToHighlight: ["name"],
      });
      const refusal = await index
        .search("x", { filter: "name = 1" })
        .catch((error: door.TarsierError) => [error instanceof tarsier.TarsierError, error.code]);
      const failed = await index.add([{ name: "nobody" } as Animal]).catch((error) => error.code);
      const words = await Promise.all(
        ["東京", "เขียว"].map(async (q) => (await index.search(q)).hits.map(({ id }) => id)),
      );
      const sorted = (await index.search({ sort: ["id:desc"] })).hits.map(({ id }) => id);
      const observed = new Proxy({ filter: new Proxy([["legs > 2"]], {}), limit: 1 }, {});
      const { estimatedTotalHits } = await index.search(observed);
      const stats = await store.stats();
      await store.close();
      const closed = await index.search("x").catch((error) => error.code);
      return { status, search, refusal, failed, words, sorted, estimatedTotalHits, stats, closed };
    }, ANIMALS);
    equal(found.status, "succeeded");
    deepEqual(
      found.search.hits.map(({ id }) => id),
      [1],
    );
    equal(found.search.hits[0]._formatted?.name, "Red <em>tarsier</em> from the island of Bohol");
    deepEqual(found.search.facetDistribution, { group: { primates: 1 } });
    deepEqual(found.refusal, [true, "invalid_search_filter"]);
    equal(found.failed, "missing_document_id");
    deepEqual(found.words, [[4], [4]]);
    deepEqual(found.sorted, [4, 2, 1]);
    equal(found.estimatedTotalHits, 3);
    equal(found.stats.indexes.animals.numberOfDocuments, 3);
    equal(found.closed, "aborted");
    deepEqual(errors, []);
  });
}

test("whoever waits until all is done waits for the first write, too", NEEDS_CHROMIUM, async (context) => {
  const { page } = await openLibraryPage(context);
  const found = await page.evaluate(async () => {
    const store = await tarsier.open();
    // The worker loads the code for writes with it.
    void store.index("lines").add([{ id: 1 }, { id: 2 }]);
    await store.tasks.idle();
    return (await store.index("lines").fetch()).total;
  });
  equal(found, 2);
});

test("documents come as streams, as large as they may be", NEEDS_CHROMIUM, async (context) => {
  const { page } = await openLibraryPage(context);
  const found = await page.evaluate(async () => {
    const store = await tarsier.open({ maxIndexingMemory: "64 MiB" });
    const index = store.index("lines");
    const line = (id: number) => `${JSON.stringify({ id, text: `word${id % 50} text of document ${id}` })}\n`;
    const source = async function* () {
      for (let from = 0; from < 30_000; from += 1000)
        yield new TextEncoder().encode(Array.from({ length: 1000 }, (_, i) => line(from + i)).join(""));
    };
    await index.addFrom(source(), { format: "ndjson" });
    const broken = await index
      .addFrom('{"id": 1}\n{"id": ', { format: "ndjson" })
      .catch((error) => error.code);
    const gone = new ReadableStream({ pull: () => Promise.reject(new Error("the line is dead")) });
    const lost = await index
      .addFrom(gone as unknown as AsyncIterable<Uint8Array>, { format: "ndjson" })
      .catch((error) => error.message);
    const { numberOfDocuments } = await index.stats();
    const { estimatedTotalHits } = await index.search('"word7"', { limit: 1 });
    await store.close();
    return { broken, lost, numberOfDocuments, estimatedTotalHits };
  });
  equal(found.broken, "malformed_payload");
  ok(found.lost.includes("the line is dead"), found.lost);
  equal(found.numberOfDocuments, 30_000);
  equal(found.estimatedTotalHits, 600);
});

test(
  "bytes stay with the caller, and their source is left when the worker fails",
  NEEDS_CHROMIUM,
  async (t) => {
    const { page } = await openLibraryPage(t);
    const found = await page.evaluate(async () => {
      /** As a Buffer does it. */
      class Shared extends Uint8Array {
        override slice() {
          return this.subarray() as never;
        }
      }
      const workers: Worker[] = [];
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (this: Worker, ...given: unknown[]) {
        workers[0] ??= this;
        return postMessage.apply(this, given as never);
      };
      const store = await tarsier.open();
      const bytes = new Shared(new TextEncoder().encode('{"id": 1}'));
      await store.index("a").addFrom(bytes, { format: "ndjson" });
      const source = new Promise<string>((tell) => {
        const pieces = async function* () {
          try {
            yield bytes;
            workers[0].dispatchEvent(new ErrorEvent("error", { message: "gone" }));
            yield bytes;
          } finally {
            tell("left");
          }
        };
        store
          .index("a")
          .addFrom(pieces(), { format: "ndjson" })
          .catch(() => {});
        setTimeout(tell, 2000, "kept");
      });
      return [bytes.length, await source];
    });
    deepEqual(found, [9, "left"]);
  },
);

test("what was acknowledged survives a reload in the middle of writes", NEEDS_CHROMIUM, async (context) => {
  const { page } = await openLibraryPage(context);
  for (let round = 0; round < 3; round++) {
    await page.evaluate(async () => {
      const scope = globalThis as unknown as { acknowledged: number[] };
      scope.acknowledged = [];
      const store = await tarsier.open({ folder: "numbers" });
      const index = store.index<{ id: number; text: string }>("numbers");
      const start = (await store.tasks.list({ limit: 1 })).results[0]?.uid ?? -1;
      void (async () => {
        for (let id = start + 1; ; id++) {
          // Some of them are too large for the journal and get a file of their own.
          const text = "number ".repeat(id % 7 === 0 ? 20_000 : 3);
          const pending = index.add({ id, text });
          pending.catch(() => {});
          await pending.enqueued;
          scope.acknowledged.push(id);
        }
      })();
    });
    const enough = 15 + 10 * round;
    await page.waitForFunction(
      (count) => (globalThis as unknown as { acknowledged: number[] }).acknowledged.length > count,
      enough,
    );
    const acknowledged = await page.evaluate(
      () => (globalThis as unknown as { acknowledged: number[] }).acknowledged,
    );
    await page.reload();
    const there = await page.evaluate(async () => {
      const store = await tarsier.open({ folder: "numbers" });
      await store.tasks.idle();
      const { results } = await store.index("numbers").fetch({ limit: 100_000, fields: ["id"] });
      const failed = (await store.tasks.list({ statuses: ["failed"] })).total;
      await store.close();
      return { ids: results.map(({ id }) => id as number), failed };
    });
    const missing = acknowledged.filter((id) => !there.ids.includes(id));
    deepEqual([missing, there.failed], [[], 0]);
  }
});

test("one tab at a time has a folder open", NEEDS_CHROMIUM, async (context) => {
  const { page } = await openLibraryPage(context);
  const codes = await page.evaluate(async () => {
    const first = await tarsier.open({ folder: "taken" });
    const second = await tarsier.open({ folder: "taken" }).catch((error) => error.code);
    void first.close();
    await first.close();
    const third = await tarsier.open({ folder: "taken" });
    await third.close();
    return second;
  });
  equal(codes, "folder_in_use");
});

test(
  "as long as a folder is open, a lock keeps browsers from freezing the page",
  NEEDS_CHROMIUM,
  async (t) => {
    const { page } = await openLibraryPage(t);
    const held = await page.evaluate(async () => {
      // The browser hears of a lock that is let go a moment later than the page of the closed store.
      const countLocks = async (expected: number) => {
        const count = async () => (await navigator.locks.query()).held?.length;
        for (let i = 0; i < 500 && (await count()) !== expected; i++)
          await new Promise((resolve) => setTimeout(resolve, 10));
        return count();
      };
      const stores = [await tarsier.open({ folder: "a" }), await tarsier.open({ folder: "b" })];
      const refused = await tarsier.open({ folder: "a" }).catch(({ code }) => code);
      const counts = [await countLocks(2)];
      for (const [i, store] of stores.entries()) {
        await store.close();
        counts.push(await countLocks(1 - i));
      }
      return [refused, ...counts];
    });
    deepEqual(held, ["folder_in_use", 2, 1, 0]);
  },
);

test(
  "a bundle answers as its index does, unchanged by what is written over it",
  NEEDS_CHROMIUM,
  async (context) => {
    const parameters = { facets: ["group" as const], showRankingScore: true };
    const { output, made: expected } = await packed(context, async (index) => {
      await index.updateSettings({ filterableAttributes: ["group"] });
      await index.add(ANIMALS.slice(0, 2));
      await index.add(ANIMALS.slice(1));
      return index.search("r", parameters);
    });
    const { page, server } = await openLibraryPage(context, { "/animals/": output });
    const found = await page.evaluate(async (asked) => {
      const store = await tarsier.open({ bundle: "/animals" });
      const index = store.index<Animal>("animals");
      const before = await index.search("r", asked);
      await index.delete([1]);
      const after = await index.search("tarsier");
      await store.close();
      const again = await (await tarsier.open({ bundle: "/animals/" })).index("animals").search("tarsier");
      return { before, after: after.hits.length, again: again.hits.length };
    }, parameters);
    const comparable = ({ hits, facetDistribution }: typeof expected) => ({ hits, facetDistribution });
    deepEqual(comparable(found.before), comparable(expected));
    deepEqual([found.after, found.again], [0, 1]);

    const copied = await page.evaluate(async () => {
      const progress: number[] = [];
      const store = await tarsier.open({
        folder: "kept",
        bundle: "/animals",
        onProgress: (bytes, total) => progress.push(bytes / total),
      });
      await store.index<Animal>("animals").add({ id: 9, name: "Blue tarsier", group: "primates", legs: 4 });
      await store.close();
      return progress.at(-1);
    });
    equal(copied, 1);
    const asked = server.requests.length;
    const kept = await page.evaluate(async () => {
      const store = await tarsier.open({ folder: "kept", bundle: "/animals" });
      return (await store.index("animals").search("tarsier")).hits.length;
    });
    equal(kept, 2);
    const later = server.requests.slice(asked).filter((request) => request.includes("/animals/"));
    deepEqual(later, []);
  },
);

test(
  "a bundle is opened without its first parts, and refused with a broken description",
  NEEDS_CHROMIUM,
  async (context) => {
    const { output } = await packed(context, (index) => index.add(ANIMALS));
    // What a server answers that has a page for everything.
    writeFileSync(join(output, "first.bin"), "<!doctype html>".repeat(10_000));
    const { page } = await openLibraryPage(context, { "/animals/": output });
    const openAndSearch = (file: string) =>
      page.evaluate(async (bundle) => {
        try {
          const { hits } = await (await tarsier.open({ bundle })).index("animals").search("tarsier");
          return hits.length;
        } catch (error) {
          return (error as door.TarsierError).code;
        }
      }, file);
    equal(await openAndSearch("/animals"), 1);
    const file = join(output, "bundle.json");
    const description = JSON.parse(readFileSync(file, "utf8"));
    const broken = [{ files: null }, { files: { "../x": 5 } }, { files: { x: "5" } }, { first: null }];
    for (const part of broken) {
      writeFileSync(file, JSON.stringify({ ...description, ...part }));
      equal(await openAndSearch("/animals"), "database_refused", JSON.stringify(part));
    }
  },
);

test("a bundle that is none is refused with its address", NEEDS_CHROMIUM, async (context) => {
  const { page, server } = await openLibraryPage(context);
  const errors = await page.evaluate(async () => {
    const told = ({ code, message }: door.TarsierError) => `${code}: ${message}`;
    return [
      await tarsier.open({ bundle: "/nowhere" }).then(() => "opened", told),
      await tarsier.open({ bundle: "/", folder: "x" }).then(() => "opened", told),
      await tarsier.open({ maxSearchMemory: "much" }).then(() => "opened", told),
    ];
  });
  ok(errors[0].startsWith("io_error:") && errors[0].includes(`${server.url}/nowhere/bundle.json`), errors[0]);
  for (const error of errors.slice(0, 2)) match(error, /^io_error: The server of the bundle failed: .*404$/);
  ok(errors[2].startsWith("bad_request: Option `maxSearchMemory`"), errors[2]);
});

test("options that cannot be are refused by their names", NEEDS_CHROMIUM, async (context) => {
  const { page } = await openLibraryPage(context);
  const told = await page.evaluate(async () => {
    const options = [
      { folder: "a/b" },
      { folder: "" },
      { folder: () => 1 },
      { workers: 2 },
      { threads: "two" },
      { bundle: 5 },
      { bundle: null },
    ];
    const refusals: string[] = [];
    for (const each of options) {
      const refused = tarsier.open(each as never).then(
        () => "opened",
        ({ code, message }: door.TarsierError) => `${code}: ${message.split(":")[0]}`,
      );
      refusals.push(await refused);
    }
    return refusals;
  });
  const refusal = (name: string) => `bad_request: Option \`${name}\``;
  deepEqual(told, ["folder", "folder", "folder", "workers", "threads", "bundle", "bundle"].map(refusal));
});

/** Packs the index `animals` as a bundle into the folder `output`; `made`: what `fill` came to. */
async function packed<T>(context: TestContext, fill: (index: StoreIndex<Animal>) => PromiseLike<T>) {
  const folder = temporaryFolder(context);
  const [data, output] = [join(folder, "data"), join(folder, "bundle")];
  const store = await open({ folder: data, threads: 0 });
  const made = await fill(store.index<Animal>("animals"));
  await store.close();
  await packIndex(new FileStorage(data), new FileStorage(output), "animals", "0.1.0");
  return { output, made };
}
