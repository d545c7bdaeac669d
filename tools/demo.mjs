// Builds the demo page of examples/browser, as static files: the page, the library, and a packed catalogue.
//   node tools/demo.mjs [--data FILE] [--output FOLDER] [--serve] [--isolated]
// --data      documents as NDJSON, also as .gz; a sample of 300 packages otherwise
// --output    default: build/demo; what is there is replaced
// --serve     then serves it; --isolated: with the headers that give the page shared memory
import {
  copyFileSync,
  cpSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import { build } from "esbuild";
import { serveStatic } from "./static-server.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "examples", "browser");
const STATIC = ["index.html", "style.css", "icon.svg", "service-worker.js"];
const INDEX = "packages";
const SETTINGS = {
  searchableAttributes: ["name", "synopsis", "tags", "description"],
  filterableAttributes: ["section", "priority", "tags", "installedSize"],
  sortableAttributes: ["installedSize", "name"],
};
const PORT = 8080;

/** `build`: the folder of a build. */
export async function buildDemo({ data, output, build: built = join(root, "build") }) {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  for (const name of STATIC) copyFileSync(join(source, name), join(output, name));
  cpSync(join(built, "bundle", "browser"), join(output, "lib"), { recursive: true });
  await bundlePage(output);
  const parts = readdirSync(join(output, "lib")).filter((name) => !/quickjs/.test(name));
  const shell = [...STATIC.slice(1, 3), "app.js", ...parts.map((name) => `lib/${name}`)];
  writeFileSync(join(output, "shell.json"), JSON.stringify(shell));
  await packCatalogue(data, join(output, "catalogue"), built);
}

function bundlePage(output) {
  const library = {
    name: "library",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^tarsier\/browser$/ }, () => ({ path: "./lib/browser.js", external: true }));
    },
  };
  return build({
    entryPoints: [join(source, "app.ts")],
    outfile: join(output, "app.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    plugins: [library],
    logLevel: "warning",
  });
}

/** Indexes the documents in a temporary folder and packs the index. */
async function packCatalogue(data, output, built) {
  const { open } = await import(new URL(`file://${join(built, "src", "index.js")}`).href);
  const { packIndex } = await import(new URL(`file://${join(built, "src", "tasks", "packing.js")}`).href);
  const { FileStorage } = await import(new URL(`file://${join(built, "src", "storage", "file.js")}`).href);
  const { packageVersion } = await import(new URL(`file://${join(built, "src", "version.js")}`).href);
  const folder = mkdtempSync(join(tmpdir(), "tarsier-demo-"));
  try {
    const store = await open({ folder, threads: 0, durability: "os" });
    const index = store.index(INDEX);
    await index.updateSettings(SETTINGS);
    const file = createReadStream(data);
    const lines = data.endsWith(".gz") ? file.pipe(createGunzip()) : file;
    await index.addFrom(lines, { format: "ndjson", primaryKey: "id" });
    await store.close();
    await packIndex(new FileStorage(folder), new FileStorage(output), INDEX, packageVersion());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(args) {
  const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const output = resolve(option("--output") ?? join(root, "build", "demo"));
  await buildDemo({ data: resolve(option("--data") ?? join(source, "sample.ndjson")), output });
  console.log(`the demo lies in ${output}`);
  if (!args.includes("--serve")) return;
  const { url } = await serveStatic({ "/": output }, { isolated: args.includes("--isolated"), port: PORT });
  console.log(`and is served at ${url}/`);
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
