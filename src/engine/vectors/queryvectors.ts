// Queries become vectors: in the thread that takes requests, so that no search waits for the embedder of
// another, and an embedder has one cache. Called by pool.ts.
import type { EmbedderProvider } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { SEARCH_CUTOFF_MS } from "../search/limits.ts";
import type { EmbeddingRequest } from "../search/semantic.ts";

/** A search, answered or not before its query is embedded. */
type Search<T> = (query: SearchQuery) => Promise<T | EmbeddingRequest>;

/**
 * Runs a search, and once more when it asks for its query to be embedded.
 * @throws TarsierError `vector_embedding_error` when that fails and there is nothing to search for without it
 */
export async function searchEmbedded<T extends object>(
  embedders: EmbedderProvider,
  query: SearchQuery,
  search: Search<T>,
): Promise<T> {
  const began = performance.now();
  const first = await search(query);
  if (!isRequest(first)) return first;
  const embedding = await embed(embedders, first, began);
  const second = await search({ ...query, embedding });
  if (!isRequest(second)) return second;
  // The settings have changed in between, and there is no vector for the new ones.
  throw new TarsierError("vector_embedding_error", { embedder: second.embed.name, reason: "it has just changed" });
}

const isRequest = (answer: object): answer is EmbeddingRequest => "embed" in answer;

async function embed(
  embedders: EmbedderProvider,
  { embed: { name, settings, dimensions, q, media }, isNeeded, cutoffMs }: EmbeddingRequest,
  began: number,
): Promise<number[] | "failed"> {
  const timeoutMs = Math.max(1, (cutoffMs ?? SEARCH_CUTOFF_MS) - (performance.now() - began));
  try {
    const query = { q, ...(media !== null && { media }) };
    const embedder = await embedders.open(name, settings, dimensions);
    return Array.from(await embedder.embedQuery(query, { timeoutMs }));
  } catch (error) {
    if (isNeeded || !(error instanceof TarsierError)) throw error;
    return "failed";
  }
}
