// Queries become vectors: in the thread that takes requests, so that no search waits for the embedder of
// another, and an embedder has one cache. Called by pool.ts.
import type { EmbedderProvider } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { EmbeddingFault, SearchQuery } from "../../schemas/search.ts";
import type { GroupAnswer } from "../federation/answerbytes.ts";
import type { FederatedRequest, IndexQuery } from "../federation/asked.ts";
import { SEARCH_CUTOFF_MS } from "../search/limits.ts";
import type { EmbeddingRequest } from "../search/semantic.ts";
import type { Turn } from "../turn.ts";

/** A search; `embedding`: what became of its query, and what that took. */
type Search<T> = (
  embedded: Partial<Pick<SearchQuery, "embedding" | "embeddingMs">>,
) => Promise<T | EmbeddingRequest>;

/** Settings may change while a query is embedded: it is embedded for the new ones, so often at most. */
const EMBEDDINGS_MAX = 3;

/** Runs a search, and once more when it asks for its query to be embedded: meanwhile it needs no turn. */
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

/** The same for several queries of one request: it asks for all embeddings at once. */
export async function searchFederatedEmbedded(
  embedders: EmbedderProvider,
  request: FederatedRequest,
  search: (request: FederatedRequest) => Promise<GroupAnswer>,
  turn: Turn,
): Promise<GroupAnswer> {
  const began = performance.now();
  /** Of each index, by position of the query. */
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
