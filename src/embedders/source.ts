// Where vectors come from, as the embedders of this folder see it: texts in, vectors out, one call at a time.
// Implemented by rest.ts (also for openAi and ollama) and huggingface.ts.
import type { CallStatistics } from "./embedder.ts";

export interface VectorSource {
  /** How many texts one call takes. */
  readonly batchLength: number;
  /** Length of the vectors, if no call is needed to know it. */
  readonly knownDimensions: number | null;
  /**
   * One vector for each of at most `batchLength` texts; fragments are passed as JSON texts. Rejects with
   * vector_embedding_error (a CallFailure if the provider refused), or with the reason of the signal.
   */
  embed(texts: readonly string[], options: SourceOptions): Promise<Float32Array[]>;
}

export interface SourceOptions {
  signal?: AbortSignal;
  calls?: CallStatistics;
  /** What is wrong with the vectors of an answer, beyond what the source itself notices; null: nothing. */
  complaint?: (vectors: readonly Float32Array[]) => string | null;
  /** Length of the vectors, if known. */
  dimensions?: number | null;
  /** For a search: when the answer must be there, by performance.now(). Null while indexing. */
  deadline: number | null;
}
