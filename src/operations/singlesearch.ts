// A query as the search it is: joined with what the key of the requester demands. Called by local.ts,
// multisearch.ts and federation.ts.
import { TarsierError } from "../errors.ts";
import type { MultiSearchQuery } from "../schemas/multisearch.ts";
import { type SearchFields, searchQueryOf } from "../schemas/search.ts";
import { Slices } from "../slices.ts";
import type { Instance } from "../tasks/instance.ts";
import type { SingleSearch } from "./networksearch.ts";
import { newRequestUid } from "./requestuid.ts";
import { checkSearchFilter } from "./search.ts";
import type { Requester } from "./services.ts";

/** A search of one index with what the key of the request demands of it. */
export function searchOf(
  { access, wantsMetadata }: Requester,
  indexUid: string,
  body: SearchFields,
  requestUid: string,
): SingleSearch {
  const query = searchQueryOf(body, requestUid, wantsMetadata ? newRequestUid() : null);
  query.filter = access.searchFilter(indexUid, query.filter);
  return { indexUid, query, body };
}

/**
 * The queries of a multi-search as searches, in their order. Whatever else is wrong with some of them, it is
 * said first which index the key does not open, then which filter is none.
 */
export async function searchesOf(
  instance: Instance,
  requester: Requester,
  { queries, requestUid }: { queries: readonly MultiSearchQuery[]; requestUid: string },
): Promise<SingleSearch[]> {
  await eachQuery(queries, ({ indexUid }) => requester.access.checkUse(indexUid));
  const searches: SingleSearch[] = [];
  await eachQuery(queries, ({ indexUid, federationOptions: _, ...body }) => {
    const search = searchOf(requester, indexUid, body, requestUid);
    checkSearchFilter(instance, search.query);
    searches.push(search);
  });
  return searches;
}

/** There may be many: others have their turns meanwhile. */
async function eachQuery(
  queries: readonly MultiSearchQuery[],
  visit: (query: MultiSearchQuery) => void,
): Promise<void> {
  const slices = new Slices();
  for (const [at, query] of queries.entries()) {
    if (slices.isOver()) await slices.pause();
    inside(at, () => visit(query));
  }
}

/** What is thrown is about the query at that place. */
export function inside<T>(position: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw insideQuery(error, position);
  }
}

/** A refusal as the query it is about has it: there an unknown index is a bad request. */
export function insideQuery(error: unknown, position: number): unknown {
  if (!(error instanceof TarsierError)) return error;
  const status = error.code === "index_not_found" ? 400 : error.status;
  return error.inside(`Inside \`.queries[${position}]\``, status);
}
