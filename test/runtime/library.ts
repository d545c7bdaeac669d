// Features of the library in the running runtime, over the bundle.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { OpenOptions, open as openType } from "../../src/index.ts";
import type { Store } from "../../src/library/store.ts";
import { BUILD, Program, withFolder } from "./process.ts";

const { open } = (await import(new URL("bundle/index.js", BUILD).href)) as { open: typeof openType };

interface Animal {
  id: number;
  name: string;
  legs: number;
}

const ANIMALS: Animal[] = [
  { id: 1, name: "Red tarsier", legs: 4 },
  { id: 2, name: "Green parrot", legs: 2 },
  { id: 3, name: "Night monkey", legs: 4 },
];

export const libraryFeatures = {
  "library in memory": async () => {
    await withStore({}, useStore);
  },

  "library in a folder, one thread": () =>
    withFolder(async (folder) => {
      await withStore({ folder, threads: 0 }, useStore);
      await findAgain(folder, 0);
    }),

  "library in a folder, threads": () =>
    withFolder(async (folder) => {
      await withStore({ folder, threads: 2 }, async (store) => {
        await useStore(store);
        const animals = store.index<Animal>("animals");
        const answers = await Promise.all(Array.from({ length: 50 }, () => animals.search("tarsier")));
        for (const { hits } of answers) equal(hits[0].id, 1);
      });
      await findAgain(folder, 2);
    }),

  "library survives kill -9": () =>
    withFolder(async (folder) => {
      const writer = new Program(new URL("./writer.js", import.meta.url), [folder]);
      await writer.says("acknowledged 20\n");
      await writer.kill();
      const acknowledged = writer.output.match(/acknowledged \d+\n/g)!.length;
      await withStore({ folder, threads: 0 }, async (store) => {
        await store.tasks.idle();
        const { total } = await store.index("numbers").fetch({ limit: 0 });
        equal(total >= acknowledged, true, `${total} of ${acknowledged} documents are there`);
      });
    }),

  "words of scripts without spaces": async () => {
    await withStore({}, async (store) => {
      const texts = store.index("texts");
      await texts.add([
        { id: 1, text: "東京は日本の首都です" },
        { id: 2, text: "ฉันรักภาษาไทยมาก" },
      ]);
      equal((await texts.search("首都")).hits[0].id, 1);
      equal((await texts.search("ภาษา")).hits[0].id, 2);
    });
  },
};

async function withStore(options: OpenOptions, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await open(options);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

async function useStore(store: Store): Promise<void> {
  const animals = store.index<Animal>("animals");
  await animals.updateSettings({ filterableAttributes: ["legs"], sortableAttributes: ["name"] });
  const task = await animals.add(ANIMALS);
  deepEqual([task.status, task.details?.indexedDocuments], ["succeeded", 3]);
  const { hits } = await animals.search("tarsier", { attributesToHighlight: ["name"] });
  equal(hits[0]._formatted?.name, "Red <em>tarsier</em>");
  const four = await animals.search({ filter: "legs = 4", sort: ["name:asc"], facets: ["legs"] });
  deepEqual(
    four.hits.map(({ id }) => id),
    [3, 1],
  );
  deepEqual(four.facetDistribution, { legs: { 4: 2 } });
  await animals.update({ id: 2, name: "Blue parrot" });
  deepEqual(await animals.get(2), { id: 2, name: "Blue parrot", legs: 2 });
  const { results } = await store.multiSearch<Animal>({ queries: [{ indexUid: "animals", q: "blue" }] });
  equal(results[0].hits[0].legs, 2);
  await animals.delete(3);
  equal((await animals.stats()).numberOfDocuments, 2);
  await rejects(animals.search({ filter: "name = x" }), { code: "invalid_search_filter" });
  await rejects(
    animals.get(99).catch((error: Error) => {
      match(error.message, /99/);
      throw error;
    }),
    { code: "document_not_found", status: 404 },
  );
}

async function findAgain(folder: string, threads: number): Promise<void> {
  await withStore({ folder, threads }, async (store) => {
    const animals = store.index<Animal>("animals");
    equal((await animals.search("parrot")).hits[0].name, "Blue parrot");
  });
}
