// Filters of the page at / where there is much to choose, or little room: values that are looked for, and
// what a phone shows.
import { deepEqual, equal, ok } from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { hold, NEEDS_CHROMIUM } from "./chromium.ts";
import { afterTheTests, expectHits, openBrowserAndServer, openServerPage } from "./serverpage.ts";
import type { TeaServer } from "./teas.ts";

let browser: Browser;
let server: TeaServer;

const context = afterTheTests();
before(async () => {
  if (NEEDS_CHROMIUM.skip) return;
  [browser, server] = await openBrowserAndServer(context);
  const shops = server.client.index("shops");
  const documents = Array.from({ length: 150 }, (_, id) => {
    return { id, title: `offer ${id}`, shop: `shop ${id + 100}`, town: `town ${id % 14}` };
  });
  // The most frequent shop is the last by its name.
  const frequent = [150, 151].map((id) => ({ id, title: `offer ${id}`, shop: "the shop", town: "town 3" }));
  await shops.updateSettings({ filterableAttributes: ["shop", "town"] }).waitTask();
  await shops.addDocuments([...documents, ...frequent]).waitTask();
});

/** The values to choose in a field. */
const valuesOf = (page: Page, field: string) =>
  page.locator("fieldset", { hasText: field }).first().locator(".value").allTextContents();

test("of many values some are shown, and others are looked for", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, server, "/#shops");
  const towns = page.getByRole("searchbox", { name: "Find a value of town" });
  await towns.waitFor();
  const shown = await valuesOf(page, "town");
  deepEqual([shown.length, shown[0]], [12, "town 3"]);
  await page.getByText("and 2 more").waitFor();
  // Of more than an answer lists, it is not known which are frequent.
  deepEqual((await valuesOf(page, "shop")).slice(0, 2), ["shop 100", "shop 101"]);
  await page.getByText("and more, by name").waitFor();

  const shops = page.getByRole("searchbox", { name: "Find a value of shop" });
  await shops.pressSequentially("the", { delay: 30 });
  await page.getByRole("checkbox", { name: "the shop 2" }).check();
  await expectHits(page, ["offer 150", "offer 151"]);
  equal(await shops.inputValue(), "the");
  // Values that were looked for, and those that are chosen.
  await shops.fill("shop 249");
  await page.getByRole("checkbox", { name: "shop 249" }).check();
  await expectHits(page, ["offer 149", "offer 150", "offer 151"]);
  await shops.fill("");
  await page.getByText("and more, by name").waitFor();
  deepEqual((await valuesOf(page, "shop")).slice(-2), ["the shop", "shop 249"]);
  check();
});

test("another index forgets what was looked for", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, server, "/#shops");
  await page.getByRole("searchbox", { name: "Find a value of town" }).fill("town 13");
  await page.getByRole("checkbox", { name: "town 13" }).waitFor();
  await page.locator("#index").selectOption("teas");
  await page.getByRole("checkbox", { name: /^green/ }).waitFor();
  await page.locator("#index").selectOption("shops");
  await page.getByText("and 2 more").waitFor();
  check();
});

test("an index that looks for no values is not asked to", NEEDS_CHROMIUM, async () => {
  const shops = server.client.index("shops");
  await shops.updateSettings({ facetSearch: false }).waitTask();
  const { page, check } = await openServerPage(browser, server, "/#shops");
  await page.getByText("and 2 more").waitFor();
  equal(await page.getByRole("searchbox", { name: "Find a value of town" }).count(), 0);
  await shops.updateSettings({ facetSearch: true }).waitTask();
  check();
});

test("values are looked for also where answers list few", NEEDS_CHROMIUM, async () => {
  const shops = server.client.index("shops");
  await shops.updateSettings({ faceting: { maxValuesPerFacet: 10 } }).waitTask();
  const { page, check } = await openServerPage(browser, server, "/#shops");
  await page.getByRole("searchbox", { name: "Find a value of shop" }).fill("the");
  await page.getByRole("checkbox", { name: "the shop 2" }).check();
  await shops.updateSettings({ faceting: { maxValuesPerFacet: 100 } }).waitTask();
  check();
});

test("a phone shows hits first, and filters when they are asked for", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, server, "/#teas");
  const green = page.getByRole("checkbox", { name: /^green/ });
  await green.waitFor();
  equal(await page.getByText("Filters").isVisible(), false);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.reload();
  await page.getByText("Filters").waitFor();
  equal(await green.isVisible(), false);
  await page.getByText("Filters").click();
  await green.check();
  check();
});

test("a phone that is turned shows its filters beside the hits", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, server, "/#teas");
  const green = page.getByRole("checkbox", { name: /^green/ });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await page.getByText("Filters").waitFor();
  await page.setViewportSize({ width: 844, height: 390 });
  await green.waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await green.waitFor({ state: "hidden" });
  check();
});

test("where there is nothing to filter by, hits have the whole width", NEEDS_CHROMIUM, async () => {
  const plain = server.client.index("plain");
  await plain.addDocuments([{ id: 1, name: "plain tea" }]).waitTask();
  const { page, check } = await openServerPage(browser, server, "/#plain");
  const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())?.width;
  await expectHits(page, ["plain tea"]);
  // By an attribute, which all browsers notice.
  await page.locator("#filters[hidden]").waitFor({ state: "attached" });
  equal(await widthOf("#hits"), await widthOf(".columns"));
  await page.locator("#index").selectOption("teas");
  await page.locator("#filters").waitFor();
  ok((await widthOf("#filters"))! < (await widthOf("#hits"))!);
  check();
});

test("what is typed nowhere is searched for", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, server, "/#teas");
  await page.getByRole("checkbox", { name: /^green/ }).waitFor();
  // What a browser fills in by itself comes without a key.
  await page.evaluate(() => document.body.dispatchEvent(new Event("keydown", { bubbles: true })));
  await page.keyboard.type("darj", { delay: 20 });
  await expectHits(page, ["darjeeling of spring"]);
  check();
});

test("a chosen value that is not listed is not said to be in no document", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, server, "/#shops");
  const countOf = (value: string) =>
    page.locator("label", { hasText: value }).locator(".count").first().textContent();
  await page.getByRole("checkbox", { name: "town 3" }).check();
  await page.getByText("13 hits").waitFor();
  const towns = page.getByRole("searchbox", { name: "Find a value of town" });
  await towns.fill("zzz");
  await page.getByText("and 2 more").waitFor({ state: "detached" });
  equal(await countOf("town 3"), "13");
  await towns.fill("");
  await page.getByRole("checkbox", { name: "town 3" }).uncheck();
  const shops = page.getByRole("searchbox", { name: "Find a value of shop" });
  await shops.fill("the");
  await page.getByRole("checkbox", { name: "the shop 2" }).check();
  await expectHits(page, ["offer 150", "offer 151"]);
  await shops.fill("");
  await page.getByText("and more, by name").waitFor();
  // More documents may have it than those of the listed values.
  equal(await countOf("the shop"), "");
  check();
});

test("where a rule allows no search for values, hits and filters stay", NEEDS_CHROMIUM, async () => {
  const shops = server.client.index("shops");
  const features = { facetSearch: false, filter: { equality: true, comparison: false } };
  await shops.updateFilterableAttributes([{ attributePatterns: ["*own"], features }, "shop"]).waitTask();
  const { page, check } = await openServerPage(browser, server, "/#shops");
  const town = page.getByRole("searchbox", { name: "Find a value of town" });
  await town.fill("town 1");
  await town.waitFor({ state: "detached" });
  await page.getByText("152 hits").waitFor();
  await page.getByText("and 2 more").waitFor();
  equal(await page.locator("#trouble").isVisible(), false);
  await page.getByRole("searchbox", { name: "Find a value of shop" }).fill("the");
  await page.getByRole("checkbox", { name: "the shop 2" }).waitFor();
  await shops.updateFilterableAttributes(["shop", "town"]).waitTask();
  check();
});

test(
  "what is done with filters while another index is opened is not for that one",
  NEEDS_CHROMIUM,
  async () => {
    const { page, check } = await openServerPage(browser, server, "/#shops");
    const town = page.getByRole("checkbox", { name: "town 3" });
    await town.waitFor();
    const { answer } = await hold(page, "**/indexes/teas/settings");
    await page.locator("#index").selectOption("teas");
    equal(await town.count(), 0);
    answer();
    await page.getByRole("checkbox", { name: /^green/ }).waitFor();
    equal(await page.locator("#trouble").isVisible(), false);
    check();
  },
);
