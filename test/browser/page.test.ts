// The page at / in a real browser, before a real server: searches, filters, orders, settings, tasks, keys; it
// runs nothing of what documents hold, and speaks to its own server only.
import { deepEqual, equal, match } from "node:assert/strict";
import { before, test } from "node:test";
import { generateTenantToken } from "meilisearch/token";
import type { Browser } from "playwright-core";
import { MASTER_KEY } from "../http/keyring.ts";
import { hold, NEEDS_CHROMIUM } from "./chromium.ts";
import { afterTheTests, expectHits, openBrowserAndServer, openServerPage } from "./serverpage.ts";
import { serveNothing, serveTeas, TEAS, type TeaServer } from "./teas.ts";

const SPRING = ["sencha of spring", "darjeeling of spring"];
const ids = (...found: number[]) => TEAS.filter(({ id }) => found.includes(id)).map(({ name }) => name);

let browser: Browser;
let server: TeaServer;

const open = (shown: TeaServer, path?: string) => openServerPage(browser, shown, path);

const context = afterTheTests();
before(async () => {
  if (NEEDS_CHROMIUM.skip) return;
  [browser, server] = await openBrowserAndServer(context);
});

test("the page searches as one types, and marks what matched", NEEDS_CHROMIUM, async () => {
  await server.client.createIndex("cups").waitTask();
  await server.client
    .index("cups")
    .addDocuments([{ id: 1, title: "sencha cup" }])
    .waitTask();
  const { page, check } = await open(server);
  await expectHits(page, ["sencha cup"]);
  await page.locator("#index").selectOption("teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));

  await page.locator("#query").pressSequentially("sprin");
  await expectHits(page, SPRING);
  await page
    .locator("#hits mark", { hasText: /^sprin$/ })
    .nth(1)
    .waitFor();
  match(
    (await page.locator("#state").textContent()) ?? "",
    /^2 hits in \d+ ms \(\d+ ms including the round trip\)$/,
  );
  await page.reload();
  await page.waitForFunction(() => document.querySelector<HTMLSelectElement>("#index")?.value === "teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  check();
});

test("values and numbers narrow the hits, which are ordered", NEEDS_CHROMIUM, async () => {
  const { page, check } = await open(server, "/#teas");
  await page.getByRole("checkbox", { name: /^green/ }).check();
  await expectHits(page, ids(1, 2, 3));
  // The other values can be chosen as well, and the keyboard is where it was.
  equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).name), '["kind","green"]');
  await page.getByRole("checkbox", { name: /^white 1/ }).check();
  await expectHits(page, ids(1, 2, 3, 6));

  await page.getByLabel("from").fill("20");
  await page.getByLabel("to").fill("30");
  await page.getByLabel("to").blur();
  await expectHits(page, ids(2, 3));
  equal(await page.getByLabel("from").inputValue(), "20");
  await page.locator("#sort").selectOption("steeped for, descending");
  await page.locator("#hits li:first-child h2", { hasText: "gyokuro" }).waitFor();
  await page.locator("#sort").selectOption("steeped for, ascending");
  await page.locator("#hits li:first-child h2", { hasText: "sencha" }).waitFor();

  await page.getByLabel("from").fill("");
  await page.getByLabel("from").blur();
  await expectHits(page, ids(1, 2, 3));
  await page.getByRole("checkbox", { name: /^green/ }).uncheck();
  // The answer puts new fields in the place of those that are there.
  await expectHits(page, []);
  await page.getByLabel("to").fill("");
  await page.getByRole("checkbox", { name: /^white/ }).uncheck();
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  check();
});

test("a number that is being typed when an answer comes is not lost", NEEDS_CHROMIUM, async () => {
  const { page, check } = await open(server, "/#teas");
  const [from, to] = [page.getByLabel("from"), page.getByLabel("to")];
  await from.fill("20");
  let answer = () => {};
  const isTyped = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/multi-search", async (route) => {
    await isTyped;
    await route.continue();
  });
  // Asks for what is above 20: the answer comes when the other bound is there, but not told.
  await to.fill("30");
  answer();
  await expectHits(page, ids(2, 3, 4, 5, 6));
  await to.blur();
  await expectHits(page, ids(2, 3));
  deepEqual([await from.inputValue(), await to.inputValue()], ["20", "30"]);
  check();
});

test("more hits come on demand", NEEDS_CHROMIUM, async () => {
  const shelf = server.client.index("shelf");
  await shelf.addDocuments(Array.from({ length: 45 }, (_, id) => ({ id }))).waitTask();
  await shelf.updateFilterableAttributes(["id"]).waitTask();
  const { page, check } = await open(server, "/#shelf");
  const counts: number[] = [];
  for (const shown of [20, 40, 45]) {
    await page.waitForFunction((count) => document.querySelectorAll("#hits li").length === count, shown);
    counts.push(await page.locator("#facets fieldset").count());
    if (shown < 45) await page.getByRole("button", { name: "More" }).click();
  }
  deepEqual(counts, [1, 1, 1]);
  equal(await page.getByRole("button", { name: "More" }).isVisible(), false);
  check();
});

test("where the hits end before all are shown, the page says so", NEEDS_CHROMIUM, async () => {
  const bounded = server.client.index("bounded");
  await bounded.updateSettings({ pagination: { maxTotalHits: 40 } }).waitTask();
  await bounded.addDocuments(Array.from({ length: 45 }, (_, id) => ({ id }))).waitTask();
  const { page, check } = await open(server, "/#bounded");
  const [more, end] = [page.getByRole("button", { name: "More" }), page.locator("#end")];
  await more.waitFor();
  equal(await end.textContent(), "");
  await more.click();
  await end.getByText("45 hits: the first 40 can be shown").waitFor();
  equal(await more.isVisible(), false);
  equal(await page.locator("#hits li").count(), 40);
  check();
});

test("the first index and its first documents come by themselves", NEEDS_CHROMIUM, async () => {
  const fresh = await serveNothing(context);
  const { page, check } = await open(fresh);
  await page.getByText("No index yet").waitFor();
  await fresh.client.createIndex("teas").waitTask();
  await page.getByText(/^0 hits/).waitFor();
  await fresh.client.index("teas").addDocuments(TEAS).waitTask();
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  check();
});

test("whoever types or comes back sees at once what was added first", NEEDS_CHROMIUM, async () => {
  const fresh = await serveNothing(context);
  const { page, check } = await open(fresh);
  // Nothing comes by itself.
  await page.addInitScript("globalThis.setInterval = () => 0");
  await page.reload();
  await page.getByText("No index yet").waitFor();
  await fresh.client.createIndex("teas").waitTask();
  await page.locator("#query").fill("g");
  await page.getByText(/^0 hits/).waitFor();
  await page.locator("#query").fill("");
  await page.getByText(/^0 hits/).waitFor();
  await fresh.client.index("teas").addDocuments(TEAS).waitTask();
  // Until the answer to what was typed has come, there is nothing to ask for again.
  await page.waitForFunction(() => {
    dispatchEvent(new Event("focus"));
    return document.querySelector("#hits h2");
  });
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  check();
});

test("the index that the address names is followed", NEEDS_CHROMIUM, async () => {
  const { page, check } = await open(server, "/#teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  await server.client
    .index("pots")
    .addDocuments([{ id: 1, name: "teapot" }])
    .waitTask();
  // It came after the list.
  await page.goto(`${server.url}/#pots`);
  await expectHits(page, ["teapot"]);
  await page.goBack();
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  await page.goForward();
  await expectHits(page, ["teapot"]);
  equal(await page.locator("#index").inputValue(), "pots");
  await page.locator("#index").selectOption("teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  await page.goBack();
  await expectHits(page, ["teapot"]);
  // There is none of that name: the one that is shown stays.
  await page.goto(`${server.url}/#none`);
  await page.waitForURL("**/#pots");
  await expectHits(page, ["teapot"]);
  check();
});

test("an index without facets is not asked for them", NEEDS_CHROMIUM, async () => {
  const plain = server.client.index("plain");
  const features = { facetSearch: false, filter: { equality: false, comparison: false } };
  const filterableAttributes = [{ attributePatterns: ["name"], features }];
  await plain.addDocuments([{ id: 1, name: "plain tea" }]).waitTask();
  const { page, check } = await open(server, "/#teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  const refused: string[] = [];
  page.on("response", (response) => {
    if (!response.ok()) refused.push(response.url());
  });
  await page.goto(`${server.url}/#plain`);
  await expectHits(page, ["plain tea"]);
  await plain.updateSettings({ filterableAttributes }).waitTask();
  await page.reload();
  await expectHits(page, ["plain tea"]);
  deepEqual(refused, []);
  check();
});

test("the share of words and meaning is told", NEEDS_CHROMIUM, async () => {
  const rest = { source: "rest" as const, url: "http://localhost:9", dimensions: 2 };
  const embedder = { ...rest, request: { input: "{{text}}" }, response: { vector: "{{embedding}}" } };
  await server.client
    .index("meant")
    .updateSettings({ embedders: { e: embedder } })
    .waitTask();
  const { page, check } = await open(server, "/#meant");
  const label = page.locator("#semanticLabel");
  await label.getByText("Words").waitFor();
  match((await label.textContent()) ?? "", /^Words\s+Meaning 0\.5$/);
  await page.getByLabel("Semantic ratio").fill("0.8");
  await label.getByText("Meaning 0.8").waitFor();
  check();
});

test("settings and tasks are views, reached by arrow keys", NEEDS_CHROMIUM, async () => {
  const { page, check } = await open(server, "/#teas");
  await page.getByRole("tab", { name: "Search" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Settings", selected: true }).and(page.locator(":focus")).waitFor();
  await page.locator("#view-settings dd", { hasText: '["kind", "steeped for"]' }).waitFor();

  await page.keyboard.press("ArrowRight");
  await page.locator("#tasks tr", { hasText: "documentAdditionOrUpdate" }).first().waitFor();
  const failed = await server.client
    .index("teas")
    .addDocuments([{ name: "no id" }])
    .waitTask();
  equal(failed.status, "failed");
  // It comes by itself.
  const row = page.locator("#tasks tr", { hasText: failed.error!.message });
  await row.waitFor();
  equal(await row.locator("td").nth(1).textContent(), "failed");
  equal(await page.locator("#tasks tr").last().locator("td").nth(1).textContent(), "succeeded");

  await page.keyboard.press("End");
  await page.getByRole("tab", { name: "Add", selected: true }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Search", selected: true }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("tab", { name: "Add", selected: true }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Home");
  await page.getByRole("tab", { name: "Search", selected: true }).and(page.locator(":focus")).waitFor();
  check();
});

test("settings of an index that is chosen no longer are not shown", NEEDS_CHROMIUM, async () => {
  await server.client.createIndex("jars").waitTask();
  const { page, check } = await open(server, "/#teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  const { answer } = await hold(page, "**/indexes/teas/stats", 1);
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.locator("#index").selectOption("jars");
  await page.locator("#view-settings dd:first-of-type", { hasText: /^0$/ }).waitFor();
  const late = page.waitForResponse("**/indexes/teas/stats");
  answer();
  await (await late).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  equal(await page.locator("#view-settings dd").first().textContent(), "0");
  check();
});

test("a server that takes its time is not asked for its tasks again meanwhile", NEEDS_CHROMIUM, async () => {
  const { page, check } = await open(server, "/#teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  const { answer, asked } = await hold(page, "**/tasks?limit=*");
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3500)));
  // By the click, and once by itself.
  equal(asked.length, 2);
  answer();
  await page.locator("#tasks tr", { hasText: "documentAdditionOrUpdate" }).first().waitFor();
  check();
});

test("a task that an embedder holds up shows the embedder's error", NEEDS_CHROMIUM, async () => {
  const { page, check } = await open(server, "/#teas");
  const task = { uid: 7, batchUid: 7, status: "processing", type: "documentAdditionOrUpdate" };
  const steps = [{ currentStep: "extracting words", finished: 0, total: 1 }];
  const stats = { embedderRequests: { total: 5, failed: 3, lastError: "<b>nobody</b> answers" } };
  const batch = { uid: 7, progress: { steps, percentage: 10 }, stats };
  await page.route("**/tasks?*", (route) => route.fulfill({ json: { results: [task] } }));
  await page.route("**/batches?*", (route) => route.fulfill({ json: { results: [batch] } }));
  await page.getByRole("tab", { name: "Tasks" }).click();
  const what = page.locator("#tasks td", { hasText: "extracting words" });
  const failure = "3 of 5 requests to the embedder failed, the last one: <b>nobody</b> answers";
  await what.locator(".failed", { hasText: failure }).waitFor();
  check();
});

test("a server that is away is told in words of the page", NEEDS_CHROMIUM, async () => {
  const { page, check } = await open(server, "/#teas");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  await page.context().setOffline(true);
  await page.locator("#query").fill("gyokuro");
  await page
    .getByRole("alert")
    .getByText(/^The server cannot be reached$/)
    .waitFor();
  await page.context().setOffline(false);
  await page.locator("#query").fill("assam");
  await expectHits(page, ["assam"]);
  equal(await page.getByRole("alert").isVisible(), false);
  check();
});

test("markup in documents, settings and tasks is text", NEEDS_CHROMIUM, async () => {
  const markup = '<img src=x onerror="globalThis.ran = true"><script>globalThis.ran = true</script>';
  const marks = server.client.index("marks");
  await marks.updateSettings({ filterableAttributes: ["kind", "<b>"], stopWords: [markup] }).waitTask();
  const document = { id: 1, name: markup, text: markup, kind: markup, "<b>": [{ markup }] };
  await marks.addDocuments([document]).waitTask();
  await marks.addDocuments([{ [markup]: markup }]).waitTask();
  const { page, check } = await open(server, "/#marks");
  await expectHits(page, [markup]);
  await page.locator("#query").fill("onerror");
  await page.locator("#hits mark").first().waitFor();
  await page.getByRole("checkbox").first().check();
  await expectHits(page, [markup]);
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.locator("#view-settings dd", { hasText: "<img" }).waitFor();
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.locator("#tasks .failed", { hasText: "<img" }).last().waitFor();
  equal(await page.locator("img, b, #hits script, section script").count(), 0);
  equal(await page.evaluate(() => "ran" in globalThis), false);
  check();
});

test("a long text of an index with a long name is shown, also on a phone", NEEDS_CHROMIUM, async () => {
  const uid = "long".repeat(50);
  const long = server.client.index(uid);
  await long.addDocuments([{ id: 1, name: "tea ".repeat(100_000) }]).waitTask();
  const { page, check } = await open(server, `/#${uid}`);
  await page.locator("#query").fill("tea");
  await page.waitForFunction(() => document.querySelectorAll("#hits mark").length === 100_000);
  equal(await page.getByRole("alert").isVisible(), false);
  await page.setViewportSize({ width: 360, height: 700 });
  equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  check();
});

test("an index that is gone is told, and what it held is no longer shown", NEEDS_CHROMIUM, async () => {
  const doomed = server.client.index("doomed");
  for (const isAtEnd of [false, true]) {
    await doomed.addDocuments(Array.from({ length: 30 }, (_, id) => ({ id, name: "last tea" }))).waitTask();
    await doomed.updateSettings({ pagination: { maxTotalHits: isAtEnd ? 20 : 30 } }).waitTask();
    const { page, check } = await open(server, "/#doomed");
    const [more, end] = [page.getByRole("button", { name: "More" }), page.locator("#end")];
    await (isAtEnd ? end.getByText("30 hits: the first 20 can be shown") : more).waitFor();
    await server.client.deleteIndex("doomed").waitTask();
    await page.locator("#query").fill("tea");
    await page
      .getByRole("alert")
      .getByText(/^Index `doomed` not found$/)
      .waitFor();
    await expectHits(page, []);
    equal(await page.locator("#state").textContent(), "");
    deepEqual([await more.isVisible(), await end.textContent()], [false, ""]);
    check();
  }
});

test("what one key has shown is gone with another one", NEEDS_CHROMIUM, async () => {
  const locked = await serveTeas(context, MASTER_KEY);
  const { page, check } = await open(locked, "/#teas");
  const key = page.getByLabel("Key", { exact: true });
  await key.fill(MASTER_KEY);
  await key.press("Enter");
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.locator("#tasks tr").first().waitFor();
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.locator("#view-settings dd").first().waitFor();
  await key.fill("wrong");
  await key.press("Enter");
  await page.getByRole("alert").waitFor();
  equal(await page.locator("#tasks tr, #view-settings dd, #hits li, option[value=teas]").count(), 0);
  check();
});

test("with a master key the page asks for a key", NEEDS_CHROMIUM, async () => {
  const locked = await serveTeas(context, MASTER_KEY);
  const { results } = await locked.client.getKeys();
  const searchKey = results.find(({ name }) => name === "Default Search API Key")!.key;
  const { page, check } = await open(locked);
  await page.getByRole("alert").getByText("enter a key above").waitFor();

  const key = page.getByLabel("Key", { exact: true });
  await key.fill("wrong");
  await key.press("Enter");
  const unknown = "The server does not know this key (enter another key above)";
  await page.getByRole("alert").getByText(unknown).waitFor();
  equal(await page.getByPlaceholder("name of an index").isVisible(), false);
  await key.fill("ключ");
  await key.press("Enter");
  await page
    .getByRole("alert")
    .getByText(/^A key has no such letters$/)
    .waitFor();

  await key.fill(MASTER_KEY);
  await key.press("Enter");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  equal(await page.getByRole("alert").isVisible(), false);
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.locator("#tasks tr", { hasText: "settingsUpdate" }).first().waitFor();
  await page.getByRole("tab", { name: "Search" }).click();

  await page.goto("about:blank");
  await page.goto(locked.url);
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  await page.evaluate(() => {
    location.hash = "";
  });
  await key.fill(searchKey);
  await key.press("Enter");
  await page.getByText(/^This key may not list the indexes: enter the name of one\.$/).waitFor();
  await page.locator("#query").fill("gyokuro");
  await page.getByPlaceholder("name of an index").fill("teas");
  await page.keyboard.press("Enter");
  await expectHits(page, ["gyokuro"]);
  await page.getByRole("checkbox", { name: /^green/ }).check();
  await expectHits(page, ["gyokuro"]);

  await key.fill("wrong");
  await key.press("Enter");
  await page.getByRole("alert").getByText(unknown).waitFor();
  await expectHits(page, []);
  equal(await page.locator("#facets fieldset").count(), 0);
  check();
});

test("what is answered after the key was changed is not shown", NEEDS_CHROMIUM, async () => {
  const locked = await serveTeas(context, MASTER_KEY);
  const { page, check } = await open(locked);
  const key = page.getByLabel("Key", { exact: true });
  await key.fill(MASTER_KEY);
  await key.press("Enter");
  await expectHits(page, ids(1, 2, 3, 4, 5, 6));
  const { answer } = await hold(page, "**/multi-search", 1);
  await page.locator("#query").fill("gyokuro");
  await key.fill("wrong");
  await key.press("Enter");
  await page.getByRole("alert").getByText("The server does not know this key").waitFor();
  const refused = page.waitForResponse(
    (response) => response.url().endsWith("/multi-search") && response.status() === 403,
  );
  answer();
  await refused;
  await expectHits(page, []);
  check();
});

test("a tenant token searches the index that is named", NEEDS_CHROMIUM, async () => {
  const locked = await serveTeas(context, MASTER_KEY);
  const { results } = await locked.client.getKeys();
  const { key: apiKey, uid: apiKeyUid } = results.find(({ name }) => name === "Default Search API Key")!;
  const searchRules = { teas: { filter: "kind = black" } };
  const { page, check } = await open(locked);
  await page
    .getByLabel("Key", { exact: true })
    .fill(await generateTenantToken({ apiKey, apiKeyUid, searchRules }));
  await page.keyboard.press("Enter");
  await page.getByPlaceholder("name of an index").fill("teas");
  await page.keyboard.press("Enter");
  await expectHits(page, ids(4, 5));
  check();
});
