// Replaces src/version.ts in browsers: the version is part of the bundle (tools/bundle.mjs).

declare const TARSIER_VERSION: string;

export function packageVersion(): string {
  return TARSIER_VERSION;
}
