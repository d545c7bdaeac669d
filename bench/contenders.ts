// The engines that are compared: Tarsier as a server, asked over HTTP, and libraries in this process. Each
// gets the same documents and queries, prefix and typo search turned on where there is any.
import { create, insertMultiple, search } from "@orama/orama";
import FlexSearch from "flexsearch";
import MiniSearch from "minisearch";
import type { BenchDocument, Dataset } from "./datasets.ts";
import { type BenchServer, startServer } from "./server.ts";

export interface Contender {
  name: string;
  /**
   * Indexes documents until all are in or `deadline` (of performance.now) has passed. Returns how many are
   * in.
   */
  index(deadline: number): Promise<number>;
  /** How many documents the first page of the answer has. */
  search(query: string): Promise<number>;
  /** The same with the texts of the last searched field cropped and highlighted. */
  searchFormatted?(query: string): Promise<number>;
  /** Memory that the index takes, in bytes. */
  memory(): number;
  close(): Promise<void>;
}

/** Documents between two looks at the clock. */
const BATCH_LEN = 500;
const PAGE_LEN = 20;

export const contenders: Record<string, (dataset: Dataset) => Promise<Contender>> = {
  tarsier: makeTarsier,
  minisearch: makeMiniSearch,
  flexsearch: makeFlexSearch,
  orama: makeOrama,
};

async function makeTarsier({ name, fields, documents }: Dataset): Promise<Contender> {
  const server: BenchServer = await startServer();
  await server.wait(await server.ask("PATCH", `/indexes/${name}/settings`, { searchableAttributes: fields }));
  const search = async (q: string, more: object = {}) => {
    const answer = await server.ask("POST", `/indexes/${name}/search`, { q, limit: PAGE_LEN, ...more });
    return Array.isArray(answer.hits) ? answer.hits.length : 0;
  };
  const formatted = fields.slice(-1);
  return {
    name: "tarsier",
    index: async () => {
      await server.addDocuments(name, documents);
      return documents.length;
    },
    search,
    searchFormatted: (q) => search(q, { attributesToCrop: formatted, attributesToHighlight: formatted }),
    memory: () => server.memory(),
    close: () => server.stop(),
  };
}

async function makeMiniSearch({ fields, documents }: Dataset): Promise<Contender> {
  const index = new MiniSearch<BenchDocument>({ fields, storeFields: ["id"] });
  return inProcess("minisearch", documents, {
    add: async (batch) => index.addAll(batch),
    search: async (query) => index.search(query, { prefix: true, fuzzy: 0.2 }).slice(0, PAGE_LEN).length,
  });
}

async function makeFlexSearch({ fields, documents }: Dataset): Promise<Contender> {
  const index = new FlexSearch.Document({ document: { id: "id", index: fields }, tokenize: "forward" });
  return inProcess("flexsearch", documents, {
    add: async (batch) => {
      for (const document of batch) index.add(document as Parameters<typeof index.add>[0]);
    },
    search: async (query) => {
      const answers = await index.search(query, { limit: PAGE_LEN });
      return Math.max(0, ...answers.map(({ result }) => result.length));
    },
  });
}

async function makeOrama({ fields, documents }: Dataset): Promise<Contender> {
  const schema = Object.fromEntries(fields.map((field) => [field, "string" as const]));
  const index = create({ schema });
  return inProcess("orama", documents, {
    add: async (batch) => {
      const texts = batch.map((document) =>
        Object.fromEntries(fields.map((field) => [field, String(document[field] ?? "")])),
      );
      await insertMultiple(index, texts, BATCH_LEN);
    },
    search: async (term) => (await search(index, { term, limit: PAGE_LEN, tolerance: 1 })).hits.length,
  });
}

interface Library {
  add(batch: BenchDocument[]): Promise<void>;
  search(query: string): Promise<number>;
}

function inProcess(name: string, documents: BenchDocument[], library: Library): Contender {
  const before = heapBytes();
  return {
    name,
    index: async (deadline) => {
      let done = 0;
      while (done < documents.length && performance.now() < deadline) {
        await library.add(documents.slice(done, done + BATCH_LEN));
        done = Math.min(done + BATCH_LEN, documents.length);
      }
      return done;
    },
    search: library.search,
    memory: () => Math.max(0, heapBytes() - before),
    close: async () => undefined,
  };
}

/** The heap after a collection, where the process allows one (`node --expose-gc`). */
function heapBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
