// The failures of embedders: vector_embedding_error, with who has to act. Made by everything in this folder.
import { TarsierError } from "../errors.ts";

/** Who has to act: who wrote the settings or the query, who runs the provider, or nobody knows. */
export type Fault = "user" | "runtime" | "unknown";

export function embeddingError(embedder: string, fault: Fault, reason: string): TarsierError {
  return new TarsierError("vector_embedding_error", { embedder, reason: `${WORDS[fault]}: ${reason}` });
}

export function userFault(embedder: string, reason: string): TarsierError {
  return embeddingError(embedder, "user", reason);
}

const WORDS: Record<Fault, string> = {
  user: "user error",
  runtime: "runtime error",
  unknown: "error",
};
