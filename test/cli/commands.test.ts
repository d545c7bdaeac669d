// The program as it is called: help, version, exit codes. Each test starts a process.
import { deepEqual, equal, match } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { kebabCase } from "../../src/kebabcase.ts";
import { optionNames } from "../../src/options.ts";

const program = fileURLToPath(new URL("../../src/cli.js", import.meta.url));

function call(...args: string[]): { status: number | null; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, output: stdout, errors: stderr };
}

test("--help names every option and fits a terminal", () => {
  const { status, output } = call("--help");
  equal(status, 0);
  for (const name of optionNames) match(output, new RegExp(`--${kebabCase(name)}\\b`));
  equal(Math.max(...output.split("\n").map((line) => line.length)) <= 100, true);
  equal(call("help").output, output);
  equal(call("serve", "--help").output, output);
});

test("each command has a help of its own", () => {
  match(call("import", "--help").output, /Usage: tarsier import FILE --index NAME/);
  match(call("check", "-h").output, /Usage: tarsier check/);
  match(call("repair", "-h").output, /Usage: tarsier repair \[--dry-run\]/);
});

test("a shell completes commands, options and values", () => {
  const { output: script } = call("completion", "bash");
  const complete = (...words: string[]): string[] => {
    const typed = words.map((word) => `'${word}'`).join(" ");
    const line = `COMP_WORDS=(tarsier ${typed}); COMP_CWORD=${words.length}`;
    const print = 'printf "%s\\n" "${COMPREPLY[@]}"';
    const { stdout } = spawnSync("bash", ["-c", `${script}${line}; _tarsier; ${print}`], {
      encoding: "utf8",
    });
    return stdout.trim().split("\n");
  };
  deepEqual(complete("im"), ["import"]);
  deepEqual(complete("--http-a"), ["--http-addr"]);
  deepEqual(complete("--env", ""), ["development", "production"]);
  deepEqual(complete("import", "a.csv", "--primary"), ["--primary-key"]);
  deepEqual(complete("import", "--http-a"), [""]);
  deepEqual(complete("completion", "f"), ["fish"]);
  deepEqual(complete("--env", "="), ["development", "production"]);
  deepEqual(complete("--env", "=", "p"), ["production"]);
  const folder = mkdtempSync(join(tmpdir(), "tarsier-completion-"));
  writeFileSync(join(folder, "two words.csv"), "");
  deepEqual(complete("import", join(folder, "two")), [join(folder, "two words.csv")]);
  rmSync(folder, { recursive: true });
});

test("every shell is told every option", () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { status, output } = call("completion", shell);
    equal(status, 0);
    for (const name of [...optionNames, "csvDelimiter"])
      match(output, new RegExp(`\\b${kebabCase(name)}\\b`));
  }
});

test("--version shows the version alone", () => {
  match(call("--version").output, /^\d+\.\d+\.\d+\n$/);
});

test("mistakes end with code 2 and one line that says what to do", () => {
  const cases: [string[], RegExp][] = [
    [["--db-pth", "x"], /^tarsier: unknown option --db-pth: did you mean --db-path\?\n$/],
    [["serv"], /^tarsier: unknown command serv: /],
    [["import"], /^tarsier: one FILE is needed/],
    [["import", "a.ndjson"], /^tarsier: --index NAME is needed\n$/],
    [["import", program, "--index", "a"], /cli\.js: the format is unknown/],
    [["import", "missing.csv", "--index", "a"], /^tarsier: missing\.csv: there is no such file\n$/],
    [["completion", "tcsh"], /^tarsier: one shell is needed: bash, zsh, fish\n$/],
    [["check", "--db-path", "missing"], /^tarsier: there is no folder missing/],
    [["repair", "--db-path", "missing"], /^tarsier: there is no folder missing/],
  ];
  for (const [args, expected] of cases) {
    const { status, errors } = call(...args);
    equal(status, 2, errors);
    match(errors, expected);
  }
});

test("check tells of a version that cannot be read", () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-check-"));
  writeFileSync(join(folder, "VERSION"), "0.1");
  const { status, output } = call("check", "--db-path", folder);
  rmSync(folder, { recursive: true });
  equal(status, 1);
  match(output, /^VERSION: file at byte 0: expected a version/);
});

test("production without a master key ends with code 1", () => {
  const { status, errors } = call("--env", "production");
  equal(status, 1);
  match(errors, /master key of 16 bytes or more/);
});

test("who reads the output may leave before its end", async () => {
  for (const args of [["--help"], ["completion", "bash"]]) {
    const child = spawn(process.execPath, [program, ...args]);
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    deepEqual([...(await once(child, "close")), errors], [0, null, ""]);
  }
});

test("a variable with a mistyped name is told, also when the launch fails", () => {
  const env = { ...process.env, TARSIER_ENV: "production", TARSIER_MASTER_KYE: "0123456789abcdef" };
  const { status, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8", env });
  equal(status, 1);
  match(
    stderr,
    /^tarsier: TARSIER_MASTER_KYE is no option: did you mean TARSIER_MASTER_KEY\?\ntarsier: --env/,
  );
});

test("a port in use is told in one line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-port-"));
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { status, errors } = call("--http-addr", address, "--db-path", join(folder, "db"));
  other.close();
  rmSync(folder, { recursive: true });
  equal(status, 1);
  equal(errors, `tarsier: ${address} (--http-addr) is in use: another server listens there\n`);
});

test("where log lines are objects, all lines are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-lines-"));
  const args = [
    "--experimental-logs-mode",
    "json",
    "--http-addr",
    "127.0.0.1:0",
    "--db-path",
    join(folder, "db"),
  ];
  const child = spawn(process.execPath, [program, ...args]);
  let lines = "";
  for await (const chunk of child.stderr) {
    lines += chunk;
    if (lines.includes("listens")) child.kill();
  }
  rmSync(folder, { recursive: true });
  const records = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  deepEqual(
    records.slice(0, 2).map(({ level, msg }) => [level, msg.split(" ", 2).join(" ")]),
    [
      [40, "No master"],
      [30, "Tarsier listens"],
    ],
  );
});
