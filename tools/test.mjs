// Runs the test files of a build under node:test.
//   node tools/test.mjs [--build DIR] [PART-OF-A-NAME ...]
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const args = process.argv.slice(2);
const at = args.indexOf("--build");
const build = resolve(root, at < 0 ? "build" : args.splice(at, 2)[1]);
const files = readdirSync(join(build, "test"), { recursive: true })
  .filter((name) => name.endsWith(".test.js") && (!args.length || args.some((part) => name.includes(part))))
  .sort()
  .map((name) => join(build, "test", name));
if (!files.length) {
  console.error("no test file matches");
  process.exit(1);
}
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
