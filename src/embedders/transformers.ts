// The package that computes vectors in this process, as far as it is used. It is installed beside Tarsier by
// those who want it. Imported by huggingface.ts with the first text.
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

/** Not a literal: neither the compiler nor the bundler is to look for it. */
export function importPackage(): Promise<Transformers> {
  return import([PACKAGE].join());
}
