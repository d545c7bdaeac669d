// A query as the search it is: joined with what the key of the requester demands. Called by local.ts,
// multisearch.ts and federation.ts.
import { TarsierError } from "../errors.ts";
import type { MultiSearchQuery } from "../schemas/multisearch.ts";
import { type SearchFields, searchQueryOf } from "../schemas/search.ts";
import type { SingleSearch } from "./networksearch.ts";
import { newRequestUid } from "./requestuid.ts";
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

/** The same of a query of a multi-search, whose index the key has to open first. */
export function singleSearch(
  requester: Requester,
  { indexUid, federationOptions: _, ...body }: MultiSearchQuery,
  requestUid: string,
): SingleSearch {
  requester.access.checkUse(indexUid);
  return searchOf(requester, indexUid, body, requestUid);
}

/** A refusal as the query it is about has it: there an unknown index is a bad request. */
export function insideQuery(error: unknown, position: number): unknown {
  if (!(error instanceof TarsierError)) return error;
  const status = error.code === "index_not_found" ? 400 : error.status;
  return error.inside(`Inside \`.queries[${position}]\``, status);
}
