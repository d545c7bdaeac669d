// The page at / for who does not see it well, or uses no mouse: each view of it under the eyes of axe-core,
// which knows the rules of accessibility, in light and in dark, wide and narrow.
import { deepEqual, equal } from "node:assert/strict";
import { before, test } from "node:test";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { NEEDS_CHROMIUM } from "./chromium.ts";
import { afterTheTests, expectHits, openBrowserAndServer, openServerPage } from "./serverpage.ts";
import { TEAS, type TeaServer } from "./teas.ts";

/** What there is to see when a view is complete. */
const VIEWS = [
  ["Search", "#hits h2"],
  ["Settings", "#view-settings dd"],
  ["Tasks", "#tasks tr"],
  ["Add", "#addition button"],
] as const;
const WIDTHS = [1200, 360];

let browser: Browser;
let server: TeaServer;

const context = afterTheTests();
before(async () => {
  if (NEEDS_CHROMIUM.skip) return;
  [browser, server] = await openBrowserAndServer(context);
});

/** Rules that are broken, with the elements that break them. */
async function faultsOf(page: Page): Promise<string[]> {
  // As text: the page's own policy lets no script in.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of WIDTHS) {
    test(`no rule is broken in ${colorScheme}, ${width} pixels wide`, NEEDS_CHROMIUM, async () => {
      const { page, check } = await openServerPage(browser, server, "/#teas");
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await expectHits(
        page,
        TEAS.map(({ name }) => name),
      );
      for (const [name, sign] of VIEWS) {
        await page.getByRole("tab", { name }).click();
        await page.locator(sign).first().waitFor();
        deepEqual(await faultsOf(page), [], name);
        equal(await page.evaluate(() => document.documentElement.scrollWidth), width, name);
      }
      check();
    });
  }
}

test("a rule that is broken is seen", NEEDS_CHROMIUM, async () => {
  const { page } = await openServerPage(browser, server, "/#teas");
  await page.locator("#query").evaluate((query) => query.removeAttribute("aria-label"));
  await page.locator("#query").evaluate((query) => query.removeAttribute("placeholder"));
  equal((await faultsOf(page)).filter((fault) => fault.startsWith("label:")).length, 1);
});
