// The libraries that search in a process, on the same documents and queries, with prefix and typo search
// turned on if they have it. Called by library.worker.ts.
import { create, insertMultiple, search } from "@orama/orama";
import FlexSearch from "flexsearch";
import MiniSearch from "minisearch";
import type { BenchDocument, Dataset } from "../datasets.ts";

export interface Library {
  add(batch: BenchDocument[]): Promise<void>;
  /** Returns how many documents the first page of the answer has. */
  search(query: string): Promise<number>;
}

/** Documents between two looks at the clock. */
export const BATCH_LEN = 500;
const PAGE_LEN = 20;

export const libraries: Record<string, (dataset: Dataset) => Library> = {
  minisearch: makeMiniSearch,
  flexsearch: makeFlexSearch,
  orama: makeOrama,
};

function makeMiniSearch({ fields, primaryKey }: Dataset): Library {
  const index = new MiniSearch<BenchDocument>({ fields, idField: primaryKey, storeFields: [primaryKey] });
  return {
    add: async (batch) => index.addAll(batch),
    search: async (query) => index.search(query, { prefix: true, fuzzy: 0.2 }).slice(0, PAGE_LEN).length,
  };
}

function makeFlexSearch({ fields, primaryKey }: Dataset): Library {
  const index = new FlexSearch.Document({ document: { id: primaryKey, index: fields }, tokenize: "forward" });
  return {
    add: async (batch) => {
      for (const document of batch) index.add(document as Parameters<typeof index.add>[0]);
    },
    search: async (query) => {
      const answers = await index.search(query, { limit: PAGE_LEN });
      return Math.max(0, ...answers.map(({ result }) => result.length));
    },
  };
}

function makeOrama({ fields }: Dataset): Library {
  const schema = Object.fromEntries(fields.map((field) => [field, "string" as const]));
  const index = create({ schema });
  return {
    add: async (batch) => {
      const texts = batch.map((document) =>
        Object.fromEntries(fields.map((field) => [field, String(document[field] ?? "")])),
      );
      await insertMultiple(index, texts, BATCH_LEN);
    },
    search: async (term) => (await search(index, { term, limit: PAGE_LEN, tolerance: 1 })).hits.length,
  };
}
