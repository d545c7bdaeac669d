// The version of the package, from its package.json: for --version, --help and GET /version.
import { readFileSync } from "node:fs";
import { upwards } from "./package-files.ts";

/** In the bundles (tools/bundle.mjs), which may be copied out of the package. */
declare const TARSIER_VERSION: string | undefined;

const PACKAGE_NAME = "tarsier";

/** That of the package around the running file, or with none, that of which the bundle was made. */
export function packageVersion(): string {
  for (const place of upwards("package.json")) {
    const version = versionIn(place);
    if (version !== null) return version;
  }
  return typeof TARSIER_VERSION === "string" ? TARSIER_VERSION : "unknown";
}

function versionIn(manifest: URL): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
    return name === PACKAGE_NAME && typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}
