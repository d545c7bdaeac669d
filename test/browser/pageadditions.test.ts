// The page at / in a real browser, before a real server: documents that are added in it, and fields that its
// boxes let be filtered and ordered by.
import { deepEqual, equal } from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { MASTER_KEY } from "../http/keyring.ts";
import { hold, NEEDS_CHROMIUM } from "./chromium.ts";
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
const drop = (page: Page, ...chosen: Chosen[]) =>
  page.evaluate(
    (files) => {
      const dataTransfer = new DataTransfer();
      for (const [name, text] of files) dataTransfer.items.add(new File([text!], name!));
      // As some programs drop: there is a file, but nobody gets it.
      if (files.length === 0) Object.defineProperty(dataTransfer, "types", { value: ["Files"] });
      for (const type of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      }
    },
    chosen.map(({ name, content }) => [name, String(content)]),
  );

/** One of so many bytes that the tests had better not send it to the browser. `line`: made `count` times. */
const chooseLong = (page: Page, name: string, line: string, count: number, last = "") =>
  page.locator("#addedFile").evaluate(
    (input: HTMLInputElement, [fileName, text, times, end]) => {
      const taken = new DataTransfer();
      taken.items.add(new File([text.repeat(times), end], fileName));
      input.files = taken.files;
      input.dispatchEvent(new Event("change"));
    },
    [name, line, count, last] as const,
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
    // What is in quotes does not tell what separates.
    { name: "pots 8.csv", content: 'id;"liters, full\n(a,b)";name\n1;1,5;teapot' },
    { name: "pots 9.csv", content: 'id\tname\t"of"\tlitres, full\n1\tteapot\t\t2' },
    { name: "pots 10.csv", content: "id,name,a;b\n1,teapot,c" },
  ];
  const uids = files.map((_, at) => (at === 2 ? "pots-3-v2" : `pots-${at + 1}`));
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

test(
  "of files that are dropped together the first one is taken, and the page says so",
  NEEDS_CHROMIUM,
  async () => {
    const { page, check } = await openServerPage(browser, server, "/#teas");
    await expectHits(page, NAMES);
    await drop(page);
    await page.locator("#view-add:visible").waitFor();
    const [cups, mugs] = ["cups", "mugs"].map((name) => ({ name: `${name}.json`, content: '[{"id":1}]' }));
    await drop(page, cups!, mugs!);
    await page.getByText("Of 2 files only the first one was taken").waitFor();
    equal(await page.getByLabel("Index, a new one").inputValue(), "cups");
    await drop(page, mugs!);
    await page.getByText("only the first").waitFor({ state: "detached" });
    equal(await page.getByLabel("Index, a new one").inputValue(), "mugs");
    check();
  },
);

test(
  "an index is there to be chosen also when another view was opened meanwhile",
  NEEDS_CHROMIUM,
  async () => {
    const { page, check } = await openAddition();
    const { answer } = await hold(page, "**/documents?*");
    await page.getByLabel("or its content").fill('{"id":1,"name":"saucer"}');
    await page.getByLabel("Index, a new one").fill("saucers");
    await submit(page);
    await page.getByRole("tab", { name: "Search" }).click();
    answer();
    await page.locator("#additionState", { hasText: "1 document added" }).waitFor({ state: "attached" });
    equal(await page.locator("#index").inputValue(), "teas");
    equal(await page.locator("#indexNames option[value=saucers]").count(), 1);
    await page.locator("#index").selectOption("saucers");
    await expectHits(page, ["saucer"]);
    check();
  },
);

test("what is typed takes the place of a file, and the other way round", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openAddition();
  const text = page.getByLabel("or its content");
  const name = page.getByLabel("Index, a new one");
  await choose(page, { name: `${"long".repeat(101)}.json`, content: "[]" });
  equal(await name.inputValue(), "long".repeat(100));
  await text.fill('{"id": 1, "name": "typed"}');
  equal(await page.locator("#addedFile").inputValue(), "");
  await name.fill("typed");
  await submit(page);
  await expectHits(page, ["typed"]);

  // A name that stands there is not replaced, even one that had been proposed before.
  await page.getByRole("tab", { name: "Add" }).click();
  await name.fill("long".repeat(100));
  await choose(page, { name: "other.json", content: "[]" });
  equal(await name.inputValue(), "long".repeat(100));
  equal(await text.inputValue(), "");
  check();
});

test("while documents are sent nothing else takes their place", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openAddition();
  const sending = await hold(page, "**/indexes/kept/documents?*");
  await choose(page, { name: "kept.json", content: '[{"id":1,"name":"kept"}]' });
  await submit(page);
  await page.locator("#addition fieldset:disabled").waitFor();
  await drop(page, { name: "other.json", content: '[{"id":1,"name":"other"}]' });
  equal(await page.getByLabel("Index, a new one").inputValue(), "kept");
  sending.answer();
  await expectHits(page, ["kept"]);
  check();
});

test("documents that are refused stay to be corrected, beside the reason", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openServerPage(browser, await serveNothing(context));
  await page.getByRole("tab", { name: "Add" }).click();
  const [text, state] = [page.getByLabel("or its content"), page.locator("#additionState")];
  await page.getByLabel("Index, a new one").fill("nameless");
  await submit(page);
  await state.getByText("There is nothing to add").waitFor();
  for (const nothing of [" \n", gzipSync("\ufeff\r\n")]) {
    await text.fill("x");
    await choose(page, { name: "nothing", content: nothing });
    await submit(page);
    await state.getByText("There is nothing to add").waitFor();
  }
  const archive = Buffer.from("PK\x03\x04\x14\0\0\0\x08\0", "latin1");
  for (const noText of [archive, gzipSync(archive), Buffer.from("id,name\n1,caf\xe9\n", "latin1")]) {
    await choose(page, { name: "no text", content: noText });
    await submit(page);
    await state.getByText("This is no text in UTF-8").waitFor();
    // The same words again are an answer only when others came in between.
    await text.fill(" ");
    await submit(page);
    await state.getByText("There is nothing to add").waitFor();
  }
  for (const noDocuments of ["5", '"tea"', "id,name\n"]) {
    await text.fill(noDocuments);
    await submit(page);
    await state.getByText(/^There are no documents/).waitFor();
    await text.fill("");
    await submit(page);
    await state.getByText("There is nothing to add").waitFor();
  }
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
  await chooseLong(page, "long.ndjson", line, 40);
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

test("of a file in parts it is told how many failed", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openAddition();
  const line = `${JSON.stringify({ id: 1, name: "é".repeat(500_000) })}\n`;
  await chooseLong(page, "keyless.ndjson", line, 17, '{"id":"no id!"}\n');
  await submit(page);
  await page.locator("#additionState").getByText("Of 2 parts 1 failed: Document identifier").waitFor();
  check();
});

test("a fault in a later part says where its lines are counted from", NEEDS_CHROMIUM, async () => {
  const { page, check } = await openAddition();
  const line = `${JSON.stringify({ id: 1, name: "é".repeat(500_000) })}\n`;
  await chooseLong(page, "faulty.ndjson", line, 17, '{"id":2,}');
  await submit(page);
  const first = (Buffer.byteLength(line) * 17).toLocaleString("en");
  const state = page.locator("#additionState", {
    hasText: `first ${first} bytes, which are safe: The ndjson`,
  });
  await state.getByText("line 1,").waitFor();
  check();
});

test(
  "documents that were sent are safe also if nobody tells what became of them",
  NEEDS_CHROMIUM,
  async () => {
    const { page, check } = await openAddition();
    await page.route("**/tasks?uids=*", (route) => route.abort());
    await page.getByLabel("or its content").fill('{"id":1,"name":"bowl"}');
    await page.getByLabel("Index, a new one").fill("bowls");
    await submit(page);
    const state = page.locator("#additionState").getByText("The documents are safe, but");
    await state.getByText("The server cannot be reached").waitFor();
    check();
  },
);

test("boxes let fields be filtered and ordered by", NEEDS_CHROMIUM, async () => {
  const index = server.client.index("boxed");
  await index.addDocuments(TEAS).waitTask();
  const features = { facetSearch: false, filter: { equality: true, comparison: false } };
  const rule = { attributePatterns: ["n*"], features };
  await index.updateSettings({ filterableAttributes: [rule, "away", "constructor"] }).waitTask();
  const { page, check } = await openServerPage(browser, server, "/#boxed");
  await expectHits(page, NAMES);
  await page.getByRole("tab", { name: "Settings" }).click();
  for (const label of ["Filter kind", "Sort steeped for"]) {
    await page.getByLabel(label).check();
    // It is built anew, and the keyboard is where it was.
    await page.locator(":focus:enabled").and(page.getByLabel(label)).waitFor();
  }
  equal(await page.locator("#view-settings tr", { hasText: "[object" }).count(), 0);
  // No document has it, nor is it what every object has.
  equal(await page.locator("tr", { hasText: "constructor" }).locator("td").nth(1).textContent(), "");
  for (const label of ["Filter away", "Filter constructor"]) {
    await page.getByLabel(label).uncheck();
    await page.getByLabel(label).waitFor({ state: "detached" });
  }
  deepEqual(await index.getFilterableAttributes(), [rule, "kind"]);
  deepEqual(await index.getSortableAttributes(), ["steeped for"]);
  await page.getByRole("tab", { name: "Search" }).click();
  await page.getByRole("checkbox", { name: /^green/ }).check();
  await expectHits(page, NAMES.slice(0, 3));
  await page.locator("#sort").selectOption("steeped for, descending");
  await page.locator("#hits li:first-child h2", { hasText: "gyokuro" }).waitFor();
  check();
});

test(
  "of many fields those in use are shown in any case, and their counts are their own",
  NEEDS_CHROMIUM,
  async () => {
    const index = server.client.index("wide");
    const fields = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`field ${at}`, at]));
    await index.addDocuments([{ id: 1, name: "wide", ...fields }]).waitTask();
    await index.updateFilterableAttributes(["field 399", "toString"]).waitTask();
    const { page, check } = await openServerPage(browser, server, "/#wide");
    await expectHits(page, ["wide"]);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("row", { name: "toString" }).getByRole("cell").nth(1).waitFor();
    equal(await page.getByRole("row", { name: "toString" }).getByRole("cell").nth(1).textContent(), "");
    await page.getByText("101 more fields are not shown").waitFor();
    await page.getByLabel("Filter field 399").uncheck();
    await page.getByText("102 more fields are not shown").waitFor();
    deepEqual(await index.getFilterableAttributes(), ["toString"]);
    check();
  },
);

test("a box keeps what others change while their task waits", NEEDS_CHROMIUM, async () => {
  const index = server.client.index("shared");
  await index.addDocuments(TEAS).waitTask();
  const { page, check } = await openServerPage(browser, server, "/#shared");
  await expectHits(page, NAMES);
  await page.getByRole("tab", { name: "Settings" }).click();
  const isWaiting = { results: [{ uid: 0 }] };
  // Until the page has asked whether there is one, as it does while one waits for others.
  await page.route(
    "**/tasks?indexUids=shared&types=settingsUpdate&*",
    async (route) => {
      await index.updateFilterableAttributes(["name"]).waitTask();
      await route.fulfill({ json: isWaiting });
    },
    { times: 1 },
  );
  await page.getByLabel("Filter kind").check();
  await page.locator(":focus:enabled").and(page.getByLabel("Filter kind")).waitFor();
  deepEqual(await index.getFilterableAttributes(), ["name", "kind"]);
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
