// The version of the package, from its package.json: for --version, --help and GET /version.
import { readFileSync } from "node:fs";

const PACKAGE_NAME = "tarsier";

/** `unknown` when the package's own package.json is not around the running file, as in a bundle. */
export function packageVersion(): string {
  for (let folder = new URL(".", import.meta.url); ; ) {
    const version = versionIn(new URL("package.json", folder));
    if (version !== null) return version;
    const parent = new URL("..", folder);
    if (parent.href === folder.href) return "unknown";
    folder = parent;
  }
}

function versionIn(manifest: URL): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
    return name === PACKAGE_NAME && typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}
