// Replays recorded conversations against the built server and compares the outcome with what is known: scenarios
// listed in later.json may fail, for the reason given there, all others must pass. Some of them wait for a server
// that is slow on purpose, and miss their moment on a busy machine: what fails is tried once more, alone.
//   node .ci/replay.mjs RECORDINGS [AREA...]   without areas: all of them
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [recordings, ...named] = process.argv.slice(2);
if (!recordings || !existsSync(join(recordings, "scenarios"))) {
  console.error(`no recordings: ${recordings ?? "a folder"} should hold scenarios`);
  process.exit(1);
}
const areas = named.length > 0 ? named : readdirSync(join(recordings, "scenarios")).sort();
const later = JSON.parse(readFileSync(new URL("later.json", import.meta.url), "utf8"));
const scratch = mkdtempSync(join(tmpdir(), "replay-"));
const unexpected = [];

for (const area of areas) {
  const began = Date.now();
  const folder = join(recordings, "scenarios", area);
  let { passed, failed, failures } = replay(folder, ["--jobs", "2"]);
  // A scenario that could not be run at all fails without a failure.
  if (failed > failures.length) ({ passed, failed, failures } = replay(folder, []));
  if (failed > failures.length) unexpected.push({ area, scenario: "?", step: "could not be run", failures: [] });
  const isKnown = ({ scenario }) => `${area}/${scenario}` in later;
  const suspects = new Set(failures.filter((failure) => !isKnown(failure)).map(({ scenario }) => scenario));
  const wrong = [...suspects].flatMap((scenario) => replay(folder, ["--only", scenario]).failures);
  unexpected.push(...wrong.map((failure) => ({ ...failure, area })));
  const tried = suspects.size > 0 ? `, ${suspects.size} scenarios tried again` : "";
  const seconds = Math.round((Date.now() - began) / 1000);
  const known = failures.filter(isKnown).length;
  const total = passed + failed;
  console.log(`${area}: ${passed} of ${total} steps in ${seconds} s; ${known} known${tried}, ${wrong.length} wrong`);
}
rmSync(scratch, { recursive: true });
for (const { area, scenario, step, failures } of unexpected) {
  console.log(`WRONG ${area}/${scenario}: ${step}\n      ${failures.slice(0, 3).join("\n      ")}`);
}
process.exitCode = unexpected.length > 0 ? 1 : 0;

/** The report on a folder of scenarios. */
function replay(scenarios, options) {
  const report = join(scratch, "report.json");
  const args = ["--server", "node build/cli.js", "--scenarios", scenarios, ...options];
  spawnSync(process.execPath, [join(recordings, "run.mjs"), ...args, "--report", report], { stdio: "ignore" });
  return JSON.parse(readFileSync(report, "utf8"));
}
