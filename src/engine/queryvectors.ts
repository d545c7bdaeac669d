// Turns queries into vectors, in the thread that takes requests: so no search waits for the embedder of
// another, and each embedder has a single cache. Called by pool.ts.
import type { EmbedderProvider } from "../embedders/embedder.ts";
import { TarsierError } from "../errors.ts";
import type { EmbeddingFault, SearchQuery } from "../schemas/search.ts";
import type { GroupAnswer } from "./federation/answerbytes.ts";
import type { FederatedRequest, IndexQuery } from "./federation/asked.ts";
import { SEARCH_CUTOFF_MS } from "./search/limits.ts";
import type { EmbeddingRequest } from "./search/semantic.ts";
import type { Turn } from "./turn.ts";

/** A search; `embedding`: the outcome of embedding its query, and what it took. */
type Search<T> = (
  embedded: Partial<Pick<SearchQuery, "embedding" | "embeddingMs">>,
) => Promise<T | EmbeddingRequest>;

/**
 * Settings may change while a query is being embedded: then it is embedded again, at most this often in all.
 */
const EMBEDDINGS_MAX = 3;

/** Runs a search, and runs it again if it asks for its query to be embedded: it needs no turn in between. */
export async function searchEmbedded<T extends object>(
  embedders: EmbedderProvider,
  search: Search<T>,
  turn: Turn,
): Promise<T> {
  const began = performance.now();
  let embeddingMs = 0;
  let found = await search({});
  for (let times = 0; isRequest(found); times++) {
    if (times === EMBEDDINGS_MAX) throw changed(found);
    const request = found;
    const embedding = await turn.away(async () => {
      const asked = performance.now();
      const vector = await embed(embedders, request, began);
      embeddingMs += performance.now() - asked;
      return vector;
    });
    found = await search({ embedding, embeddingMs });
  }
  return found;
}

/** The same for the queries of a federated search, all of which are embedded at once. */
export async function searchFederatedEmbedded(
  embedders: EmbedderProvider,
  request: FederatedRequest,
  search: (request: FederatedRequest) => Promise<GroupAnswer>,
  turn: Turn,
): Promise<GroupAnswer> {
  const began = performance.now();
  /** For each index, by position of the query. */
  const embeddings = request.indexes.map(() => new Map<number, number[] | EmbeddingFault>());
  let found = await search(request);
  for (let times = 0; ; times++) {
    const asked = found.answers.flatMap((answer, order) =>
      answer.embeddings.map((one) => ({ order, ...one })),
    );
    if (asked.length === 0) return found;
    if (times === EMBEDDINGS_MAX) throw changed(asked[0]);
    await turn.away(() =>
      Promise.all(
        asked.map(async ({ order, position, ...one }) => {
          embeddings[order].set(position, await embed(embedders, one, began));
        }),
      ),
    );
    const indexes = request.indexes.map((index, order) => {
      const embedded = ({ query, ...one }: IndexQuery): IndexQuery => {
        const embedding = embeddings[order].get(one.position) ?? null;
        return { ...one, query: { ...query, embedding } };
      };
      return { ...index, queries: index.queries.map(embedded) };
    });
    found = await search({ ...request, indexes });
  }
}

/** The settings have changed in between, and there is no vector for the new ones. */
const changed = ({ embed: { name } }: EmbeddingRequest): TarsierError =>
  new TarsierError("vector_embedding_error", { embedder: name, reason: "its settings have just changed" });

const isRequest = (answer: object): answer is EmbeddingRequest => "embed" in answer;

async function embed(
  embedders: EmbedderProvider,
  { embed: { name, settings, dimensions, q, media }, cutoffMs }: EmbeddingRequest,
  began: number,
): Promise<number[] | EmbeddingFault> {
  const timeoutMs = Math.max(1, (cutoffMs ?? SEARCH_CUTOFF_MS) - (performance.now() - began));
  try {
    const query = { q, ...(media !== null && { media }) };
    const embedder = await embedders.open(name, settings, dimensions);
    return Array.from(await embedder.embedQuery(query, { timeoutMs }));
  } catch (error) {
    if (!(error instanceof TarsierError)) throw error;
    return { code: error.code, message: error.message };
  }
}
