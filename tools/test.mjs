// Runs the test files of a build under node:test, from the root of the repository.
//   node tools/test.mjs [--build DIR] [--minutes N] [PART-OF-A-NAME ...]
// Without --build: the folder build/. Parts choose the files whose path below test/ contains one of them.
// --minutes: what hangs fails by its name after so long: on Node 20 a file with all its tests, on later
// versions one test. So tests that can only hang have a limit of their own.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const FILES_TOGETHER_MIN = 2;
/** Whole files take minutes on slow machines, and longer when the environment asks for many runs. */
const MINUTES_DEFAULT = 30;

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const parts = process.argv.slice(2);
const build = resolve(root, takeOption("--build") ?? "build");
const minutes = Number(takeOption("--minutes") ?? MINUTES_DEFAULT);
if (!(minutes > 0)) fail("--minutes must be a number above 0");
const folder = join(build, "test");
if (!existsSync(folder)) fail(`${folder} is missing: run "npm run build" first`);
const files = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith(".test.js") && (!parts.length || parts.some((part) => name.includes(part))))
  .sort()
  .map((name) => join(folder, name));
if (!files.length) fail(`no test file matches ${parts.join(" ")}`);
// Tests spend much of their time waiting: for disks, threads and other processes.
const together = `--test-concurrency=${Math.max(FILES_TOGETHER_MIN, availableParallelism() - 1)}`;
// The default reporters; but "tap" does not list failures at its end.
const reporters = process.stdout.isTTY ? ["spec"] : ["tap", join(root, "tools/failed-tests.mjs")];
const reports = reporters.flatMap((name) => [
  `--test-reporter=${name}`,
  "--test-reporter-destination=stdout",
]);
const limit = `--test-timeout=${Math.ceil(minutes * 60_000)}`;
const args = ["--test", together, limit, ...reports, ...files];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1);

/** Removes an option from the parts, and returns its value. */
function takeOption(name) {
  const at = parts.indexOf(name);
  return at < 0 ? undefined : parts.splice(at, 2)[1];
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
