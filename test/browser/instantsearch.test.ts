// InstantSearch with its adapter for the peer, both unchanged, against a server of another origin, with a key
// that may only search.
import { deepEqual, equal, ok } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { MASTER_KEY } from "../http/keyring.ts";
import {
  BUILD,
  type Cleanups,
  launch,
  NEEDS_CHROMIUM,
  openPage,
  serve,
  temporaryFolder,
} from "./chromium.ts";
import { serveTeas } from "./teas.ts";

const PARTS = ["search", "stats", "kinds", "range", "menu", "order", "hits", "pages"];

async function bundleInstantSearch(context: Cleanups): Promise<string> {
  const folder = temporaryFolder(context);
  await build({
    entryPoints: [join(BUILD, "test", "browser", "instantsearch.page.js")],
    outfile: join(folder, "page.js"),
    bundle: true,
    format: "esm",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const places = PARTS.map((part) => `<div id="${part}"></div>`).join("");
  const html = `<!doctype html><title>teas</title>${places}<script type="module" src="page.js"></script>`;
  writeFileSync(join(folder, "index.html"), html);
  return folder;
}

/** Waits until the page shows these, in this order. */
async function expectHits(page: Page, names: readonly string[]): Promise<void> {
  const isShown = (expected: string) =>
    JSON.stringify([...document.querySelectorAll("#hits li p")].map((hit) => hit.textContent)) === expected;
  await page.waitForFunction(isShown, JSON.stringify(names)).catch(async (error) => {
    deepEqual(await page.locator("#hits li p").allTextContents(), names);
    throw error;
  });
}

const textsOf = (page: Page, selector: string) => page.locator(selector).allTextContents();

test(
  "InstantSearch searches, marks, refines, orders and pages, unchanged",
  NEEDS_CHROMIUM,
  async (context) => {
    const cleanups: (() => unknown)[] = [];
    // The last thing started is ended first.
    context.after(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    });
    const inTurn = { after: (cleanup: () => unknown) => cleanups.push(cleanup) };
    const teas = await serveTeas(inTurn, MASTER_KEY);
    const { results } = await teas.client.getKeys();
    const { key } = results.find(({ name }) => name === "Default Search API Key")!;
    const pages = await serve(inTurn, { "/": await bundleInstantSearch(inTurn) });
    const address = `${pages.url}/?${new URLSearchParams({ server: teas.url, key })}`;
    const { page, errors, requests } = await openPage(await launch(inTurn), address);

    await expectHits(page, ["sencha", "sencha of spring"]);
    equal(await page.locator("#pages .ais-Pagination-item--page").count(), 3);
    deepEqual(await textsOf(page, "#kinds .ais-RefinementList-count"), ["3", "2", "1"]);

    await page.locator("#pages").getByRole("link", { name: "Page 3", exact: true }).click();
    await expectHits(page, ["darjeeling of spring", "silver needle"]);

    await page.locator("#search input").pressSequentially("sprin");
    await expectHits(page, ["sencha of spring", "darjeeling of spring"]);
    await page
      .locator("#hits mark", { hasText: /^sprin$/ })
      .nth(1)
      .waitFor();
    await page.locator("#order select").selectOption({ label: "longest first" });
    await expectHits(page, ["darjeeling of spring", "sencha of spring"]);
    await page.locator("#search input").fill("");
    await expectHits(page, ["silver needle", "darjeeling of spring"]);

    await page.locator("#kinds").getByLabel("green").check();
    await expectHits(page, ["gyokuro", "sencha of spring"]);
    // Those that are not chosen keep their counts: each refinement is a query of its own.
    deepEqual((await textsOf(page, "#kinds .ais-RefinementList-count")).sort(), ["1", "2", "3"]);
    await page.locator("#kinds").getByLabel("black").check();
    await expectHits(page, ["darjeeling of spring", "assam"]);
    await page.locator("#menu").getByLabel("short").check();
    await expectHits(page, ["gyokuro", "sencha of spring"]);
    await page.locator("#menu").getByLabel("any").check();
    await expectHits(page, ["darjeeling of spring", "assam"]);

    await page.locator("#range input").first().fill("20");
    await page.locator("#range input").last().fill("40");
    await page.locator("#range button").click();
    await expectHits(page, ["assam", "gyokuro"]);
    // What may be chosen is as wide as without the bounds.
    equal(await page.locator("#range input").last().getAttribute("max"), "50");
    ok((await textsOf(page, "#stats")).join().startsWith("3 results"));

    await page.locator("#kinds input[type=search]").fill("bla");
    await page.waitForFunction(
      () => document.querySelectorAll("#kinds .ais-RefinementList-item").length === 1,
    );
    deepEqual(await textsOf(page, "#kinds .ais-RefinementList-labelText"), ["black"]);

    deepEqual(errors, []);
    const paths = new Set(
      requests.filter((url) => url.startsWith(teas.url)).map((url) => new URL(url).pathname),
    );
    deepEqual([...paths].sort(), ["/indexes/teas/facet-search", "/multi-search"]);
  },
);
