// The operations as the library offers them: every argument is checked by the schema that the routes check
// bodies with, then the local operations do what is asked. Made by src/index.ts, and wherever a core runs
// behind messages.
import { TarsierError } from "../errors.ts";
import type { Addition, Deletion, DocumentPartsAsked, Operations, TaskQuery } from "../library/operations.ts";
import type { Edit, WriteOptions } from "../library/store.ts";
import {
  AdditionOptionsBody,
  DeleteByFilterBody,
  DocumentPartsBody,
  EditBody,
  FetchBody,
  IdsBody,
  WriteOptionsBody,
} from "../schemas/documents.ts";
import { FacetSearchBody } from "../schemas/facetsearch.ts";
import { FeaturesBody } from "../schemas/features.ts";
import { IndexBody, IndexPatch, PageBody, SwapBody } from "../schemas/indexes.ts";
import { MultiSearchBody } from "../schemas/multisearch.ts";
import { SearchBody } from "../schemas/search.ts";
import { SettingNames, SettingsPatch } from "../schemas/settings.ts";
import { SimilarBody } from "../schemas/similar.ts";
import { checker } from "../schemas/validator.ts";
import { LocalOperations } from "./local.ts";
import { FULL_ACCESS, type OperationServices, type Requester } from "./services.ts";
import { TaskEnds } from "./taskends.ts";

/** Whoever holds the store may do everything. */
const OWNER: Requester = {
  access: FULL_ACCESS,
  wantsMetadata: false,
  isForRemote: false,
  writeOrigin: null,
};

const check = {
  addition: checker(AdditionOptionsBody),
  write: checker(WriteOptionsBody),
  ids: checker(IdsBody),
  byFilter: checker(DeleteByFilterBody),
  edit: checker(EditBody),
  parts: checker(DocumentPartsBody),
  fetch: checker(FetchBody),
  search: checker(SearchBody),
  facetSearch: checker(FacetSearchBody),
  similar: checker(SimilarBody),
  multiSearch: checker(MultiSearchBody),
  settings: checker(SettingsPatch),
  settingNames: checker(SettingNames),
  page: checker(PageBody),
  index: checker(IndexBody),
  indexPatch: checker(IndexPatch),
  swaps: checker(SwapBody),
  features: checker(FeaturesBody),
};

/** `close`: closes what the services work with. */
export function checkedOperations(services: OperationServices, close: () => Promise<void>): Operations {
  const local = new LocalOperations(services, OWNER);
  const ends = new TaskEnds(services.instance);
  let isClosed = false;
  const operations = {
    ...documentOperations(local),
    ...searchOperations(local),
    ...settingsOperations(local),
    ...indexOperations(local),
    ...taskOperations(local, ends),
    idle: () => services.instance.idle(),
    features: () => local.features(),
    setFeatures: async (features: unknown) => local.setFeatures(check.features(features)),
  };
  return {
    ...mapped(operations, (error) => (isClosed && !(error instanceof TarsierError) ? storeClosed() : error)),
    close: async () => {
      isClosed = true;
      ends.close();
      await close();
    },
  };
}

/** The same operations, but what they throw is told as `errorOf` says. */
function mapped<O extends Omit<Operations, "close">>(operations: O, errorOf: (error: unknown) => unknown): O {
  type Operation = (...given: unknown[]) => Promise<unknown>;
  const telling = (operation: Operation): Operation => {
    return async (...given) => {
      try {
        return await operation(...given);
      } catch (error) {
        throw errorOf(error);
      }
    };
  };
  const entries = Object.entries(operations).map(([name, each]) => [name, telling(each as Operation)]);
  return Object.fromEntries(entries);
}

/** What is broken off below says so in words of its own: journal, engine, files. */
const storeClosed = (): TarsierError => new TarsierError("aborted", { message: "The store is closed" });

function documentOperations(local: LocalOperations) {
  return {
    addDocuments: async (indexUid: string, pieces: AsyncIterable<Uint8Array>, addition: Addition) => {
      const { method, ...options } = addition;
      check.addition(options);
      if (options.csvDelimiter !== undefined && options.format !== "csv") {
        const details = { expected: "none beside a format other than `csv`", found: "one" };
        throw new TarsierError("invalid_document_csv_delimiter", {
          place: "Field `.csvDelimiter`",
          ...details,
        });
      }
      return local.addDocuments(indexUid, pieces, addition);
    },
    deleteDocuments: async (indexUid: string, deletion: Deletion, options: WriteOptions) => {
      if (deletion.by === "ids") check.ids(deletion.ids);
      if (deletion.by === "filter") check.byFilter({ filter: deletion.filter });
      return local.deleteDocuments(indexUid, deletion, check.write(options));
    },
    editDocuments: async (indexUid: string, edit: Edit, options: WriteOptions) => {
      check.edit(edit);
      return local.editDocuments(indexUid, edit, check.write(options));
    },
    document: async (indexUid: string, id: string, parts: DocumentPartsAsked) => {
      return local.document(indexUid, id, check.parts(parts));
    },
    documents: async (indexUid: string, body: unknown) => local.documents(indexUid, check.fetch(body)),
  };
}

function searchOperations(local: LocalOperations) {
  return {
    search: async (indexUid: string, body: unknown) => local.search(indexUid, check.search(body)),
    facetSearch: async (indexUid: string, body: unknown) =>
      local.facetSearch(indexUid, check.facetSearch(body)),
    similar: async (indexUid: string, body: unknown) => local.similar(indexUid, check.similar(body)),
    multiSearch: async (body: unknown) => local.multiSearch(check.multiSearch(body)),
  };
}

function settingsOperations(local: LocalOperations) {
  return {
    settings: (indexUid: string) => local.settings(indexUid),
    updateSettings: async (indexUid: string, patch: unknown) =>
      local.updateSettings(indexUid, check.settings(patch)),
    resetSettings: async (indexUid: string, names: unknown) =>
      local.resetSettings(indexUid, names === null ? null : check.settingNames(names)),
  };
}

function indexOperations(local: LocalOperations) {
  return {
    indexes: async (page: unknown) => local.indexes(check.page(page)),
    index: (uid: string) => local.index(uid),
    createIndex: async (body: unknown) => local.createIndex(check.index(body)),
    updateIndex: async (indexUid: string, body: unknown) =>
      local.updateIndex(indexUid, check.indexPatch(body)),
    deleteIndex: (indexUid: string) => local.deleteIndex(indexUid),
    compactIndex: (indexUid: string) => local.compactIndex(indexUid),
    swapIndexes: async (swaps: unknown) => local.swapIndexes(check.swaps(swaps)),
    stats: () => local.stats(),
    indexStats: (indexUid: string) => local.indexStats(indexUid),
  };
}

function taskOperations(local: LocalOperations, ends: TaskEnds) {
  return {
    tasks: (query: TaskQuery) => local.tasks(query),
    task: (uid: number) => local.task(uid),
    ended: (uid: number) => ends.of(uid),
    cancelTasks: (query: TaskQuery, original: string) => local.cancelTasks(query, original),
    deleteTasks: (query: TaskQuery, original: string) => local.deleteTasks(query, original),
  };
}
