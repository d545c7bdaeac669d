// Runs the features of the library in Chromium, and prints a line of JSON for each, as test/runtime/run.ts
// does for the other runtimes. Called by tools/runtimes.mjs.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD, bundlePage, launch, openPage, serve } from "./chromium.ts";

/** In the page (features.worker.ts). */
interface Scope {
  featureNames: string[];
  tryFeature(name: string): Promise<string | null>;
}

const cleanups: (() => unknown)[] = [];
const context = { after: (cleanup: () => unknown) => cleanups.push(cleanup) };
try {
  const pages = await bundlePage(context, "features.worker", "writer.worker");
  mkdirSync(join(pages, "bundle"));
  writeFileSync(join(pages, "bundle", "index.js"), 'export * from "/lib/browser.js";');
  writeFileSync(
    join(pages, "index.html"),
    '<!doctype html><title>features</title><script type="module" src="/features.worker.js"></script>',
  );
  const server = await serve(context, { "/": pages, "/lib/": join(BUILD, "bundle", "browser") });
  const { page } = await openPage(await launch(context), server.url);
  await page.waitForFunction(() => "featureNames" in globalThis);
  for (const feature of await page.evaluate(() => (globalThis as unknown as Scope).featureNames)) {
    const error = await page.evaluate((name) => (globalThis as unknown as Scope).tryFeature(name), feature);
    if (error !== null) process.exitCode = 1;
    process.stdout.write(`${JSON.stringify({ feature, error })}\n`);
  }
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}
