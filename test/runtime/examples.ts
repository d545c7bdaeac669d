// The programs of examples/, as they are: they name the package as its users do. Node 20 takes no types, so
// there they are taken out first.
import { match } from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { BUILD, Program } from "./process.ts";

/** Generous: machines may be slow. */
const RUN_MS_MAX = 120_000;
const EXAMPLES = new URL("../examples/", BUILD);

export const exampleFeatures = {
  "examples/library.ts": async () => {
    const said = await output("library.ts");
    match(said, /3 movies, succeeded\n.*Bride.*\n.*Mononoke(.|\n)*invalid_search_filter 400\n$/);
  },
  "examples/server.ts": async () => match(await output("server.ts"), /Oolong\n$/),
};

/** What the program says. */
async function output(name: string): Promise<string> {
  const program = new Program(hasTypes() ? new URL(name, EXAMPLES) : await withoutTypes(name), []);
  const timer = setTimeout(() => void program.kill(), RUN_MS_MAX);
  const code = await program.ended;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${program.output}`);
  return program.output;
}

function hasTypes(): boolean {
  const { bun, deno } = process.versions;
  return Boolean(bun ?? deno ?? (process.features as { typescript?: unknown }).typescript);
}

/** The example as a file of the build, from which the name of the package leads to the same place. */
async function withoutTypes(name: string): Promise<URL> {
  const { transformSync } = await import("esbuild");
  const { code } = transformSync(readFileSync(new URL(name, EXAMPLES), "utf8"), { loader: "ts" });
  const folder = new URL("examples/", BUILD);
  mkdirSync(folder, { recursive: true });
  const file = new URL(name.replace(/\.ts$/, ".js"), folder);
  writeFileSync(file, code);
  return file;
}
