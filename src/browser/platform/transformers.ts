// Takes the place of src/embedders/transformers.ts in browsers, whose workers find no packages by their
// names; bundlers would warn of an import that they cannot follow.
export const PACKAGE = "@huggingface/transformers";

export function importPackage(): Promise<never> {
  return Promise.reject(new Error("a page has no packages"));
}
