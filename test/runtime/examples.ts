// The programs of examples/, as they are: they name the package as its users do. Node 20 takes no types, so
// there they are taken out first.
import { match } from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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

/** The example as a file of the build, in a folder of a user who has installed this package. */
async function withoutTypes(name: string): Promise<URL> {
  const { transformSync } = await import("esbuild");
  const { code } = transformSync(readFileSync(new URL(name, EXAMPLES), "utf8"), { loader: "ts" });
  const folder = new URL("examples/", BUILD);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(new URL("node_modules/", folder), { recursive: true });
  symlinkSync(fileURLToPath(new URL("..", BUILD)), new URL("node_modules/tarsier", folder), "dir");
  writeFileSync(new URL("package.json", folder), '{"type":"module"}');
  const file = new URL(name.replace(/\.ts$/, ".js"), folder);
  writeFileSync(file, code);
  return file;
}
