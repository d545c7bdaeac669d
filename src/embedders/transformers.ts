// The package that computes vectors in this process, as far as it is used here. Users who want it install it
// beside Tarsier. Loaded by huggingface.ts with the first text.
export const PACKAGE = "@huggingface/transformers";

export interface Transformers {
  pipeline(
    task: "feature-extraction",
    model: string,
    options: { revision?: string; dtype: "fp32" },
  ): Promise<FeatureExtraction>;
}

export type FeatureExtraction = (
  texts: readonly string[],
  options: { pooling: "none" },
) => Promise<{ dims: readonly number[]; data: Float32Array | readonly number[] }>;

/** Not a literal, so that neither compiler nor bundler looks for the package. */
export function importPackage(): Promise<Transformers> {
  return import([PACKAGE].join());
}
