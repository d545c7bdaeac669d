// Takes the place of src/version.ts in browsers: the version stands in the bundle (tools/bundle.mjs).

declare const TARSIER_VERSION: string;

export function packageVersion(): string {
  return TARSIER_VERSION;
}
