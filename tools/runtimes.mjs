// Runs the features of test/runtime in every runtime, and prints a table of what works where.
//   node tools/runtimes.mjs [--only NAME] [--write]
// --only   one runtime, such as bun; --write puts the table into README.md, else README.md must contain it
// The runtimes are packages of tools/runtimes; this script installs those that are missing. A runtime that is
// not available, or a feature that does not work, makes the exit code 1: nothing is skipped.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "tools", "runtimes");
const program = join(root, "build", "test", "runtime", "run.js");
const readme = join(root, "README.md");
const RUN_MS_MAX = 600_000;
const [BEGIN, END] = ["<!-- runtimes: made by npm run runtimes -->", "<!-- end of runtimes -->"];

const installed = (path) => join(folder, "node_modules", path);
/** Browsers are opened by a program of their own, and run no server. */
const inBrowser = (name) => [process.execPath, join(root, "build", "test", "browser", "features.js"), name];
const runtimes = {
  // The oldest version that package.json allows, and the one that runs this script.
  "Node 20.15": [installed("node20.15/bin/node"), program],
  "Node 20": [process.execPath, program],
  "Node 24": [installed("node24/bin/node"), program],
  "Node 26": [installed("node26/bin/node"), program],
  Bun: [installed("@oven/bun-linux-x64/bin/bun"), program],
  Deno: [installed("@deno/linux-x64-glibc/deno"), "run", "-A", program],
  Chromium: inBrowser("Chromium"),
  Firefox: inBrowser("Firefox"),
};

const argument = (name) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const only = argument("--only")?.toLowerCase();
const names = Object.keys(runtimes).filter((name) => !only || name.toLowerCase() === only);
if (names.length === 0) fail(`no runtime is called ${only}`);

if (!names.every((name) => existsSync(runtimes[name][0]))) install();
const results = Object.fromEntries(names.map((name) => [name, featuresIn(name)]));
const isWhole = names.every((name) => [...results[name].values()].every((error) => error === null));
const table = tableOf(results);
console.log(`\n${table}`);
if (!only) compareReadme();
if (!isWhole) process.exitCode = 1;

/** Without install scripts: the programs are called by their paths. */
function install() {
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) fail("the runtimes could not be installed");
}

/** Feature -> its error, or null. */
function featuresIn(name) {
  const [command, ...args] = runtimes[name];
  const options = { cwd: root, encoding: "utf8", timeout: RUN_MS_MAX, stdio: ["ignore", "pipe", "inherit"] };
  const { stdout, status, error } = spawnSync(command, args, options);
  const lines = (stdout ?? "").split("\n").filter((line) => line.startsWith('{"feature"'));
  const features = new Map(lines.map((line) => JSON.parse(line)).map((line) => [line.feature, line.error]));
  for (const [feature, problem] of features)
    console.log(`${name}: ${problem === null ? "ok" : "FAILED"} ${feature}${problem ? `\n${problem}` : ""}`);
  if (features.size === 0 || (status !== 0 && [...features.values()].every((problem) => problem === null)))
    features.set("ends by itself", error?.message ?? `exit code ${status}`);
  return features;
}

function tableOf(all) {
  const features = [...new Set(Object.values(all).flatMap((found) => [...found.keys()]))];
  const mark = (found, feature) => {
    if (!found.has(feature)) return "–";
    return found.get(feature) === null ? "yes" : "**no**";
  };
  const row = (cells) => `| ${cells.join(" | ")} |`;
  return [
    row(["", ...Object.keys(all)]),
    row(["---", ...Object.keys(all).map(() => "---")]),
    ...features.map((feature) => row([feature, ...Object.values(all).map((found) => mark(found, feature))])),
  ].join("\n");
}

/** The table in the README is made by this script, so it shows what was really tried. */
function compareReadme() {
  const text = readFileSync(readme, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) fail(`README.md has no place for the table: ${BEGIN} ... ${END}`);
  const wanted = `${text.slice(0, begin)}${BEGIN}\n\n${table}\n\n${text.slice(end)}`;
  if (wanted === text) return;
  if (process.argv.includes("--write")) writeFileSync(readme, wanted);
  else fail("the table in README.md is another one: npm run runtimes -- --write renews it");
}

function fail(message) {
  console.error(`runtimes: ${message}`);
  process.exit(1);
}
