// The demo page of examples/browser in a real browser: searches as one types, filters, and works offline.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { BUILD, launch, NEEDS_CHROMIUM, openPage, ROOT, serve, temporaryFolder } from "./chromium.ts";

interface Demo {
  buildDemo(options: { data: string; output: string; build: string }): Promise<void>;
}

const titles = (page: Page) => page.locator("#results h2").allTextContents();

async function type(page: Page, text: string, isDone: RegExp): Promise<void> {
  await page.locator("#query").fill(text);
  await page.locator("#results li:first-child h2", { hasText: isDone }).waitFor();
}

for (const isolated of [false, true]) {
  const kind = isolated ? "isolated" : "not isolated";
  test(
    `the demo, ${kind}, searches as one types, filters, and works offline`,
    NEEDS_CHROMIUM,
    async (context) => {
      const { buildDemo } = (await import(pathToFileURL(join(ROOT, "tools", "demo.mjs")).href)) as Demo;
      const output = join(temporaryFolder(context), "demo");
      await buildDemo({ data: join(ROOT, "examples", "browser", "sample.ndjson"), output, build: BUILD });
      const server = await serve(context, { "/": output }, isolated);
      const { page, errors } = await openPage(await launch(context), server.url);
      await page.getByText("300 packages, searched in this page").waitFor();
      await page.locator("#results h2").nth(19).waitFor();
      equal((await titles(page)).length, 20);
      // Started by the head of the page, and taken over: not started twice.
      equal(server.requests.filter((request) => request.includes("browser-worker.js")).length, 1);
      // Of no use to a page that only searches.
      equal(server.requests.filter((request) => request.includes("browser-later.js")).length, 0);

      await type(page, "ktuberl", /^ktuberling/);
      equal(await page.locator("#results li:first-child h2 mark").textContent(), "ktuberl");
      match((await page.locator("#status").textContent()) ?? "", /^\d+ packages? in [\d.]+ ms/);
      await page.waitForURL((url) => url.search === "?q=ktuberl");

      await page.locator("#query").fill("data");
      await page.getByRole("checkbox", { name: /^science/ }).check();
      await page.waitForFunction(() =>
        [...document.querySelectorAll("#results li")].every((row) => row.textContent?.includes("science")),
      );
      ok((await titles(page)).length > 0);
      await page.getByRole("checkbox", { name: /^science/ }).uncheck();
      await page.getByRole("radio", { name: "Below 100 kB" }).check();
      await page.getByLabel("Order").selectOption("name:asc");
      await page.waitForFunction(() =>
        document.querySelector("#results .chips span + span")?.textContent?.endsWith("kB"),
      );

      await page.getByRole("button", { name: "Keep for offline use" }).click();
      await page.getByText("Works offline").waitFor();
      await server.close();
      await page.goto(`${server.url}/?q=ktuberling`);
      await page.locator("#results li:first-child h2", { hasText: /^ktuberling/ }).waitFor();
      await page.getByText("Works offline").waitFor();
      equal(await page.getByRole("button", { name: "Keep for offline use" }).isVisible(), false);
      deepEqual(errors, []);
    },
  );
}

test("an address that is none ends no static server", async (context) => {
  const server = await serve(context, { "/": temporaryFolder(context) });
  for (const path of ["/%", "//", "/missing"]) equal((await fetch(server.url + path)).status, 404, path);
});
