// Where vectors come from, as the embedders of this folder see it: texts in, vectors out, one call at a time.
// Implemented by rest.ts (openAi and ollama as well) and huggingface.ts.
import type { CallStatistics } from "./embedder.ts";

export interface VectorSource {
  /** Texts that one call takes. */
  readonly batchLength: number;
  /** Length of the vectors, where no call is needed to know it. */
  readonly knownDimensions: number | null;
  /**
   * One vector for each of at most `batchLength` texts; a fragment is passed as JSON text. Rejects with
   * vector_embedding_error (a CallFailure where the provider refused), or with the reason of the signal.
   */
  embed(texts: readonly string[], options: SourceOptions): Promise<Float32Array[]>;
}

export interface SourceOptions {
  signal?: AbortSignal;
  calls?: CallStatistics;
  /** What is wrong with the vectors of an answer, beside what the source sees itself; null: nothing. */
  complaint?: (vectors: readonly Float32Array[]) => string | null;
  /** Length of the vectors, as far as it is known. */
  dimensions?: number | null;
  /** Of a search: when its answer must be there, in the time of performance.now(). Null while indexing. */
  deadline: number | null;
}
