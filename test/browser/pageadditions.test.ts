// The page at / in a real browser, before a real server: documents that are added in it, and fields that its
// boxes let be filtered and ordered by.
import { deepEqual, equal } from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { MASTER_KEY } from "../http/keyring.ts";
import { NEEDS_CHROMIUM } from "./chromium.ts";
import { afterTheTests, expectHits, openBrowserAndServer, openServerPage } from "./serverpage.ts";
import { serveNothing, serveTeas, TEAS, type TeaServer } from "./teas.ts";

const NAMES = TEAS.map(({ name }) => name);
const POTS = [{ id: 1, name: "teapot" }];

let browser: Browser;
let server: TeaServer;

const context = afterTheTests();
before(async () => {
  if (NEEDS_CHROMIUM.skip) return;
  [browser, server] = await openBrowserAndServer(context);
});

interface Chosen {
  name: string;
  content: string | Buffer;
}

async function openAddition(path = "/#teas") {
  const opened = await openServerPage(browser, server, path);
  await expectHits(opened.page, NAMES);
  await opened.page.getByRole("tab", { name: "Add" }).click();
  return opened;
}

const choose = (page: Page, { name, content }: Chosen) =>
  page.locator("#addedFile").setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });

const submit = (page: Page) => page.getByRole("button", { name: "Add", exact: true }).click();

/** As by hand, from a folder outside of the browser. */
const drop = (page: Page, { name, content }: Chosen) =>
  page.evaluate(
    ([fileName, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text!], fileName!));
      for (const type of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      }
    },
    [name, String(content)],
  );

test("a server without indexes gets its first one by text that is typed", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, await serveNothing(context));
  await page.getByRole("button", { name: "Add documents" }).click();
  await page.getByLabel("or its content").fill(JSON.stringify(TEAS, null, 2));
  await page.getByLabel("Index, a new one").fill("teas");
  await submit(page);
  await expectHits(page, NAMES);
  equal(await page.locator("#index").inputValue(), "teas");
  equal(await page.getByRole("button", { name: "Add documents" }).isVisible(), false);
  check();
});

test("the content of a file tells its format, its name the index", NEEDS_CHROMIUM, async () => {
  const lines = POTS.map((pot) => JSON.stringify(pot)).join("\n");
  const files: Chosen[] = [
    { name: "pots 1.json", content: JSON.stringify(POTS) },
    { name: "pots 2.txt", content: lines },
    { name: "pots 3.v2.csv", content: "id,name\n1,teapot" },
    { name: "pots 4.csv", content: "\ufeffid;name\n1;teapot" },
    { name: "pots 5.tsv", content: "id\tname\n1\tteapot" },
    { name: "pots 6.ndjson.gz", content: gzipSync(lines) },
    { name: "pots 7", content: JSON.stringify(POTS[0], null, 2) },
  ];
  const uids = ["pots-1", "pots-2", "pots-3-v2", "pots-4", "pots-5", "pots-6", "pots-7"];
  const { page, check } = await openAddition();
  for (const [at, file] of files.entries()) {
    await choose(page, file);
    await submit(page);
    await page.locator("#view-search:visible").waitFor();
    await expectHits(page, ["teapot"]);
    equal(await page.locator("#index").inputValue(), uids[at]);
    await page.getByRole("tab", { name: "Add" }).click();
    equal(await page.locator("#additionState").textContent(), `1 document added to ${uids[at]}`);
  }
  check();
});

test("a file is dropped anywhere, and goes where the typed name says", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, server, "/#teas");
  await expectHits(page, NAMES);
  await drop(page, { name: "cups.json", content: '[{"id":1,"name":"cup"}]' });
  await drop(page, { name: "mugs.json", content: '[{"id":1,"name":"mug"}]' });
  const name = page.getByLabel("Index, a new one");
  equal(await name.inputValue(), "mugs");
  await name.fill("vessels");
  await drop(page, { name: "jugs.json", content: '[{"number":1,"name":"jug"}]' });
  equal(await name.inputValue(), "vessels");
  await page.getByLabel("Primary key").fill("number");
  await submit(page);
  await expectHits(page, ["jug"]);
  equal(await server.client.index("vessels").fetchPrimaryKey(), "number");
  check();
});

test("documents that are refused stay to be corrected, beside the reason", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, await serveNothing(context));
  await page.getByRole("tab", { name: "Add" }).click();
  const [text, state] = [page.getByLabel("or its content"), page.locator("#additionState")];
  await page.getByLabel("Index, a new one").fill("nameless");
  await submit(page);
  await state.getByText("There is nothing to add").waitFor();
  await text.fill('[{"name": "no id"}]');
  await submit(page);
  await state.getByText("primary key").waitFor();
  // What the page asks for by itself leaves it there.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2500)));
  await state.getByText("primary key").waitFor();
  equal(await text.inputValue(), '[{"name": "no id"}]');
  await text.fill('[{"name": "no id", ]');
  await submit(page);
  await state.getByText("JSON").waitFor();
  await choose(page, { name: "x.gz", content: Buffer.from([0x1f, 0x8b, 1, 2]) });
  equal(await text.inputValue(), "");
  await submit(page);
  await state.getByText("damaged").waitFor();
  check();
});

test("a long file of lines goes in parts of whole lines", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openAddition();
  const bodies: string[] = [];
  await page.route("**/documents?*", (route) => {
    bodies.push(route.request().postData() ?? "");
    return route.fulfill({ status: 202, json: { taskUid: bodies.length } });
  });
  const ended = {
    finishedAt: "2026-01-01T00:00:00Z",
    status: "succeeded",
    details: { indexedDocuments: 20 },
  };
  await page.route("**/tasks?uids=1,2,3&*", (route) =>
    route.fulfill({ json: { results: [ended, ended, ended] } }),
  );
  const line = `${JSON.stringify({ id: 1, name: "é".repeat(500_000) })}\n`;
  const content = line.repeat(40);
  await page.locator("#addedFile").evaluate((input: HTMLInputElement, text) => {
    const taken = new DataTransfer();
    taken.items.add(new File([text], "long.ndjson"));
    input.files = taken.files;
    input.dispatchEvent(new Event("change"));
  }, content);
  await submit(page);
  await page
    .locator("#additionState", { hasText: "60 documents added to long" })
    .waitFor({ state: "attached" });
  equal(bodies.length, 3);
  equal(bodies.join(""), content);
  equal(
    bodies.every((body) => body.endsWith("\n")),
    true,
  );
  check();
});

test("boxes let fields be filtered and ordered by", NEEDS_CHROMIUM, async () => {
  const index = server.client.index("boxed");
  await index.addDocuments(TEAS).waitTask();
  const features = { facetSearch: false, filter: { equality: true, comparison: false } };
  const rule = { attributePatterns: ["n*"], features };
  await index.updateSettings({ filterableAttributes: [rule, "away"] }).waitTask();
  const { page, check } = await openServerPage(browser, server, "/#boxed");
  await expectHits(page, NAMES);
  await page.getByRole("tab", { name: "Settings" }).click();
  for (const label of ["Filter kind", "Sort steeped for"]) {
    await page.getByLabel(label).check();
    // It is built anew, and the keyboard is where it was.
    await page.locator(":focus:enabled").and(page.getByLabel(label)).waitFor();
  }
  await page.getByLabel("Filter away").uncheck();
  await page.getByLabel("Filter away").waitFor({ state: "detached" });
  deepEqual(await index.getFilterableAttributes(), [rule, "kind"]);
  deepEqual(await index.getSortableAttributes(), ["steeped for"]);
  await page.getByRole("tab", { name: "Search" }).click();
  await page.getByRole("checkbox", { name: /^green/ }).check();
  await expectHits(page, NAMES.slice(0, 3));
  await page.locator("#sort").selectOption("steeped for, descending");
  await page.locator("#hits li:first-child h2", { hasText: "gyokuro" }).waitFor();
  check();
});

test("a key that may only search adds nothing, and is told so", NEEDS_CHROMIUM, async () => {
  const locked = await serveTeas(context, MASTER_KEY);
  const { key } = await locked.client.createKey({ actions: ["search"], indexes: ["*"], expiresAt: null });
  const { page, check } = await openServerPage(browser, locked, "/#teas");
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByLabel("Key", { exact: true }).press("Enter");
  await expectHits(page, NAMES);
  await page.getByRole("tab", { name: "Add" }).click();
  await page.getByLabel("or its content").fill('{"id": 7, "name": "none"}');
  await page.getByLabel("Index, a new one").fill("teas");
  await submit(page);
  await page.locator("#additionState").getByText("(enter another key above)").waitFor();
  equal((await locked.client.index("teas").getStats()).numberOfDocuments, TEAS.length);
  check();
});
