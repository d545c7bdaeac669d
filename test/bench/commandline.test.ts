// Every benchmark prints what it can be told, and refuses the rest in a line.
import { deepEqual, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "../../bench");
const names = readdirSync(folder).filter((name) => name.endsWith(".bench.js"));

function run(name: string, ...args: string[]): { status: number | null; out: string; error: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, name), ...args], {
    encoding: "utf8",
  });
  return { status, out: stdout, error: stderr };
}

test("each benchmark lists its options", () => {
  for (const name of names) {
    const { status, out, error } = run(name, "--help");
    deepEqual([status, error], [0, ""], name);
    match(
      out,
      /^Options of this benchmark:\n( {2}--[a-z-]+( VALUE)? +\S.*\n)+ {2}--help +this list\n$/,
      name,
    );
  }
});

test("each benchmark refuses an option that it does not have", () => {
  for (const name of names) {
    const { status, out, error } = run(name, "--fast");
    deepEqual([status, out], [1, ""], name);
    match(error, /^Unknown option '--fast'.*\n--help lists the options\n$/, name);
  }
});

test("a part that there is not is refused as well", () => {
  const { status, error } = run("table.bench.js", "--only", "speed");
  deepEqual([status, error.split(":")[0]], [1, "no part speed"]);
});
