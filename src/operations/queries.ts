// The queries of a multi-search: what is checked in all of them before the first one runs, and how a refusal
// names its query. Called by multisearch.ts and federation.ts.
import { TarsierError } from "../errors.ts";
import type { MultiSearchQuery } from "../schemas/multisearch.ts";
import { Slices } from "../slices.ts";
import type { Instance } from "../tasks/instance.ts";
import type { SingleSearch } from "./networksearch.ts";
import { checkSearchFilter } from "./search.ts";
import type { Requester } from "./services.ts";
import { searchOf } from "./singlesearch.ts";

/** A query of a multi-search with the search made from it. */
export interface AskedSearch extends SingleSearch {
  given: MultiSearchQuery;
}

/**
 * The searches that the queries ask for, in their order. Two faults are reported before all others: an index
 * that the key does not open, then a filter that does not parse.
 */
export async function searchesOf(
  instance: Instance,
  requester: Requester,
  { queries, requestUid }: { queries: readonly MultiSearchQuery[]; requestUid: string },
): Promise<AskedSearch[]> {
  await eachQuery(queries, ({ indexUid }) => requester.access.checkUse(indexUid));
  const searches: AskedSearch[] = [];
  await eachQuery(queries, (given) => {
    const { indexUid, federationOptions: _, ...body } = given;
    const search = searchOf(requester, indexUid, body, requestUid);
    checkSearchFilter(instance, search.query);
    searches.push({ ...search, given });
  });
  return searches;
}

/** Visits queries, or what was made of them, in order, with pauses for other work: there may be many. */
export async function eachQuery<T>(
  queries: readonly T[],
  visit: (query: T, position: number) => void,
): Promise<void> {
  const slices = new Slices();
  for (const [position, query] of queries.entries()) {
    if (slices.isOver()) await slices.pause();
    inside(position, () => visit(query, position));
  }
}

/** Adds the position of the query to what `run` throws. */
export function inside<T>(position: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw insideQuery(error, position);
  }
}

/** A refusal as part of a query, where an unknown index is a bad request instead of a 404. */
export function insideQuery(error: unknown, position: number): unknown {
  if (!(error instanceof TarsierError)) return error;
  const status = error.code === "index_not_found" ? 400 : error.status;
  return error.inside(`Inside \`.queries[${position}]\``, status);
}
