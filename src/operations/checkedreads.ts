// The checked operations (checked.ts) that a page needs to show something: every argument is checked by the
// schema that the routes check bodies with.
import { TarsierError } from "../errors.ts";
import type { DocumentPartsAsked, Operations, TaskQuery, WRITES } from "../library/operations.ts";
import { DocumentPartsBody, FetchBody } from "../schemas/documents.ts";
import { FacetSearchBody } from "../schemas/facetsearch.ts";
import { PageBody } from "../schemas/indexes.ts";
import { MultiSearchBody } from "../schemas/multisearch.ts";
import { SearchBody } from "../schemas/search.ts";
import { SimilarBody } from "../schemas/similar.ts";
import { checker } from "../schemas/validator.ts";
import { LocalReads } from "./localreads.ts";
import { FULL_ACCESS, type OperationServices, type Requester } from "./services.ts";
import { Sources } from "./sources.ts";
import { TaskEnds } from "./taskends.ts";

/** Whoever holds the store may do everything. */
export const OWNER: Requester = {
  access: FULL_ACCESS,
  wantsMetadata: false,
  isForRemote: false,
  wantsHitBytes: false,
  writeOrigin: null,
  place: null,
};

const check = {
  parts: checker(DocumentPartsBody),
  fetch: checker(FetchBody),
  search: checker(SearchBody),
  facetSearch: checker(FacetSearchBody),
  similar: checker(SimilarBody),
  multiSearch: checker(MultiSearchBody),
  page: checker(PageBody),
};

export type Writes = Pick<Operations, (typeof WRITES)[number]>;

/** All operations, from these reads and the given writes. `close`: closes the services. */
export function closable(
  services: OperationServices,
  writes: Writes,
  close: () => Promise<void>,
): Operations {
  const ends = new TaskEnds(services.instance);
  const sources = new Sources(storeClosed);
  const addDocuments: Operations["addDocuments"] = (indexUid, pieces, addition) =>
    writes.addDocuments(indexUid, sources.read(pieces), addition);
  let closed: Promise<void> | null = null;
  const begin = () => {
    if (closed !== null) throw storeClosed();
  };
  const errorOf = (error: unknown) =>
    closed !== null && !(error instanceof TarsierError) ? storeClosed() : error;
  return {
    ...mapped({ ...checkedReads(services, ends), ...writes, addDocuments }, begin, errorOf),
    // A second call waits for the same end.
    close: () => {
      ends.close();
      closed ??= close();
      sources.stop();
      return closed;
    },
  };
}

function checkedReads(services: OperationServices, ends: TaskEnds) {
  const local = new LocalReads(services, OWNER);
  return {
    document: async (indexUid: string, id: string, parts: DocumentPartsAsked) =>
      local.document(indexUid, id, check.parts(parts)),
    documents: async (indexUid: string, body: unknown) => local.documents(indexUid, check.fetch(body)),
    search: async (indexUid: string, body: unknown) => local.search(indexUid, check.search(body)),
    facetSearch: async (indexUid: string, body: unknown) =>
      local.facetSearch(indexUid, check.facetSearch(body)),
    similar: async (indexUid: string, body: unknown) => local.similar(indexUid, check.similar(body)),
    multiSearch: async (body: unknown) => local.multiSearch(check.multiSearch(body)),
    indexes: async (page: unknown) => local.indexes(check.page(page)),
    index: (uid: string) => local.index(uid),
    stats: () => local.stats(),
    indexStats: (indexUid: string) => local.indexStats(indexUid),
    tasks: (query: TaskQuery) => local.tasks(query),
    task: (uid: number) => local.task(uid),
    ended: (uid: number) => ends.of(uid),
    idle: () => services.instance.idle(),
    features: () => local.features(),
  };
}

/** The same operations: `begin` runs first, and errors are passed through `errorOf`. */
function mapped<O extends Omit<Operations, "close">>(
  operations: O,
  begin: () => void,
  errorOf: (error: unknown) => unknown,
): O {
  type Operation = (...given: unknown[]) => Promise<unknown>;
  const telling = (operation: Operation): Operation => {
    return async (...given) => {
      begin();
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

/** In place of what journal, engine or files say when they are interrupted by the close. */
const storeClosed = (): TarsierError => new TarsierError("aborted", { message: "The store is closed" });
