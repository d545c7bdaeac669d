// Makes a search from its body and from what the key of the requester demands. Called by localreads.ts and
// queries.ts.
import { filterOf } from "../engine/filter/feature.ts";
import { type SearchFields, searchQueryOf } from "../schemas/search.ts";
import type { SingleSearch } from "./networksearch.ts";
import { newRequestUid } from "./requestuid.ts";
import type { Requester } from "./services.ts";

/** @throws TarsierError for a filter that is not of the right kind */
export function searchOf(
  { access, wantsMetadata }: Requester,
  indexUid: string,
  body: SearchFields,
  requestUid: string,
): SingleSearch {
  const query = searchQueryOf(body, requestUid, wantsMetadata ? newRequestUid() : null);
  query.filter = access.searchFilter(indexUid, filterOf(body.filter, "invalid_search_filter"));
  return { indexUid, query, body };
}
