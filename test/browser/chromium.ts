// Chromium for tests: pages bundled and served by this process, opened in the system's browser. Without one
// the tests are skipped; .ci/run installs it, and sets TARSIER_NEEDS_CHROMIUM, with which they fail instead.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Browser, type BrowserContext, chromium, type Page, type Route } from "playwright-core";
import { findRoot } from "../tidy/sources.ts";

export const ROOT = findRoot();
/** Where tsc has written this file's project. */
export const BUILD = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PAGE_MS_MAX = 60_000;

/** A test, or whatever else ends once. */
export interface Cleanups {
  after(cleanup: () => unknown): void;
}

interface Replacements {
  modules: Record<string, string>;
  files: Record<string, string>;
}

interface StaticServer {
  url: string;
  requests: string[];
  close(): Promise<void>;
}

export type BrowserName = "Chromium" | "Firefox";
type FindBrowser = (name: BrowserName) => string | null;
type Serve = (folders: Record<string, string>, options?: { isolated?: boolean }) => Promise<StaticServer>;

const tool = (name: string) => import(pathToFileURL(join(ROOT, "tools", name)).href);
export const { findBrowser } = (await tool("browsers.mjs")) as { findBrowser: FindBrowser };
const { serveStatic } = (await tool("static-server.mjs")) as { serveStatic: Serve };
const { forBrowsers } = (await tool("browser-platform.mjs")) as {
  forBrowsers(root: string, out: string, more?: Replacements): object;
};

/** Given to tests that need the browser. */
export const NEEDS_CHROMIUM = {
  skip:
    findBrowser("Chromium") === null && !process.env.TARSIER_NEEDS_CHROMIUM
      ? "there is no Chromium: node tools/browsers.mjs --install"
      : false,
};

/** Folders by their paths, served until the test is over. */
export async function serve(
  context: Cleanups,
  folders: Record<string, string>,
  isolated = false,
): Promise<StaticServer> {
  const server = await serveStatic(folders, { isolated });
  context.after(() => server.close());
  return server;
}

/** A browser that is closed when the test is over. */
export async function launch(context: Cleanups, args: string[] = []): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: neededChromium(), args });
  context.after(() => browser.close());
  return browser;
}

/** One that keeps what pages store on the disk: the others are like private windows. */
export async function launchWithProfile(context: Cleanups): Promise<BrowserContext> {
  const options = { executablePath: neededChromium() };
  const browser = await chromium.launchPersistentContext(temporaryFolder(context), options);
  context.after(() => browser.close());
  return browser;
}

function neededChromium(): string {
  const executablePath = findBrowser("Chromium");
  assert.ok(executablePath, "Chromium is needed: node tools/browsers.mjs --install");
  return executablePath;
}

/** Sets how many bytes the page's site may store; without a number, as many as before. */
export async function quotaSetter(page: Page, origin: string): Promise<(bytes?: number) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  return (quotaSize) => session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize });
}

export interface OpenedPage {
  page: Page;
  /** What went wrong in it. */
  errors: string[];
  /** The addresses that it has asked for. */
  requests: string[];
}

/** A page at the address. */
export async function openPage(browser: Pick<Browser, "newPage">, url: string): Promise<OpenedPage> {
  const page = await browser.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.setDefaultTimeout(PAGE_MS_MAX);
  await page.goto(url);
  return { page, errors, requests };
}

/** Answers to requests wait until `answer` is called; `times`: to so many. Later ones are left alone. */
export async function hold(
  page: Page,
  url: string,
  times?: number,
): Promise<{ answer(): void; asked: string[] }> {
  let isAnswered = false;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const asked: string[] = [];
  const hand = async (route: Route) => {
    asked.push(route.request().url());
    // A fetch of this process that the end of the browser interrupts would fail the whole file of tests.
    if (isAnswered) return route.continue();
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  };
  await page.route(url, hand, { times });
  const answer = () => {
    isAnswered = true;
    release();
  };
  return { answer, asked };
}

/** A page that has the built door for browsers as its global `tarsier`, and the folders beside it. */
export async function openLibraryPage(
  context: Cleanups,
  folders: Record<string, string> = {},
  isolated = false,
): Promise<Omit<OpenedPage, "requests"> & { server: StaticServer }> {
  const pages = temporaryFolder(context);
  writeFileSync(join(pages, "index.html"), LIBRARY_PAGE);
  const lib = join(BUILD, "bundle", "browser");
  const server = await serve(context, { "/": pages, "/lib/": lib, ...folders }, isolated);
  return { ...(await openPage(await launch(context), server.url)), server };
}

const LIBRARY_PAGE = `<!doctype html><title>library</title>
<script type="module">import * as tarsier from "/lib/browser.js"; globalThis.tarsier = tarsier;</script>`;

export function temporaryFolder(context: Cleanups): string {
  const folder = mkdtempSync(join(tmpdir(), "tarsier-page-"));
  // Processes of a browser that was ended may still write to its profile.
  context.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Bundles files of this folder, as tsc has compiled them, with the suites' modules. Returns a folder. */
export async function bundlePage(context: Cleanups, ...names: string[]): Promise<string> {
  const folder = temporaryFolder(context);
  const builtin = (file: string) => join(BUILD, "test", "browser", "builtins", `${file}.js`);
  const modules = { "node:test": builtin("test"), "node:assert/strict": builtin("assert") };
  const files = { [join(BUILD, "test", "runtime", "process.js")]: builtin("process") };
  await build({
    ...forBrowsers(ROOT, BUILD, { modules, files }),
    entryPoints: names.map((name) => join(BUILD, "test", "browser", `${name}.js`)),
    outdir: folder,
  });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>test</title>");
  return folder;
}
