// The names of the functions of the core, of which a profile tells only the numbers: imports first, then the
// functions in the order of the text form beside the core. Called by cpuprofile.ts.
import { readFileSync } from "node:fs";
import { Core } from "../src/core/core.ts";

const IMPORT = /^ \(import "[^"]*" "[^"]*" \(func \$(\S+)/gm;
const FUNCTION = /^ \(func \$(\S+)/gm;
const EXPORT = /^ \(export "([^"]*)" \(func \$([^)]*)\)/gm;
const TEXT_FILE = new URL("../core.wat", import.meta.url);

/** @throws Error when the text form belongs to another core */
export function wasmNames(): string[] {
  const text = readFileSync(TEXT_FILE, "utf8");
  const names = [...text.matchAll(IMPORT), ...text.matchAll(FUNCTION)].map(([, name]) => name);
  // The `name` of an exported function is its number.
  const exports = new Core().exports as unknown as Record<string, { name?: string }>;
  for (const [, exported, name] of text.matchAll(EXPORT)) {
    if (names[Number(exports[exported]?.name)] === name) continue;
    throw new Error(`build/core.wat does not belong to build/core.wasm: ${exported} is another function`);
  }
  return names.map((name) => name.split("/").slice(-2).join("/"));
}
