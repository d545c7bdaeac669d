// The failures of embedders: vector_embedding_error, with who has to act. Used by everything in this folder.
import { TarsierError } from "../errors.ts";

/** Who has to act: the author of the settings or query, the operator of the provider, or it is not known. */
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
