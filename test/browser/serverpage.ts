// The page at / of a server, and what is waited for in it. Used by page.test.ts,
// pageaccess.test.ts, pageadditions.test.ts and pagefilters.test.ts.
import { deepEqual, ok } from "node:assert/strict";
import { after } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Cleanups, launch, type OpenedPage, openPage } from "./chromium.ts";
import { serveTeas, type TeaServer } from "./teas.ts";

/** Ends what a file of tests opens once all of them are over, the last first. */
export function afterTheTests(): Cleanups {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  return { after: (cleanup) => cleanups.unshift(cleanup) };
}

export async function openBrowserAndServer(context: Cleanups): Promise<[Browser, TeaServer]> {
  return [await launch(context), await serveTeas(context)];
}

/** Waits until the hits are these, in any order. */
export async function expectHits(page: Page, names: readonly string[]): Promise<void> {
  const wanted = [...names].sort();
  const isShown = (expected: string) =>
    JSON.stringify([...document.querySelectorAll("#hits h2")].map((hit) => hit.textContent).sort()) ===
    expected;
  await page.waitForFunction(isShown, JSON.stringify(wanted)).catch(async (error) => {
    deepEqual((await page.locator("#hits h2").allTextContents()).sort(), wanted);
    throw error;
  });
}

/** The page, and whether all went well in it and it spoke to nobody else. */
export async function openServerPage(
  browser: Browser,
  { url }: TeaServer,
  path = "/",
): Promise<OpenedPage & { check(): void }> {
  const opened = await openPage(browser, url + path);
  const check = () => {
    deepEqual(opened.errors, []);
    ok(opened.requests.length > 1);
    const others = opened.requests.filter((address) => !address.startsWith(`${url}/`) && !isData(address));
    deepEqual(others, []);
  };
  return { ...opened, check };
}

/** The icon is inside of the page. */
const isData = (address: string) => address.startsWith("data:");
