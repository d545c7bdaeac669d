// Finds the files that come with the code. The code runs from build/src, file by file, or from build/bundle,
// where one file holds many; so no file can be named by its place relative to the asking one. Called by
// src/core/corefile.ts, src/core/wordfile.ts, src/version.ts and src/http/front.ts.
import { existsSync, readFileSync } from "node:fs";

/** Where `name` would be in the folder of the running code and in each folder above it, nearest first. */
export function* upwards(name: string): Generator<URL> {
  for (let folder = new URL(".", import.meta.url); ; ) {
    yield new URL(name, folder);
    const parent = new URL("..", folder);
    if (parent.href === folder.href) return;
    folder = parent;
  }
}

/** The nearest file that has one of these names. */
export function readPackaged(...names: readonly string[]): Buffer<ArrayBuffer> {
  for (const folder of upwards("./")) {
    const place = names.map((name) => new URL(name, folder)).find(existsSync);
    if (place) return readFileSync(place);
  }
  throw new Error(`${names[0]} is missing: the package is not complete, or not built`);
}

/**
 * A file that the build makes for servers and browsers alike. The package has it once, among the files for
 * browsers.
 */
export const readBuilt = (name: string): Buffer<ArrayBuffer> => readPackaged(name, `browser/${name}`);
