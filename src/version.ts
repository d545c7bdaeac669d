// The version of the package, from its package.json: for --version, --help and GET /version.
import { readFileSync } from "node:fs";
import { upwards } from "./package-files.ts";

const PACKAGE_NAME = "tarsier";

/** `unknown` when the package's own package.json is not around the running file. */
export function packageVersion(): string {
  for (const place of upwards("package.json")) {
    const version = versionIn(place);
    if (version !== null) return version;
  }
  return "unknown";
}

function versionIn(manifest: URL): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
    return name === PACKAGE_NAME && typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}
