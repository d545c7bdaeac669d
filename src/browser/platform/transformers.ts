// Replaces src/embedders/transformers.ts in browsers, whose workers cannot find packages by name; bundlers
// would warn of an import that they cannot follow.
export const PACKAGE = "@huggingface/transformers";

export function importPackage(): Promise<never> {
  return Promise.reject(new Error("a page has no packages"));
}
