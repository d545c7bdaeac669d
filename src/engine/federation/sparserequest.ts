// A federated search on its way to a search thread, which gets it as JSON: its queries without what is as it
// is by default. Written by ../pool.ts, read by ../roles.ts.
import { type SparseQuery, sparseQuery, wholeQuery } from "../../schemas/search.ts";
import type { FederatedRequest, IndexQuery, IndexRequest, RequestFrame } from "./asked.ts";

/** A request whose queries are given in another form. */
interface RequestOf<Query> extends RequestFrame {
  indexes: readonly IndexRequestOf<Query>[];
}

interface IndexRequestOf<Query> extends Omit<IndexRequest, "queries"> {
  queries: readonly (Omit<IndexQuery, "query"> & { query: Query })[];
}

export type SparseRequest = RequestOf<SparseQuery>;

export const sparseRequest = (request: FederatedRequest): SparseRequest => withQueries(request, sparseQuery);

/** The request that a sparse one was made of. */
export const wholeRequest = (said: SparseRequest): FederatedRequest => withQueries(said, wholeQuery);

function withQueries<From, To>(request: RequestOf<From>, made: (query: From) => To): RequestOf<To> {
  const indexes = request.indexes.map((index) => ({
    ...index,
    queries: index.queries.map((one) => ({ ...one, query: made(one.query) })),
  }));
  return { ...request, indexes };
}
