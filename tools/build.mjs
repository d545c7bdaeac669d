// Builds everything into build/: the two cores (asc), then src/, test/ and bench/ (tsc), then the bundles
// that are shipped (bundle.mjs) and the page of the server (page.mjs).
//   node tools/build.mjs [--if-stale]
// --if-stale  does nothing when build/.stamp equals the hash of the sources
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const sources = [
  "assembly",
  "src",
  "test",
  "bench",
  "tools",
  "words",
  "page",
  "asconfig.json",
  "tsconfig.json",
  "package.json",
  "package-lock.json",
];
const out = join(root, "build");
const stamp = join(out, ".stamp");
const hash = hashOf(sources.map((name) => join(root, name)));
const coreStamp = join(out, ".core-stamp");
const coreHash = hashOf(["assembly", "asconfig.json", "package-lock.json"].map((name) => join(root, name)));
const compilers = ["assemblyscript/bin/asc.js", "typescript/bin/tsc", "esbuild/lib/main.js"].map((path) =>
  join(root, "node_modules", path),
);

const CORE_ENTRY = "assembly/index.ts";
/** A remark of the optimizer of the cores that further passes would find more; not printed. */
const OPTIMIZER_REMARK = "Last converge was suboptimal.\n";

if (process.argv.includes("--if-stale") && existsSync(stamp)) {
  // An installation without the compilers runs the build that came with it.
  if (readFileSync(stamp, "utf8") === hash || !compilers.every(existsSync)) process.exit(0);
}
rmSync(stamp, { force: true });
for (const folder of ["src", "test", "bench"]) rmSync(join(out, folder), { recursive: true, force: true });
mkdirSync(out, { recursive: true });
// The cores take most of the time of a build, and seldom change.
if (!existsSync(coreStamp) || readFileSync(coreStamp, "utf8") !== coreHash) {
  rmSync(coreStamp, { force: true });
  run(compilers[0], [CORE_ENTRY, "--target", "threads", "-o", join(out, "core.wasm")]);
  run(compilers[0], [CORE_ENTRY, "--target", "single", "-o", join(out, "core.single.wasm")]);
  writeFileSync(coreStamp, coreHash);
}
for (const folder of ["src", "test", "bench"]) markType(folder, "module");
run(compilers[1], ["-p", root, "--outDir", out]);
for (const name of ["chinese.words", "thai.words"]) copyFileSync(join(root, "words", name), join(out, name));
// Imported only here: an installation without the compilers lacks what they import.
const { BUNDLE_FOLDER, bundle } = await import("./bundle.mjs");
const { makePage } = await import("./page.mjs");
await bundle(root, out);
await makePage(root, out);
// Other versions of V8 keep their flags (launcher.cjs), so they need no second set of caches.
for (const when of process.versions.v8.startsWith("11.") ? [[], ["--later"]] : [[]])
  run(join(root, "tools", "codecache.mjs"), [join(out, BUNDLE_FOLDER), ...when]);
markType(BUNDLE_FOLDER, "module");
// A start is faster without the module loader.
markType(".", "commonjs");
writeFileSync(join(out, "cli.js"), `#!/usr/bin/env node\nrequire("./${BUNDLE_FOLDER}/cli.start.cjs");\n`);
chmodSync(join(out, "cli.js"), 0o755);
writeFileSync(stamp, hash);

/** Declares whether the `.js` files of a folder are modules or CommonJS. */
function markType(folder, type) {
  mkdirSync(join(out, folder), { recursive: true });
  writeFileSync(join(out, folder, "package.json"), `${JSON.stringify({ type })}\n`);
}

function run(script, args) {
  const stdio = ["inherit", "inherit", "pipe"];
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    stdio,
    maxBuffer: Infinity,
  });
  process.stderr.write(String(stderr ?? "").replaceAll(OPTIMIZER_REMARK, ""));
  if (status !== 0) process.exit(status ?? 1);
}

function hashOf(paths) {
  const sum = createHash("sha256");
  const visit = (path) => {
    // The runtimes in tools/ are not sources.
    if (!existsSync(path) || basename(path) === "node_modules") return;
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
    else sum.update(path).update(readFileSync(path));
  };
  for (const path of paths) visit(path);
  return sum.digest("hex");
}
