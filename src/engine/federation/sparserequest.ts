// A federated search on its way to a search thread, which gets it as JSON: queries leave out everything that
// has its default value. Written by ../pool.ts, read by ../roles.ts.
import { type SparseQuery, sparseQuery, wholeQuery } from "../../schemas/search.ts";
import type { FederatedRequest, IndexQuery, IndexRequest, RequestFrame } from "./asked.ts";

/** A request with its queries in another form. */
interface RequestOf<Query> extends RequestFrame {
  indexes: readonly IndexRequestOf<Query>[];
}

interface IndexRequestOf<Query> extends Omit<IndexRequest, "queries"> {
  queries: readonly (Omit<IndexQuery, "query"> & { query: Query })[];
}

export type SparseRequest = RequestOf<SparseQuery>;

export const sparseRequest = (request: FederatedRequest): SparseRequest => withQueries(request, sparseQuery);

/** The request from which a sparse one was made. */
export const wholeRequest = (said: SparseRequest): FederatedRequest => withQueries(said, wholeQuery);

function withQueries<From, To>(request: RequestOf<From>, made: (query: From) => To): RequestOf<To> {
  const indexes = request.indexes.map((index) => ({
    ...index,
    queries: index.queries.map((one) => ({ ...one, query: made(one.query) })),
  }));
  return { ...request, indexes };
}
