// The program that tries features in a browser (features.ts), with browsers that fail: it tells why, and
// leaves neither processes nor files.
import { deepEqual, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { BUILD, temporaryFolder } from "./chromium.ts";

test("a browser that ends too early is shown with its words, and its processes end", async (t) => {
  const folder = temporaryFolder(t);
  const browser = join(folder, "firefox");
  const helper = '(sleep 1; touch "$TMPDIR/late") &';
  writeFileSync(browser, `#!/bin/sh\n${helper}\necho "my home is $HOME" >&2\nexit 3\n`, { mode: 0o755 });
  const { stdout, stderr, status, left } = run(folder, browser);
  deepEqual([stdout, status, left()], ["", 1, []]);
  match(stderr, /Firefox ended.* before all features had been tried: my home is .*tarsier-page-/);
  await setTimeout(2_000);
  deepEqual(left(), []);
});

test("a browser that cannot be started is shown, and nothing is left", (t) => {
  const folder = temporaryFolder(t);
  const { stderr, status, left } = run(folder, folder);
  deepEqual([status, left()], [1, []]);
  match(stderr, /spawn .* EACCES/);
});

/** `left`: the temporary files that it has not taken away. */
function run(folder: string, browser: string) {
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  const program = join(BUILD, "test", "browser", "features.js");
  const env = { ...process.env, FIREFOX: browser, TMPDIR: scratch };
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, "Firefox"], {
    env,
    encoding: "utf8",
  });
  return { stdout, stderr, status, left: () => readdirSync(scratch) };
}
