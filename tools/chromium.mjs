// Finds the system's Chromium, in which pages are tested, and installs it if it is missing.
//   node tools/chromium.mjs [--install]
// Prints the path. --install: uses apt, which needs root; ends with 1 if Chromium cannot be had.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
/** The browser, and fonts for the scripts that the tests show. */
const PACKAGES = ["chromium-headless-shell", "fonts-dejavu-core", "fonts-noto-cjk", "fonts-thai-tlwg"];

/** The variable CHROMIUM takes precedence. Null: there is none. */
export function findChromium() {
  const { CHROMIUM } = process.env;
  return [CHROMIUM, ...PLACES].find((place) => place && existsSync(place)) ?? null;
}

function install() {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...args) => spawnSync("apt-get", args, { env, stdio: "inherit" }).status === 0;
  return run("update") && run("install", "-y", "--no-install-recommends", ...PACKAGES);
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  if (findChromium() === null && process.argv.includes("--install")) install();
  const found = findChromium();
  console.log(found ?? "no Chromium was found: node tools/chromium.mjs --install gets it by apt");
  process.exitCode = found === null ? 1 : 0;
}
