// Tries `tarsier/browser` of the packed package with common bundlers for pages: installs each into an empty
// project, builds a page that searches, writes, edits and cuts words, and opens it in Chromium; the same page
// from the server that Vite has for development, which bundles packages in a way of its own.
//   node tools/bundlers.mjs
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findBrowser } from "./browsers.mjs";
import { serveStatic } from "./static-server.mjs";

const RUN_MS_MAX = 300_000;
const PAGE_MS_MAX = 30_000;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

const PROGRAM = `
import { open } from "tarsier/browser";
async function run() {
  const store = await open({ folder: "notes" });
  const notes = store.index("notes");
  await notes.add([{ id: 1, text: "Buy bread" }]);
  await store.setFeatures({ editDocumentsByFunction: true });
  await notes.edit({ function: "doc.text = \`\${doc.text} and butter\`" });
  const { hits } = await notes.search("buter");
  await notes.add([{ id: 2, text: "学习中文" }, { id: 3, text: "ฉันรักภาษาไทย" }]);
  const words = await Promise.all(["中文", "ภาษาไทย"].map((q) => notes.search(q)));
  await store.close();
  return [hits[0].text, ...words.map(({ hits: [hit] }) => hit.id)].join(" ");
}
run().catch(String).then((text) => { document.title = text; });
`;
const EXPECTED = "Buy bread and butter 2 3";
const html = (script) => `<!doctype html><title></title><script type="module" src="${script}"></script>`;

/** What docs/browser.md tells users of Vite up to 7 to have. */
const VITE_CONFIG = 'export default { worker: { format: "es" }, optimizeDeps: { exclude: ["tarsier"] } };';

/**
 * `files`: those besides the program, main.js. The built page is in the folder `dist`. `develop`: what serves
 * the page unbuilt.
 */
const BUNDLERS = {
  "vite@8": {
    packages: ["vite@8"],
    files: { "index.html": html("/main.js") },
    build: ["vite", "build"],
    develop: viteServer,
  },
  "vite@7": {
    packages: ["vite@7"],
    files: { "index.html": html("/main.js"), "vite.config.js": VITE_CONFIG },
    build: ["vite", "build"],
    develop: viteServer,
  },
  "webpack@5": {
    packages: ["webpack@5", "webpack-cli"],
    files: { "dist/index.html": html("main.js") },
    build: ["webpack", "--mode", "production", "--entry", "./main.js"],
  },
};

const scratch = mkdtempSync(join(tmpdir(), "tarsier-bundlers-"));
const browser = await chromium.launch({
  executablePath: findBrowser("Chromium") ?? fail("Chromium is missing"),
});
try {
  const packed = run(root, "npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch]);
  const [{ filename }] = Object.values(JSON.parse(packed));
  for (const [name, bundler] of Object.entries(BUNDLERS)) {
    const folder = join(scratch, name);
    buildPage(folder, bundler, join(scratch, filename));
    tell(name, await shownBy(await serveStatic({ "/": join(folder, "dist") })));
    if (bundler.develop) tell(`${name}, development`, await shownBy(await bundler.develop(folder)));
  }
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}

function tell(what, found) {
  console.log(`${found === EXPECTED ? "ok    " : "FAILED"} ${what}: ${found}`);
  if (found !== EXPECTED) process.exitCode = 1;
}

function buildPage(folder, { packages, files, build }, tarball) {
  const project = { name: "page", private: true, type: "module" };
  const all = { ...files, "package.json": JSON.stringify(project), "main.js": PROGRAM };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  run(folder, "npm", ["install", "--no-audit", "--no-fund", ...packages, tarball]);
  run(folder, "npx", ["--no", "--", ...build]);
}

/** The title of the page, when the program has ended; closes the server. */
async function shownBy(server) {
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.title !== "", null, { timeout: PAGE_MS_MAX });
    return await page.title();
  } finally {
    await server.close();
  }
}

/** As `vite` does it, with the configuration of the folder. */
async function viteServer(root) {
  const { createServer } = await import(join(root, "node_modules/vite/dist/node/index.js"));
  const server = await createServer({ root, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  await server.listen();
  const { port } = server.httpServer.address();
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

function run(cwd, command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: RUN_MS_MAX });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}

function fail(message) {
  throw new Error(message);
}
