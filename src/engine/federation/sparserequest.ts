// A federated search on its way to a search thread, which gets it as JSON: its queries without what is as it
// is by default. Written by ../pool.ts, read by ../roles.ts.
import { type SparseQuery, sparseQuery, wholeQuery } from "../../schemas/search.ts";
import type { FederatedRequest, IndexQuery, IndexRequest, RequestFrame } from "./asked.ts";

export interface SparseRequest extends RequestFrame {
  indexes: readonly SparseIndexRequest[];
}

interface SparseIndexRequest extends Omit<IndexRequest, "queries"> {
  queries: readonly SparseIndexQuery[];
}

interface SparseIndexQuery extends Omit<IndexQuery, "query"> {
  query: SparseQuery;
}

export function sparseRequest(request: FederatedRequest): SparseRequest {
  const indexes = request.indexes.map((index) => ({
    ...index,
    queries: index.queries.map((one) => ({ ...one, query: sparseQuery(one.query) })),
  }));
  return { ...request, indexes };
}

/** The request that a sparse one was made of. */
export function wholeRequest(said: SparseRequest): FederatedRequest {
  const indexes = said.indexes.map((index) => ({
    ...index,
    queries: index.queries.map((one) => ({ ...one, query: wholeQuery(one.query) })),
  }));
  return { ...said, indexes };
}
