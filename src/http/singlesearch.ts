// A query of a multi-search as the search it is: checked against the key of the request. Called by
// multisearch.ts and federation.ts.
import type { FastifyRequest } from "fastify";
import { TarsierError } from "../errors.ts";
import type { MultiSearchQuery } from "../schemas/multisearch.ts";
import { searchQueryOf } from "../schemas/search.ts";
import { accessOf } from "./access.ts";
import type { SingleSearch } from "./networksearch.ts";
import { newRequestUid } from "./requestuid.ts";
import { wantsMetadata } from "./search.ts";

/** The query of a multi-search with what the key of the request demands of its index. */
export function singleSearch(
  request: FastifyRequest,
  { indexUid, federationOptions: _, ...body }: MultiSearchQuery,
  requestUid: string,
): SingleSearch {
  const access = accessOf(request);
  access.checkUse(indexUid);
  const query = searchQueryOf(body, requestUid, wantsMetadata(request) ? newRequestUid() : null);
  query.filter = access.searchFilter(indexUid, query.filter);
  return { indexUid, query, body };
}

/** A refusal as the query it is about has it: there an unknown index is a bad request. */
export function insideQuery(error: unknown, position: number): unknown {
  if (!(error instanceof TarsierError)) return error;
  const status = error.code === "index_not_found" ? 400 : error.status;
  return error.inside(`Inside \`.queries[${position}]\``, status);
}
