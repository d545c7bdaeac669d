// Runs the features of the library in a browser, and prints a line of JSON for each, as test/runtime/run.ts
// does for the other runtimes. Nothing drives the browser: its page begins by itself, and tells its results.
//   node build/test/browser/features.js Chromium|Firefox
// Called by tools/runtimes.mjs.
import { ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
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

const name = process.argv[2] as BrowserName;
const cleanups: (() => unknown)[] = [];
const context = { after: (cleanup: () => unknown) => cleanups.unshift(cleanup) };
try {
  const program = findBrowser(name);
  ok(program, `${name} is needed: node tools/browsers.mjs --install`);
  const site = await serve(context, { "/": await makePage(), "/lib/": join(BUILD, "bundle", "browser") });
  const results = await receiveResults();
  const args = [...OPTIONS[name](temporaryFolder(context)), `${site.url}/#${results.address}`];
  const browser = spawn(program, args, { stdio: "ignore", detached: true, timeout: MS_MAX });
  const isOver = once(browser, "exit");
  context.after(async () => {
    const isRunning = browser.exitCode === null && browser.signalCode === null;
    if (isRunning) process.kill(-browser.pid!, "SIGKILL");
    await isOver;
  });
  const ended = isOver.then(() => {
    throw new Error(`${name} ended, or was ended after ${MS_MAX} ms, before all features had been tried`);
  });
  await Promise.race([results.areWhole, ended]);
} finally {
  for (const cleanup of cleanups) await cleanup();
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
