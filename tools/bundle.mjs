// Bundles a build for use: the program and its threads, one file each, with the packages that they need, and
// the files for browsers. A start then reads a handful of files instead of hundreds. Called by build.mjs.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { forBrowsers } from "./browser-platform.mjs";

/** Where the bundles lie in the folder of a build. */
export const BUNDLE_FOLDER = "bundle";

/**
 * Files that start a thread, bundled one by one like the program, and each compiled from its code cache
 * (codecache.mjs). They lie beside the program, because they are looked for beside the file that starts them,
 * here as in build/src.
 */
const THREADS = {
  worker: "src/engine/worker.js",
  graphthread: "src/segment/graphthread.js",
  blockthread: "src/segment/blockthread.js",
};
/** How the source names the files of threads. */
const THREAD_URL = new RegExp(`new URL\\("\\./(${Object.keys(THREADS).join("|")})\\.js"`, "g");
/**
 * The program: the command line, and what the package exports. Its parts are functions, so that each is
 * loaded only when it is needed.
 */
const PROGRAM = "cli";
const PARTS = { commands: "src/cli/commandline.js", library: "src/index.js", server: "src/node.js" };
/** File of the package -> the part of the program that it exports. */
const DOORS = { "index.js": "library", "node.js": "server" };

/** Never loaded by Tarsier: it brings a checker of its own, and has no response schemas. */
const LEFT_OUT = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler"];

/**
 * The interpreter of edit functions: one of the largest parts, which all runtimes read from the folder for
 * browsers.
 */
const INTERPRETER = ["quickjs-emscripten-core", "@jitl/quickjs-singlefile-mjs-release-sync"];

/**
 * Packages that only some servers need, each in its own file that is read when it is imported: inside the
 * programs they would slow down every start.
 */
const LATER = [
  "undici",
  "prom-client",
  "@modelcontextprotocol/sdk/server/index.js",
  "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js",
  "@modelcontextprotocol/sdk/types.js",
];

/** Names that CommonJS packages expect in their files. */
const COMMONJS = `import { createRequire as makeRequire } from "node:module";
const require = makeRequire(import.meta.url);
const __filename = import.meta.filename ?? "";
const __dirname = import.meta.dirname ?? "";`;

/** Output as modules, which share common code. */
const ESM = { format: "esm", splitting: true, banner: { js: COMMONJS } };

/**
 * The compression package checks whether an answer is a `Response` of fetch, which loads all of fetch with
 * the first answer; this rewrites the check so that it does not.
 */
const fetchLeftOut = {
  name: "fetch-left-out",
  setup({ onLoad }) {
    onLoad({ filter: /@fastify[/\\]compress[/\\]lib[/\\]utils\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(
        "obj instanceof Response",
        'Object.prototype.toString.call(obj) === "[object Response]"',
      );
      if (contents === source)
        throw new Error(`${path} no longer asks for a Response: leave this plugin out`);
      return { contents, loader: "js" };
    });
  },
};

/** One question is asked about two thousand media types: which compress well. */
const typesCutDown = {
  name: "types-cut-down",
  setup({ onLoad }) {
    onLoad({ filter: /mime-db[/\\]db\.json$/ }, ({ path }) => {
      const types = Object.entries(JSON.parse(readFileSync(path, "utf8")));
      const known = types.filter(([, { compressible }]) => compressible !== undefined);
      const contents = JSON.stringify(
        Object.fromEntries(known.map(([type, { compressible }]) => [type, { compressible }])),
      );
      return { contents, loader: "json" };
    });
  },
};

const fileOf = (name) =>
  name
    .replace(/^@[^/]+\//, "")
    .replace(/\.js$/, "")
    .replaceAll("/", "-");

/** A script that the launcher compiles is not a module, but asks for its own address as one does. */
const forLauncher = (defined) => ({
  define: { "import.meta.url": "importMetaUrl", ...defined },
  banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
});

/** An import() in a program: the launcher has to do it. */
const LATER_IMPORTS = /(?<![.\w$])import\(/g;

const readLater = (packages, folder = ".") => ({
  name: "read-later",
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) => {
      if (kind !== "dynamic-import" || !packages.includes(path)) return undefined;
      return { path: `${folder}/${fileOf(path)}.js`, external: true };
    });
  },
});

/** Bundles what tsc has written to `out`. `root`: the folder with node_modules. */
export async function bundle(root, out) {
  const outdir = join(out, BUNDLE_FOLDER);
  rmSync(outdir, { recursive: true, force: true });
  const builtForBrowsers = await bundleForBrowsers(root, out);
  const options = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: "node",
    target: "node20",
    // So that a build outside the repository also finds the packages.
    nodePaths: [join(root, "node_modules")],
    external: LEFT_OUT,
    // Names stay, because stack traces show them.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [fetchLeftOut, typesCutDown, readLater(LATER), readLater(INTERPRETER, "./browser")],
    // A copy of what every runtime has.
    alias: { "readable-stream": "node:stream" },
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  };
  const version = JSON.stringify(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  const programs = {
    ...options,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    ...forLauncher({ TARSIER_VERSION: version }),
  };
  const built = [
    await build({
      ...programs,
      entryPoints: { [PROGRAM]: PROGRAM_SOURCE },
      plugins: [inParts(out), ...options.plugins],
    }),
    await build({
      ...programs,
      entryPoints: Object.fromEntries(Object.entries(THREADS).map(([name, path]) => [name, join(out, path)])),
    }),
    await build({
      ...options,
      ...ESM,
      entryPoints: Object.fromEntries(LATER.map((name) => [fileOf(name), name])),
      minifyIdentifiers: true,
    }),
  ];
  for (const name of [PROGRAM, ...Object.keys(THREADS)]) {
    const file = join(outdir, `${name}.cjs`);
    writeFileSync(file, asAscii(readFileSync(file, "utf8")).replace(LATER_IMPORTS, "importLater("));
    const run = ".commands().runCommandLine(process.argv.slice(2))";
    // Unreferenced, so it never happens when a command has ended before.
    const then = ".then(() => setImmediate(launcher.optimizeSooner).unref())";
    const lines = [
      'const launcher = require("./launcher.cjs");',
      `launcher.launch("${name}.cjs")${name === PROGRAM ? run + then : ""};`,
    ];
    writeFileSync(join(outdir, `${name}.start.cjs`), `${lines.join("\n")}\n`);
  }
  for (const [door, part] of Object.entries(DOORS))
    await writeDoor(join(outdir, door), join(out, PARTS[part]), part);
  for (const file of readdirSync(outdir).filter((name) => /\.c?js$/.test(name)))
    startThreadsIn(join(outdir, file));
  copyFileSync(join(root, "tools", "launcher.cjs"), join(outdir, "launcher.cjs"));
  built.push(...builtForBrowsers);
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(outdir, "LICENSES.txt"), licensesOf(inputs, root));
}

/** The file that the program is bundled from; it exists only in memory. */
const PROGRAM_SOURCE = "program-source";

const inParts = (out) => ({
  name: "in-parts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^program-source$/ }, ({ path }) => ({ path, namespace: PROGRAM_SOURCE }));
    onLoad({ filter: /^/, namespace: PROGRAM_SOURCE }, () => {
      const lines = Object.entries(PARTS).map(
        ([part, path]) => `exports.${part} = () => require(${JSON.stringify(join(out, path))});`,
      );
      return { resolveDir: out, contents: lines.join("\n") };
    });
  },
});

/** Writes a module that exports what a part of the program exports. */
async function writeDoor(file, source, part) {
  const names = Object.keys(await import(pathToFileURL(source).href)).join(", ");
  const lines = [
    'import { createRequire } from "node:module";',
    'const { launch } = createRequire(import.meta.url)("./launcher.cjs");',
    `export const { ${names} } = launch("${PROGRAM}.cjs").${part}();`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** Makes the launcher start a thread wherever the source starts it from its module. */
function startThreadsIn(file) {
  const source = readFileSync(file, "utf8");
  const started = source.replace(THREAD_URL, 'new URL("./$1.start.cjs"');
  if (started !== source) writeFileSync(file, started);
}

/**
 * The program in ASCII; esbuild leaves other characters in regular expressions. One character beyond Latin-1
 * makes V8 store the whole source, in each thread, in two bytes per character.
 */
function asAscii(source) {
  return source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * The browser door, the files of its worker, and beside them both builds of the core and the words of
 * languages: this folder can be put behind any web server. The core is not part of the worker, because
 * browsers cache the compiled code of fetched WebAssembly, and only one of the two builds is ever needed.
 * Words, and the interpreter of edit functions, are fetched when first needed. Returns the result of esbuild.
 */
export async function bundleForBrowsers(root, out) {
  const outdir = join(out, BUNDLE_FOLDER, "browser");
  mkdirSync(outdir, { recursive: true });
  for (const name of ["core.wasm", "core.single.wasm", "chinese.words", "thai.words"])
    copyFileSync(join(out, name), join(outdir, name));
  const settings = { ...forBrowsers(root, out), outdir, metafile: true };
  const { plugins } = settings;
  const door = { browser: join(out, "src", "browser.js") };
  const start = { "browser-start": join(out, "src", "browser", "start.js") };
  const interpreter = Object.fromEntries(INTERPRETER.map((name) => [fileOf(name), name]));
  return Promise.all([
    build({ ...settings, entryPoints: door }),
    build({ ...settings, entryPoints: start, format: "iife", inject: [] }),
    bundleWorker(join(out, "src", "browser", "worker.js"), {
      ...settings,
      plugins: [readLater(INTERPRETER), ...plugins],
    }),
    build({
      ...settings,
      entryPoints: interpreter,
      splitting: true,
      chunkNames: "quickjs-[hash]",
      inject: [],
    }),
  ]);
}

/**
 * The worker in two files: one with all that searches need, and one with all that it imports later by
 * import(), for writes and embedders. The second imports the first, so what both need is in the first.
 *
 * The script that the worker is started with only imports the first file, and nothing imports that script.
 * Bundlers give it a new address, and WebKit (2.50) does not know its address either: who imports it by name
 * gets a second worker that listens in the place of the one that has opened the store.
 */
async function bundleWorker(worker, settings) {
  const options = { ...settings, write: false, splitting: true };
  const pathOf = (entry) => resolve(settings.absWorkingDir, entry);
  const { outputs } = (await build({ ...options, entryPoints: [worker] })).metafile;
  const entries = Object.values(outputs).filter(({ entryPoint }) => entryPoint !== undefined);
  const later = entries.filter(({ entryPoint }) => pathOf(entryPoint) !== worker);
  const names = later.flatMap(({ exports }) => exports);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice) throw new Error(`two files that the worker imports later export ${twice}`);
  const files = later.map(({ entryPoint }) => pathOf(entryPoint));
  const built = await build({
    ...options,
    entryPoints: { "browser-worker": worker, "browser-later": LATER_FILE },
    chunkNames: "browser-engine",
    plugins: [inOneFile(worker, files), ...settings.plugins],
  });
  for (const { path, contents } of built.outputFiles) writeFileSync(path, contents);
  return built;
}

const LATER_FILE = "later";

/** An import() of one of these files loads all of them. */
const inOneFile = (worker, files) => ({
  name: "in-one-file",
  setup({ onResolve, onLoad }) {
    const path = { path: LATER_FILE, namespace: LATER_FILE };
    onResolve({ filter: /^later$/ }, () => path);
    onResolve({ filter: /^\.{1,2}\// }, ({ path: asked, resolveDir, kind }) =>
      kind === "dynamic-import" && files.includes(resolve(resolveDir, asked)) ? path : undefined,
    );
    onLoad({ filter: /^/, namespace: LATER_FILE }, () => {
      const lines = files.map((file) => `export * from ${JSON.stringify(file)};`);
      return {
        resolveDir: dirname(worker),
        contents: [`import ${JSON.stringify(worker)};`, ...lines].join("\n"),
      };
    });
  },
});

/** The licence texts of the packages that these files belong to. */
function licensesOf(files, root) {
  const folders = new Set(files.map((file) => packageFolder(resolve(root, file))).filter(Boolean));
  /** Text -> the first package that has it: some licence texts are long, and the same in many packages. */
  const known = new Map();
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const found = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    const text = found.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
    const title = `${name} ${version} (${license})`;
    const first = known.get(text);
    if (text && !first) known.set(text, title);
    const shown = first ? `The text is that of ${first} above.` : text;
    return `${title}\n\n${shown || "The package holds no licence text."}\n`;
  });
  texts.push(variantsNotice(root), readFileSync(join(root, "words", "README.md"), "utf8"));
  const line = `\n${"-".repeat(100)}\n\n`;
  return `The bundles in this folder contain these packages.\n${line}${texts.join(line)}`;
}

/** The notice for the table of Chinese variants in the core. */
function variantsNotice(root) {
  const [notice] = readFileSync(join(root, "tools", "ideograph-variants.txt"), "utf8").split("\n\n");
  return `${notice}\n`;
}

/** The folder of the package that a file belongs to; null for files of Tarsier itself. */
function packageFolder(file) {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll("\\", "/")) ?? [];
  return folder ?? null;
}
