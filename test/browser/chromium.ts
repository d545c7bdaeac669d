// Chromium for tests: pages bundled and served by this process, opened in the system's browser. Without one
// the tests are skipped; .ci/run installs it, and sets TARSIER_NEEDS_CHROMIUM, with which they fail instead.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { findRoot } from "../tidy/sources.ts";

export const ROOT = findRoot();
/** Where tsc has written this file's project. */
export const BUILD = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PAGE_MS_MAX = 60_000;

interface StaticServer {
  url: string;
  requests: string[];
  close(): Promise<void>;
}

type Serve = (folders: Record<string, string>, options?: { isolated?: boolean }) => Promise<StaticServer>;

const tool = (name: string) => import(pathToFileURL(join(ROOT, "tools", name)).href);
const { findChromium } = (await tool("chromium.mjs")) as { findChromium(): string | null };
const { serveStatic } = (await tool("static-server.mjs")) as { serveStatic: Serve };
const { forBrowsers } = (await tool("browser-platform.mjs")) as {
  forBrowsers(root: string, out: string, more?: Record<string, string>): object;
};

/** Given to tests that need the browser. */
export const NEEDS_CHROMIUM = {
  skip:
    findChromium() === null && !process.env.TARSIER_NEEDS_CHROMIUM
      ? "there is no Chromium: node tools/chromium.mjs --install"
      : false,
};

/** Folders by their paths, served until the test is over. */
export async function serve(
  context: TestContext,
  folders: Record<string, string>,
  isolated = false,
): Promise<StaticServer> {
  const server = await serveStatic(folders, { isolated });
  context.after(() => server.close());
  return server;
}

/** A browser that is closed when the test is over. */
export async function launch(context: TestContext): Promise<Browser> {
  const executablePath = findChromium();
  assert.ok(executablePath, "Chromium is needed: node tools/chromium.mjs --install");
  const browser = await chromium.launch({ executablePath });
  context.after(() => browser.close());
  return browser;
}

/** An empty page at the address; whatever goes wrong in it is an error of the test. */
export async function openPage(browser: Browser, url: string): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.setDefaultTimeout(PAGE_MS_MAX);
  await page.goto(url);
  return { page, errors };
}

/** A page that has the built door for browsers as its global `tarsier`, and the folders beside it. */
export async function openLibraryPage(
  context: TestContext,
  folders: Record<string, string> = {},
  isolated = false,
): Promise<{ page: Page; errors: string[]; server: StaticServer }> {
  const pages = temporaryFolder(context);
  writeFileSync(join(pages, "index.html"), LIBRARY_PAGE);
  const lib = join(BUILD, "bundle", "browser");
  const server = await serve(context, { "/": pages, "/lib/": lib, ...folders }, isolated);
  return { ...(await openPage(await launch(context), server.url)), server };
}

const LIBRARY_PAGE = `<!doctype html><title>library</title>
<script type="module">import * as tarsier from "/lib/browser.js"; globalThis.tarsier = tarsier;</script>`;

export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-page-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Bundles a file of this folder, as tsc has compiled it, with the suites' modules of Node. Returns a folder. */
export async function bundlePage(context: TestContext, name: string): Promise<string> {
  const folder = temporaryFolder(context);
  const builtin = (file: string) => join(BUILD, "test", "browser", "builtins", `${file}.js`);
  await build({
    ...forBrowsers(ROOT, BUILD, { "node:test": builtin("test"), "node:assert/strict": builtin("assert") }),
    entryPoints: [join(BUILD, "test", "browser", `${name}.js`)],
    outdir: folder,
  });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>test</title>");
  return folder;
}
