// Runs the features of the library in a browser, and prints a line of JSON for each, as test/runtime/run.ts
// does for the other runtimes. Nothing drives the browser: its page begins by itself, and tells its results.
//   node build/test/browser/features.js Chromium|Firefox
// Called by tools/runtimes.mjs.
import { ok } from "node:assert/strict";
import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type BrowserName, BUILD, bundlePage, findBrowser, serve, temporaryFolder } from "./chromium.ts";

const OPTIONS = {
  Chromium: (profile: string) => ["--headless", "--no-sandbox", `--user-data-dir=${profile}`],
  Firefox: (profile: string) => ["--headless", "--no-remote", "--profile", profile],
};
const MS_MAX = 300_000;
/** So much of what a browser said at last is shown when it failed. */
const SAID_LETTERS = 2_000;

const name = process.argv[2] as BrowserName;
const cleanups: (() => unknown)[] = [];
const context = { after: (cleanup: () => unknown) => cleanups.unshift(cleanup) };
try {
  const program = findBrowser(name);
  ok(program, `${name} is needed: node tools/browsers.mjs --install`);
  const site = await serve(context, { "/": await makePage(), "/lib/": join(BUILD, "bundle", "browser") });
  const results = await receiveResults();
  const profile = temporaryFolder(context);
  const said = join(profile, "said.txt");
  const args = [...OPTIONS[name](profile), `${site.url}/#${results.address}`];
  // In the place of a home of the user: root has no Firefox in another user's, and nothing is left in it.
  const env = { ...process.env, HOME: profile };
  const stdio: StdioOptions = ["ignore", "ignore", openSync(said, "w")];
  const browser = spawn(program, args, {
    stdio,
    env,
    detached: true,
    timeout: MS_MAX,
    killSignal: "SIGKILL",
  });
  const isOver = once(browser, "exit");
  if (browser.pid !== undefined) context.after(() => endAll(browser.pid!, isOver));
  const ended = isOver.then(() => {
    const what = `ended, or was ended after ${MS_MAX} ms, before all features had been tried`;
    throw new Error(`${name} ${what}: ${readFileSync(said, "utf8").slice(-SAID_LETTERS)}`);
  });
  await Promise.race([results.areWhole, ended]);
} finally {
  for (const cleanup of cleanups) await cleanup();
}

/** Ends a browser with all of its processes, also with those that have outlived its first. */
async function endAll(group: number, isOver: Promise<unknown>): Promise<void> {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // None is left.
  }
  await isOver;
}

async function makePage(): Promise<string> {
  const pages = await bundlePage(context, "features.worker", "writer.worker");
  mkdirSync(join(pages, "bundle"));
  writeFileSync(join(pages, "bundle", "index.js"), 'export * from "/lib/browser.js";');
  writeFileSync(
    join(pages, "index.html"),
    '<!doctype html><title>features</title><script type="module" src="/features.worker.js"></script>',
  );
  return pages;
}

/** Where a page tells its results: {feature, error} each, and null when there are no more. */
async function receiveResults(): Promise<{ address: string; areWhole: Promise<void> }> {
  let end = () => {};
  const areWhole = new Promise<void>((resolve) => (end = resolve));
  const server = createServer(async (request, response) => {
    const result = JSON.parse(await text(request)) as { error: string | null } | null;
    response.end();
    if (result === null) return end();
    if (result.error !== null) process.exitCode = 1;
    process.stdout.write(`${JSON.stringify(result)}\n`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, areWhole };
}
