// Finds the system's browsers, in which pages are tested, and installs those that are missing.
//   node tools/browsers.mjs [--install]
// Prints their paths. --install: uses apt, which needs root; ends with 1 if one of them cannot be had.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The first that is there is taken. */
const PLACES = {
  Chromium: [
    process.env.CHROMIUM,
    "/usr/bin/chromium-headless-shell",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ],
  Firefox: [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"],
};
/** The browsers, and fonts for the scripts that the tests show. */
const PACKAGES = [
  "chromium-headless-shell",
  "firefox-esr",
  "fonts-dejavu-core",
  "fonts-noto-cjk",
  "fonts-thai-tlwg",
];

/** `name`: Chromium or Firefox. Null: there is none. */
export function findBrowser(name) {
  return PLACES[name].find((place) => place && existsSync(place)) ?? null;
}

function install() {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...args) => spawnSync("apt-get", args, { env, stdio: "inherit" }).status === 0;
  return run("update") && run("install", "-y", "--no-install-recommends", ...PACKAGES);
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  const names = Object.keys(PLACES);
  const isWhole = () => names.every((name) => findBrowser(name) !== null);
  if (!isWhole() && process.argv.includes("--install")) install();
  for (const name of names) {
    const found = findBrowser(name);
    console.log(found ?? `no ${name} was found: node tools/browsers.mjs --install gets it by apt`);
  }
  process.exitCode = isWhole() ? 0 : 1;
}
