// The door that packages of bundlers import: they give all of its files other names, which they find by the
// forms that they know. Vite and webpack themselves are tried by tools/bundlers.mjs.
import { deepEqual, ok } from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import type * as door from "../../src/browser.ts";
import { BUILD, launch, NEEDS_CHROMIUM, openPage, ROOT, serve, temporaryFolder } from "./chromium.ts";

/** In the page. */
declare const tarsier: typeof door;

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const DOOR = join(BUILD, "bundle", "browser", basename(exports["./browser"].default));

/** What Vite and webpack look for; the file of a worker is bundled, other files are copied. */
const WORKER = /new Worker\(new URL\("(\.\/[^"]+)",import\.meta\.url\),\{type:"module"\}\)/;
const FILE = /new URL\("(\.\/[^"]+\.wasm)",import\.meta\.url\)/g;

/** Bundles the door and its worker, as bundlers do: under other names, with what they import. */
async function bundleDoor(folder: string): Promise<void> {
  const beside = (name: string) => join(dirname(DOOR), name);
  const source = readFileSync(DOOR, "utf8");
  const worker = WORKER.exec(source)?.[1];
  ok(worker, "bundlers would not find the worker");
  const settings = { bundle: true, format: "esm", platform: "browser", outdir: folder } as const;
  await build({
    ...settings,
    entryPoints: { "started-worker": beside(worker) },
    splitting: true,
    chunkNames: "part-[hash]",
  });
  const copied = source.replace(FILE, (form, name) => {
    copyFileSync(beside(name), join(folder, `copied-${basename(name)}`));
    return form.replace(name, `./copied-${basename(name)}`);
  });
  writeFileSync(join(folder, "door.js"), copied.replace(worker, "./started-worker.js"));
  const script = 'import * as tarsier from "./door.js"; globalThis.tarsier = tarsier;';
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><title>bundled</title><script type="module">${script}</script>`,
  );
}

test("bundled under other names, pages search, write and edit", NEEDS_CHROMIUM, async (context) => {
  const folder = temporaryFolder(context);
  await bundleDoor(folder);
  const { url } = await serve(context, { "/": folder });
  const { page, errors } = await openPage(await launch(context), url);
  const found = await page.evaluate(async () => {
    const store = await tarsier.open();
    const notes = store.index("notes");
    const missing = await notes.search("bread").catch((error) => error.code);
    await notes.add([{ id: 1, text: "Buy bread" }]);
    await store.setFeatures({ editDocumentsByFunction: true });
    await notes.edit({ function: 'doc.text = doc.text + " and butter"' });
    const { hits } = await notes.search("buter");
    await store.close();
    return { missing, texts: hits.map(({ text }) => text) };
  });
  deepEqual(found, { missing: "index_not_found", texts: ["Buy bread and butter"] });
  deepEqual(errors, []);
});

test("the script that the worker is started with is imported by no other file", () => {
  const worker = WORKER.exec(readFileSync(DOOR, "utf8"))?.[1];
  ok(worker, "bundlers would not find the worker");
  const names = ["browser-engine.js", "browser-later.js"];
  for (const name of names)
    ok(!readFileSync(join(dirname(DOOR), name), "utf8").includes(`"${worker}"`), `${name} imports ${worker}`);
});
