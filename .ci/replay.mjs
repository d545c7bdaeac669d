// Replays recorded conversations against the built server and compares the outcome with what is known: scenarios listed in
// later.json wait for features that are not built yet, all others must pass.
//   node .ci/replay.mjs RECORDINGS AREA...
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [recordings, ...areas] = process.argv.slice(2);
const later = JSON.parse(readFileSync(new URL("later.json", import.meta.url), "utf8"));
const scratch = mkdtempSync(join(tmpdir(), "replay-"));
const unexpected = [];

for (const area of areas) {
  const report = join(scratch, `${area}.json`);
  const args = ["--server", "node build/cli.js", "--scenarios", join(recordings, "scenarios", area)];
  spawnSync(process.execPath, [join(recordings, "run.mjs"), ...args, "--jobs", "2", "--report", report], {
    stdio: "ignore",
  });
  const { passed, failed, failures } = JSON.parse(readFileSync(report, "utf8"));
  const known = failures.filter(({ scenario }) => `${area}/${scenario}` in later);
  const wrong = failures.filter(({ scenario }) => !(`${area}/${scenario}` in later));
  unexpected.push(...wrong.map((failure) => ({ ...failure, area })));
  console.log(`${area}: ${passed} of ${passed + failed} steps; ${known.length} wait for later, ${wrong.length} wrong`);
}
rmSync(scratch, { recursive: true });
for (const { area, scenario, step, failures } of unexpected) {
  console.log(`WRONG ${area}/${scenario}: ${step}\n      ${failures.slice(0, 3).join("\n      ")}`);
}
process.exitCode = unexpected.length > 0 ? 1 : 0;
